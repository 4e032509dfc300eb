// SPDX-License-Identifier: BSL-1.0
// The arguments of elementwise functions.
#pragma once

#include <ashlar/core/concepts.hpp>

namespace ashlar::inline v0_1::detail {

/// A number in a call with an expression.
template <class Argument>
concept scalar_argument = any_element<std::remove_cvref_t<Argument>>;

/// The arguments of an elementwise function: expressions and numbers, with at least one expression.
template <class... Argument>
concept elementwise_arguments =
    (any_expression<Argument> || ...) && ((any_expression<Argument> || scalar_argument<Argument>) && ...);

}  // namespace ashlar::detail
