// SPDX-License-Identifier: BSL-1.0
// Recurrent layers as PyTorch constructs them: all arrays are drawn in their order in the file, with one bound.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <tests/nn/state.hpp>

#include <ashlar/nn.hpp>
#include <ashlar/nn/init/reset_parameters.hpp>

using namespace ashlar;
namespace init = nn::init;

namespace {

template <class Layer>
void expect_drawn_in_order() {
    init::generator random(7), other(7);
    static Layer m{};
    init::reset_parameters(m, random);
    const double bound = 1 / std::sqrt(static_cast<double>(Layer::hidden));
    std::size_t arrays = 0;
    const auto state = state::of(m);
    nn::for_each_parameter(m, [&](const auto& p) {
        const auto& written = state.at(std::string(p.name));
        std::vector<float> drawn(written.size());
        for (float& x : drawn) {
            tensor<float, 1> one;
            init::uniform(one, other, -bound, bound);
            x = one(0);
        }
        for (std::size_t i = 0; i < drawn.size(); ++i)
            ASSERT_EQ(static_cast<float>(written.values[i]), drawn[i]) << p.name << ' ' << i;
        ++arrays;
    });
    EXPECT_EQ(arrays, state.size());
}

TEST(reset_recurrent, draws_arrays_in_order) {
    expect_drawn_in_order<nn::lstm<{.in = 3, .hidden = 5, .layers = 2, .projection = 2, .bidirectional = true}>>();
    expect_drawn_in_order<nn::gru<{.in = 6, .hidden = 4, .layers = 3}>>();
    expect_drawn_in_order<nn::rnn<{.in = 2, .hidden = 9, .bias = false}>>();
}

// nn.RNN(2, 2) begins as nn.Linear(2, 4, bias=False) does, whose first weight PyTorch prints for seed 1.
TEST(reset_recurrent, in_constant_expressions) {
    constexpr auto small = [] {
        init::generator random(1);
        return init::make<nn::rnn<{.in = 2, .hidden = 2}>>(random);
    }();
    static_assert(small.first_cells[0].weight_ih(0, 0) == 0.364346087f);
}

}  // namespace
