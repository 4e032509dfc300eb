// SPDX-License-Identifier: BSL-1.0
// BART, decoded with caches.
#include <tests/nn/seq2seq.hpp>

TEST(parity_bart_decode, halves) { parity::check_decoding<parity::family::bart>("bart"); }
