// SPDX-License-Identifier: BSL-1.0
// norm, the length of vectors, and normalize, which scales them to length 1.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/reduce.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// x / max(|x|, eps); reads x twice.
template <auto Axis>
struct unit_norm_of {
    double eps;
    template <class Operand>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Operand& x) const noexcept {
        return x / max<>(sqrt(sum<Axis>(x * x, keep_dims)), static_cast<element_of<Operand>>(eps));
    }
};

/// The root of the sum of squares; reads x twice.
template <auto... Axes>
struct norm_of {
    template <class Operand, class... Keep>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Operand& x, Keep... keep) const noexcept {
        return sqrt(sum<Axes...>(x * x, keep...));
    }
};

}  // namespace detail

/// The Euclidean norm along axes, or of all elements: sqrt(sum(x * x)), lazily. Floating point. Squares are not scaled,
/// as in PyTorch and NumPy: in float the norm is infinite if they overflow, from 1.8e19, and 0 below 1e-23; between
/// 1e-23 and 1e-19 it loses digits. `norm(x / s) * s` with s = max(abs(x)) avoids this.
///
///     auto lengths = norm<-1>(x);   // [4, 8] to [4]
template <auto... Axes, any_expression Operand>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto norm(Operand&& x) noexcept {
    if constexpr (detail::viewable<Operand>)
        return detail::norm_of<Axes...>{}(x);
    else
        return let(std::forward<Operand>(x), detail::norm_of<Axes...>{});
}
template <auto... Axes, any_expression Operand>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto norm(Operand&& x, keep_dims_t) noexcept {
    if constexpr (detail::viewable<Operand>)
        return detail::norm_of<Axes...>{}(x, keep_dims);
    else
        return let(std::forward<Operand>(x),
                   [](const auto& y) ASHLAR_LAMBDA_INLINE { return detail::norm_of<Axes...>{}(y, keep_dims); });
}
template <auto... Given>
void norm(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});

/// x / max(|x|, eps) along an axis, by default the last, with the Euclidean norm, lazily: x's shape. Floating point. A
/// vector of zeros stays zero; one whose squares overflow, from 1e19 in float, becomes zero. PyTorch's F.normalize,
/// whose default axis is 1.
///
///     auto similarity = matmul(normalize<-1>(q), transpose(normalize<-1>(k)));   // cosines
template <auto Axis = -1, any_expression Operand>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto normalize(Operand&& x, double eps = 1e-12) noexcept {
    constexpr bool found = detail::axis_argument<Axis, shape_of<Operand>>::found;
    constexpr bool floating = detail::floating_elements<element_of<Operand>>::given;
    static_assert(detail::axis_argument<Axis, shape_of<Operand>>::found,
                  "ashlar: normalize: the axis must be a position or a named axis that occurs once in the shape");
    static_assert(detail::floating_elements<element_of<Operand>>::given,
                  "ashlar: normalize: the elements must be floating-point numbers; use cast<float>(x)");
    if constexpr (!found || !floating)
        return detail::refused<detail::floating_or_float<element_of<Operand>>, shape_of<Operand>>();
    else if constexpr (detail::viewable<Operand>)
        return detail::unit_norm_of<Axis>{eps}(x);
    else
        return let(std::forward<Operand>(x), detail::unit_norm_of<Axis>{eps});
}

template <auto Axis = -1, any_expression Operand, std::integral Number>
[[nodiscard]] constexpr auto normalize(Operand&&, Number) noexcept {
    return detail::refused_epsilon<Operand, Number>();
}

}  // namespace ashlar
