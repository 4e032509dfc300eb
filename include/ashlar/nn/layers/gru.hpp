// SPDX-License-Identifier: BSL-1.0
// gru: a recurrent layer with gates and without a memory of its own.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/elementwise_operation.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/nn/layers/gate_functions.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `gru`, those of PyTorch's nn.GRU; see `lstm_options`.
struct gru_options {
    width in, hidden;
    std::size_t layers = 1;
    bool bidirectional = false;
    bool bias = true;
    bool batch_first = true;
};

namespace detail {

/// The formulas of `gru`.
template <std::size_t Hidden>
struct gru_cell {
    static constexpr std::size_t gates = 3, out = Hidden, memory = 0;

    /// What the inputs contribute to the gates of all steps.
    template <class Cell, any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto inputs_of(const Cell& cell, const Input& x) noexcept {
        return recurrent_inputs<false>(cell, x);
    }
    /// The next h, which is also stored to y if that is an array.
    template <class Recurrent, class Gates, class State, class Memory, class NextMemory, class Result>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto step_of(const Recurrent& weights, const Gates& x,
                                                                     const State& h, const Memory&, NextMemory&,
                                                                     Result& y) noexcept {
        return let(recurrent_product_with_bias(weights, h), [&](const auto& all) ASHLAR_LAMBDA_INLINE {
            return stored_step(y, ashlar::detail::elementwise(ashlar::detail::gru_output_function{},
                                                              gate<0, Hidden>(x) + gate<0, Hidden>(all),
                                                              gate<1, Hidden>(x) + gate<1, Hidden>(all),
                                                              gate<2, Hidden>(x), gate<2, Hidden>(all), h));
        });
    }
};

}  // namespace detail

/// Gated recurrent units (Cho et al. 2014), as PyTorch's nn.GRU computes them: [..., T, in] to
/// [..., T, hidden * directions]. With gates r, z, n, in this order, of x W_ih + b_ih and h W_hh + b_hh, a step
/// computes n = tanh(x_n + sigmoid(x_r + h_r) * h_n) and sets h = n + sigmoid(x_z + h_z) * (h - n).
///
/// Members, evaluation, weights and states are as those of `lstm`, without c. ONNX has the gates in the order z, r, n,
/// and this formula where `linear_before_reset` is 1.
///
///     static nn::gru<{.in = 40, .hidden = 64, .bidirectional = true}> listen{};
///     tensor<float, 100, 128> features = listen(x);   // x: tensor<float, 100, 40>
template <gru_options Options, class Element = float, class Weight = Element, std::size_t Panel = detail::panel<Weight>>
struct gru : detail::recurrent_layer<Options, detail::gru_cell<Options.hidden>, Element, Weight, Panel> {};

}  // namespace ashlar::nn
