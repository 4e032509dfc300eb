// SPDX-License-Identifier: BSL-1.0
// BART and Whisper: embeddings, each layer of the encoder, and logits.
#include <tests/nn/seq2seq.hpp>

TEST(parity_bart, layers) { parity::check_layers<parity::family::bart>("bart"); }
TEST(parity_whisper, layers) { parity::check_layers<parity::family::whisper>("whisper"); }
