// SPDX-License-Identifier: BSL-1.0
// Recurrent layers as naive loops in double precision over PyTorch's state dict.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/gru.hpp>
#include <ashlar/nn/layers/lstm.hpp>
#include <ashlar/nn/layers/rnn.hpp>

namespace support {

/// h and c of a cell, for one entry of the batch.
struct cell_state {
    std::vector<double> h, c;
};

/// One step of one layer in one direction, by the formulas of PyTorch's documentation. Gates is 4 for an lstm, 3 for a
/// gru and 1 for an rnn, whose nonlinearity is relu if Relu.
inline void reference_step(const state::dict& weights, const std::string& suffix, std::size_t gates, bool relu,
                           const std::vector<double>& x, cell_state& s) {
    const auto& ih = weights.at("weight_ih_l" + suffix);
    const auto& hh = weights.at("weight_hh_l" + suffix);
    const auto* bias_ih = state::find(weights, "bias_ih_l" + suffix);
    const auto* bias_hh = state::find(weights, "bias_hh_l" + suffix);
    const auto* hr = state::find(weights, "weight_hr_l" + suffix);
    const std::size_t width = ih.extents[0] / gates;
    std::vector<double> from_x(gates * width), from_h(gates * width);
    for (std::size_t g = 0; g < gates * width; ++g) {
        from_x[g] = bias_ih == nullptr ? 0 : bias_ih->values[g];
        from_h[g] = bias_hh == nullptr ? 0 : bias_hh->values[g];
        for (std::size_t k = 0; k < x.size(); ++k) from_x[g] += ih.values[g * x.size() + k] * x[k];
        for (std::size_t k = 0; k < s.h.size(); ++k) from_h[g] += hh.values[g * s.h.size() + k] * s.h[k];
    }
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    const auto both = [&](std::size_t gate, std::size_t j) {
        return from_x[gate * width + j] + from_h[gate * width + j];
    };
    std::vector<double> h(width);
    for (std::size_t j = 0; j < width; ++j) {
        if (gates == 4) {
            s.c[j] = sigmoid(both(1, j)) * s.c[j] + sigmoid(both(0, j)) * std::tanh(both(2, j));
            h[j] = sigmoid(both(3, j)) * std::tanh(s.c[j]);
        } else if (gates == 3) {
            const double n = std::tanh(from_x[2 * width + j] + sigmoid(both(0, j)) * from_h[2 * width + j]);
            const double z = sigmoid(both(1, j));
            h[j] = (1 - z) * n + z * s.h[j];
        } else {
            h[j] = relu ? (both(0, j) > 0 ? both(0, j) : 0) : std::tanh(both(0, j));
        }
    }
    if (hr != nullptr) {
        std::vector<double> projected(hr->extents[0]);
        for (std::size_t o = 0; o < projected.size(); ++o)
            for (std::size_t j = 0; j < width; ++j) projected[o] += hr->values[o * width + j] * h[j];
        h = projected;
    }
    s.h = h;
}

/// All steps of one entry of the batch through all layers: rows [steps][out * directions]. States are by layer and then
/// direction, and hold the last step's afterwards.
inline std::vector<std::vector<double>> reference_recurrence(const state::dict& weights, std::size_t layers,
                                                             std::size_t directions, std::size_t gates, bool relu,
                                                             std::vector<std::vector<double>> x,
                                                             std::vector<cell_state>& states) {
    for (std::size_t l = 0; l < layers; ++l) {
        std::vector<std::vector<double>> y(x.size());
        for (std::size_t d = 0; d < directions; ++d) {
            const std::string suffix = std::to_string(l) + (d == 0 ? "" : "_reverse");
            cell_state& s = states[l * directions + d];
            std::vector<std::vector<double>> of_direction(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::size_t t = d == 0 ? i : x.size() - 1 - i;
                reference_step(weights, suffix, gates, relu, x[t], s);
                of_direction[t] = s.h;
            }
            for (std::size_t t = 0; t < x.size(); ++t)
                y[t].insert(y[t].end(), of_direction[t].begin(), of_direction[t].end());
        }
        x = y;
    }
    return x;
}

template <class Layer>
std::vector<cell_state> zero_states() {
    return std::vector<cell_state>(Layer::layer_count * Layer::directions,
                                   {std::vector<double>(Layer::out), std::vector<double>(Layer::hidden)});
}

template <class Layer>
constexpr bool is_relu() {
    if constexpr (requires { Layer::options.activation; })
        return Layer::options.activation == ashlar::nn::activation::relu;
    else
        return false;
}

/// The results of a layer for x [batch, steps, in], from zeros.
template <class Layer>
reference::array reference_recurrent(const state::dict& weights, const reference::array& x) {
    const std::size_t batch = x.extents[0], steps = x.extents[1], in = x.extents[2],
                      width = Layer::out * Layer::directions;
    reference::array y = reference::make({batch, steps, width});
    for (std::size_t b = 0; b < batch; ++b) {
        std::vector<std::vector<double>> rows(steps);
        for (std::size_t t = 0; t < steps; ++t)
            rows[t].assign(x.values.begin() + static_cast<std::ptrdiff_t>((b * steps + t) * in),
                           x.values.begin() + static_cast<std::ptrdiff_t>((b * steps + t + 1) * in));
        std::vector<cell_state> states = zero_states<Layer>();
        rows = reference_recurrence(weights, Layer::layer_count, Layer::directions, Layer::gates, is_relu<Layer>(),
                                    rows, states);
        for (std::size_t t = 0; t < steps; ++t)
            for (std::size_t o = 0; o < width; ++o) y.values[(b * steps + t) * width + o] = rows[t][o];
    }
    return y;
}

/// All elements within a tolerance.
template <class T>
[[gnu::noinline]] void expect_near_elements(const T* y, std::size_t size, const reference::array& wanted,
                                            double tolerance, const char* what) {
    ASSERT_EQ(size, wanted.size());
    for (std::size_t i = 0; i < size; ++i)
        ASSERT_NEAR(static_cast<double>(y[i]), wanted.values[i], tolerance) << what << " at " << i;
}
template <class Array>
void expect_near(const Array& y, const reference::array& wanted, double tolerance, const char* what) {
    expect_near_elements(y.data(), Array::shape_type::size, wanted, tolerance, what);
}

/// A layer against the loops: a batch of sequences from zeros and, of a layer with one direction, the first of them
/// step by step.
template <class Layer, std::size_t Steps, std::size_t Batch = 2>
void check_recurrent(double tolerance = 2e-6) {
    using namespace ashlar;
    using value = typename Layer::value_type;
    constexpr std::size_t width = Layer::out * Layer::directions;
    static Layer m{};
    state::randomise(m);
    constexpr bool batch_first = Layer::options.batch_first;
    constexpr std::size_t first = batch_first ? Batch : Steps, second = batch_first ? Steps : Batch;
    const auto x = support::random_numbers(6).normal<value, first, second, Layer::in>();
    const auto turned = [](const reference::array& a) { return batch_first ? a : reference::permute(a, {1, 0, 2}); };
    const reference::array expected = reference_recurrent<Layer>(state::of(m), turned(reference::of(x)));
    static tensor<value, first, second, width> y;
    y = m(x);
    expect_near(y, turned(expected), tolerance, "a batch");
    if constexpr (Layer::directions == 1) {
        static typename Layer::template state<> s;
        s.reset();
        reference::array sequence = reference::make({Steps, width});
        sequence.values.assign(expected.values.begin(),
                               expected.values.begin() + static_cast<std::ptrdiff_t>(Steps * width));
        static tensor<value, Steps, width> stepped;
        for (std::size_t t = 0; t < Steps; ++t)
            stepped[t] =
                m.step(tensor_view<const value, Layer::in>(&x(batch_first ? 0 : t, batch_first ? t : 0, 0)), s);
        expect_near(stepped, sequence, tolerance, "step by step");
    }
}

}  // namespace support
