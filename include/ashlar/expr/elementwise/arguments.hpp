// SPDX-License-Identifier: BSL-1.0
// What elementwise functions take.
#pragma once

#include <ashlar/core/concepts.hpp>

namespace ashlar::inline v0_1::detail {

/// A number beside an expression.
template <class Argument>
concept scalar_argument = any_element<std::remove_cvref_t<Argument>>;

/// What an elementwise function takes: expressions and numbers, and one expression at least.
template <class... Argument>
concept elementwise_arguments =
    (any_expression<Argument> || ...) && ((any_expression<Argument> || scalar_argument<Argument>) && ...);

}  // namespace ashlar::detail
