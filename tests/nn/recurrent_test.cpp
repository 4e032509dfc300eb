// SPDX-License-Identifier: BSL-1.0
// Recurrent layers against loops over their state dicts, which have PyTorch's names and gate order.
#include <tests/support/recurrent.hpp>

namespace {

using namespace ashlar;
using support::check_recurrent;

TEST(recurrent, lstm) {
    check_recurrent<nn::lstm<{.in = 1, .hidden = 1, .bias = false}>, 1, 1>();
    check_recurrent<nn::lstm<{.in = 6, .hidden = 33, .projection = 4}, double>, 5>(1e-12);
    check_recurrent<
        nn::lstm<{.in = 5, .hidden = 9, .layers = 2, .projection = 4, .bidirectional = true, .batch_first = false}>, 7,
        3>();
}
TEST(recurrent, gru) {
    check_recurrent<nn::gru<{.in = 16, .hidden = 16}>, 11, 3>();
    check_recurrent<nn::gru<{.in = 5, .hidden = 9, .layers = 2, .bias = false, .batch_first = false}>, 7>();
}
TEST(recurrent, rnn) {
    check_recurrent<nn::rnn<{.in = 5, .hidden = 7}>, 9>();
    check_recurrent<nn::rnn<{.in = 5, .hidden = 9, .layers = 2, .activation = nn::activation::relu, .bias = false}>, 7>(
        1e-5);
}

}  // namespace
