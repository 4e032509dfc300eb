// SPDX-License-Identifier: BSL-1.0
// normalize: vectors brought to length 1.
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

namespace ashlar {

namespace detail {

/// x / max(|x|, eps) of an operand that may be read twice.
template <auto Axis>
struct unit_norm_of {
    double eps;
    template <class Operand>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Operand& x) const noexcept {
        return x / max<>(sqrt(sum<Axis>(x * x, keep_dims)), static_cast<element_of<Operand>>(eps));
    }
};

}  // namespace detail

/// x / max(|x|, eps) along an axis, the last one unless given, with the Euclidean norm, lazily: x's shape. A vector of
/// zeros stays one; where the squares overflow, from 1e19 on in float, it becomes one. Floating point. PyTorch's
/// F.normalize, whose axis is 1 unless given.
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
