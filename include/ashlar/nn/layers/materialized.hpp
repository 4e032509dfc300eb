// SPDX-License-Identifier: BSL-1.0
// materialized: an operand that is evaluated into scratch before it is read.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/shape/concat.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// An operand that is evaluated completely, once, before any element is read: a join of one part.
template <std::size_t Axis, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto materialized(Input&& x) noexcept {
    return concat_node<Axis, shape_of<Input>, ashlar::detail::held<Input>>{
        {{}, {{ashlar::detail::hold(std::forward<Input>(x))}}}};
}

}  // namespace ashlar::nn::detail
