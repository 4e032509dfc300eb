// SPDX-License-Identifier: BSL-1.0
// materialized: an operand that waits in scratch before anything reads it.
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

/// An operand whose elements are all made before one of them is read, once: a join of one part.
template <std::size_t Axis, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto materialized(Input&& x) noexcept {
    return concat_node<Axis, shape_of<Input>, ashlar::detail::held<Input>>{
        {{}, {{ashlar::detail::hold(std::forward<Input>(x))}}}};
}

}  // namespace ashlar::nn::detail
