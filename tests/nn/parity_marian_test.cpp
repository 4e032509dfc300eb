// SPDX-License-Identifier: BSL-1.0
// Marian, layer by layer.
#include <tests/nn/seq2seq.hpp>

TEST(parity_marian, layers) { parity::check_layers<parity::family::marian>("marian"); }
