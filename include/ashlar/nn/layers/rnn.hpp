// SPDX-License-Identifier: BSL-1.0
// rnn: a recurrent layer without gates.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/nn/layers/activation.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `rnn`, those of PyTorch's nn.RNN, whose nonlinearity is tanh or relu; see `lstm_options`.
struct rnn_options {
    width in, hidden;
    std::size_t layers = 1;
    nn::activation activation = nn::activation::tanh;
    bool bidirectional = false;
    bool bias = true;
    bool batch_first = true;
};

namespace detail {

/// The formulas of `rnn`.
template <std::size_t Hidden, activation Activation>
struct rnn_cell {
    static constexpr std::size_t gates = 1, out = Hidden, memory = 0;

    /// What the inputs contribute to the sums of all steps.
    template <class Cell, any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto inputs_of(const Cell& cell, const Input& x) noexcept {
        return recurrent_inputs<true>(cell, x);
    }
    /// The next h, which is also stored to y if that is an array.
    template <class Recurrent, class Gates, class State, class Memory, class NextMemory, class Result>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto step_of(const Recurrent& weights, const Gates& x,
                                                                     const State& h, const Memory&, NextMemory&,
                                                                     Result& y) noexcept {
        return stored_step(y, activate<Activation>(recurrent_product(weights, h) + x));
    }
};

}  // namespace detail

/// h = activation(x W_ih + b_ih + h W_hh + b_hh) (Elman 1990), as PyTorch's nn.RNN computes it: [..., T, in] to
/// [..., T, hidden * directions]. Members, evaluation, weights and states are as those of `lstm`, without c.
///
///     static nn::rnn<{.in = 40, .hidden = 64}> follow{};
///     tensor<float, 100, 64> all = follow(x);   // x: tensor<float, 100, 40>
template <rnn_options Options, class Element = float, class Weight = Element, std::size_t Panel = detail::panel<Weight>>
struct rnn
    : detail::recurrent_layer<Options, detail::rnn_cell<Options.hidden, Options.activation>, Element, Weight, Panel> {};

}  // namespace ashlar::nn
