// SPDX-License-Identifier: BSL-1.0
// T5 1.1, layer by layer.
#include <tests/nn/t5.hpp>

TEST(parity_t5_gated, layers) { parity::check_layers<true>("t5_gated"); }
