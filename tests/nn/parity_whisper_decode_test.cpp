// SPDX-License-Identifier: BSL-1.0
// Whisper, decoded with caches.
#include <tests/nn/seq2seq.hpp>

TEST(parity_whisper_decode, halves) { parity::check_decoding<parity::family::whisper>("whisper"); }
