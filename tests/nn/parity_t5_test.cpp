// SPDX-License-Identifier: BSL-1.0
// T5, layer by layer.
#include <tests/nn/t5.hpp>

TEST(parity_t5, layers) { parity::check_layers<false>("t5"); }
