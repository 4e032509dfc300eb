// SPDX-License-Identifier: BSL-1.0
// The encoder layer that runs on a microcontroller.
#pragma once

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using layer = ashlar::nn::encoder_layer<{.embed = 32, .heads = 4, .hidden = 64}>;
using tokens = ashlar::tensor<float, 16, 32>;

/// The layer over 16 tokens.
void encode(tokens& out, const layer& l, const tokens& x) noexcept;
