// SPDX-License-Identifier: BSL-1.0
// What a firmware needs of the model.
#pragma once

#include "model.hpp"

namespace gestures {

using scores = ashlar::tensor<float, classes>;

/// Scores of a recording's classes. What lies between is static: for one caller at a time.
void recognize(scores& out, const model& weights, const recording& x) noexcept;

/// Bytes that it may take: weights in flash, RAM, and stack. What takes more does not compile.
inline constexpr std::size_t most_weights = 40 * 1024, most_scratch = 16 * 1024, most_stack = 7 * 1024;

}  // namespace gestures
