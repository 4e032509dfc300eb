// SPDX-License-Identifier: BSL-1.0
// What the code for all sets of instructions shares: the weights' type, and the declaration of a function.
#pragma once

#include <cstddef>

#include <ashlar/ashlar.hpp>
#include <ashlar/core/dispatch.hpp>
#include <ashlar/nn.hpp>

namespace instruction_sets {

using rows = ashlar::tensor<float, 32, 64>;
/// Weights lie alike for all instruction sets.
using layer = ashlar::nn::encoder_layer<{.embed = 64, .heads = 4, .hidden = 256}>;

/// y = weights(x), by the widest code that the processor can run. Returns how many bits its registers have.
extern ashlar::dispatched<std::size_t(const layer& weights, const rows& x, rows& y) noexcept> encode;

}  // namespace instruction_sets
