// SPDX-License-Identifier: BSL-1.0
// BART, layer by layer.
#include <tests/nn/seq2seq.hpp>

TEST(parity_bart, layers) { parity::check_layers<parity::family::bart>("bart"); }
