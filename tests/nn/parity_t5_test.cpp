// SPDX-License-Identifier: BSL-1.0
// T5: the encoder layer by layer, and the decoder with caches.
#include <tests/nn/t5.hpp>

TEST(parity_t5, encoder_and_decoding) { parity::check_decoding<false>("t5"); }
