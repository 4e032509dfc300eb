// SPDX-License-Identifier: BSL-1.0
// T5, decoded with caches.
#include <tests/nn/t5.hpp>

TEST(parity_t5_decode, tokens) { parity::check_decoding<false>("t5"); }
