// SPDX-License-Identifier: BSL-1.0
// where with a mask as its condition.
#pragma once

#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether a mask can choose among values of a shape, whose last two axes it addresses.
template <class Mask, class Values>
struct where_mask {
    static consteval bool check() {
        if constexpr (Values::rank >= 2)
            return Mask::template check<Values>::fits;
        else
            return false;
    }
    static constexpr bool fits = check();
};

}  // namespace detail

/// a where the mask keeps, else b; either may be a number. The mask addresses the last two axes of the broadcast shape
/// of a and b.
///
///     auto lower = where(causal, x, 0.0f);
template <detail::mask_argument Mask, class First, class Second>
    requires detail::elementwise_arguments<First, Second>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto where(Mask&& mask, First&& a, Second&& b) noexcept {
    using Element = detail::element_among_t<First, Second>;
    using clash =
        detail::first_clash<decltype(detail::argument_shape<First>()), decltype(detail::argument_shape<Second>())>;
    using agreement = detail::broadcast_shapes<typename clash::left, typename clash::right>;
    static_assert(detail::broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: where: the shapes of both values must broadcast; reshape, transpose or rename one");
    if constexpr (agreement::agree) {
        using scores = detail::broadcast_shape<decltype(detail::argument_shape<First>()),
                                               decltype(detail::argument_shape<Second>())>;
        static_assert(
            detail::where_mask<detail::mask_of<Mask>, scores>::fits,
            "ashlar: where: the mask must fit the values, whose last two axes are queries and keys; unsqueeze "
            "or rename axes");
        if constexpr (detail::where_mask<detail::mask_of<Mask>, scores>::fits)
            return where(mask_node<detail::mask_of<Mask>, scores>{{}, detail::as_mask(std::forward<Mask>(mask))},
                         std::forward<First>(a), std::forward<Second>(b));
        else
            return detail::refused<Element, scores>();
    } else {
        return detail::refused_map<Element, First, Second>();
    }
}

}  // namespace ashlar
