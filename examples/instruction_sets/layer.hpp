// SPDX-License-Identifier: BSL-1.0
// What every variant of the program shares: the weights' type, and one function for each set of instructions.
#pragma once

#include <cstddef>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace instruction_sets {

using rows = ashlar::tensor<float, 32, 64>;
/// Weights lie alike for all instruction sets.
using layer = ashlar::nn::encoder_layer<{.embed = 64, .heads = 4, .hidden = 256}>;

/// y = weights(x). Returns how many bits a register of that variant has.
std::size_t encode_sse2(const layer& weights, const rows& x, rows& y) noexcept;
std::size_t encode_avx2(const layer& weights, const rows& x, rows& y) noexcept;
std::size_t encode_avx512(const layer& weights, const rows& x, rows& y) noexcept;

}  // namespace instruction_sets
