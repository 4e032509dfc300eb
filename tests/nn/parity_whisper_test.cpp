// SPDX-License-Identifier: BSL-1.0
// Whisper, layer by layer.
#include <tests/nn/seq2seq.hpp>

TEST(parity_whisper, layers) { parity::check_layers<parity::family::whisper>("whisper"); }
