// SPDX-License-Identifier: BSL-1.0
// lstm: a recurrent layer with a memory.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/elementwise_operation.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/nn/layers/gate_functions.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `lstm`, those of PyTorch's nn.LSTM: entries of an input and of c, stacked layers, entries of h if a
/// projection makes it from the cell's output, and whether a second direction begins at the last step. Steps are the
/// second to last axis, or the first with `batch_first = false`, which is PyTorch's default.
struct lstm_options {
    width in, hidden;
    std::size_t layers = 1;
    width projection = 0;
    bool bidirectional = false;
    bool bias = true;
    bool batch_first = true;
};

namespace detail {

/// The formulas of `lstm`.
template <std::size_t Hidden, std::size_t Projection>
struct lstm_cell {
    static constexpr std::size_t gates = 4, out = Projection != 0 ? Projection : Hidden, memory = Hidden;

    /// What the inputs contribute to the gates of all steps.
    template <class Cell, any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto inputs_of(const Cell& cell, const Input& x) noexcept {
        return recurrent_inputs<true>(cell, x);
    }
    /// The next h, which is also stored to y if that is an array, and the next c, which is stored to next_c.
    template <class Recurrent, class Gates, class State, class Memory, class NextMemory, class Result>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto step_of(const Recurrent& weights, const Gates& x,
                                                                     const State& h, const Memory& c,
                                                                     NextMemory& next_c, Result& y) noexcept {
        return let(recurrent_product(weights, h) + x, [&](const auto& all) ASHLAR_LAMBDA_INLINE {
            using ashlar::detail::elementwise;
            const auto kept = elementwise(ashlar::detail::lstm_memory_function{}, gate<0, Hidden>(all),
                                          gate<1, Hidden>(all), gate<2, Hidden>(all), c);
            const auto shown =
                elementwise(ashlar::detail::lstm_output_function{}, gate<3, Hidden>(all), store(next_c, kept));
            if constexpr (Recurrent::has_projection)
                return stored_step(y, matmul(recurrent_rows<typename Recurrent::element>(shown), weights.weight_hr));
            else
                return stored_step(y, shown);
        });
    }
};

}  // namespace detail

/// Long short-term memory (Hochreiter and Schmidhuber 1997), as PyTorch's nn.LSTM computes it: [..., T, in] to
/// [..., T, out * directions]. With gates i, f, g, o = x W_ih + b_ih + h W_hh + b_hh, in this order, a step sets
/// c = sigmoid(f) * c + sigmoid(i) * tanh(g) and h = sigmoid(o) * tanh(c), with a projection times W_hr.
///
/// The inputs of all steps are multiplied as one product, then the steps follow one after the other. The call is a
/// sequence (`sequence_expression`). Members have PyTorch's names and layout: `weight_ih_l0` [4 * hidden, in],
/// `weight_hh_l0` [4 * hidden, out], `bias_ih_l0`, `bias_hh_l0`, `weight_hr_l0` [out, hidden], and the same with
/// `_reverse`. ONNX has the gates in the order i, o, f, g. 8-bit and bf16 weights are as those of `linear`.
///
///     static nn::lstm<{.in = 40, .hidden = 64}> listen{};
///     tensor<float, 100, 64> all = listen(x);          // x: tensor<float, 100, 40>
///     static decltype(listen)::state<> heard{};
///     tensor<float, 64> now = listen.step(row, heard);  // row: tensor<float, 40>
template <lstm_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct lstm
    : detail::recurrent_layer<Options, detail::lstm_cell<Options.hidden, Options.projection>, Element, Weight, Panel> {
    static_assert(detail::recurrent_projection<Options.projection, Options.hidden>::is_narrower,
                  "ashlar: nn: the projection of an lstm must be narrower than its hidden state; 0 is none");
};

}  // namespace ashlar::nn
