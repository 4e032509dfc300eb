// SPDX-License-Identifier: BSL-1.0
// A Kalman filter of a point that moves at constant velocity in space and whose position is measured.
#pragma once

#include <ashlar/linalg.hpp>

namespace kalman {

using namespace ashlar;

inline constexpr axis<"state", 6> state;        // position, then velocity
inline constexpr axis<"measured", 3> measured;  // position

/// How the point moves and is measured. States are rows, as in a linear layer: the next state is x * transition. Every
/// product then reads rows of memory.
struct model {
    tensor<float, state, state> transition;
    tensor<float, state, state> process_noise;
    tensor<float, state, measured> measurement;
    tensor<float, measured, measured> measurement_noise;
};

/// Steps of `dt` seconds; accelerations and measured positions have these standard deviations.
constexpr model constant_velocity(float dt, float acceleration, float position) {
    model m{};
    const float variance = acceleration * acceleration;
    for (std::size_t i = 0; i < 3; ++i) {
        m.transition(i, i) = m.transition(i + 3, i + 3) = 1;
        m.transition(i + 3, i) = dt;
        m.measurement(i, i) = 1;
        m.measurement_noise(i, i) = position * position;
        m.process_noise(i, i) = variance * dt * dt * dt * dt / 4;
        m.process_noise(i, i + 3) = m.process_noise(i + 3, i) = variance * dt * dt * dt / 2;
        m.process_noise(i + 3, i + 3) = variance * dt * dt;
    }
    return m;
}

/// The estimated state and the covariance of its errors: of one filter, or of a batch of filters with the same model.
template <auto... Batch>
struct estimate {
    tensor<float, Batch..., 1, state> x;
    tensor<float, Batch..., state, state> p;
};
template <auto... Batch>
using measurements = tensor<float, Batch..., 1, measured>;

template <auto... Batch>
estimate<Batch...> predict(const model& m, const estimate<Batch...>& e) {
    const tensor<float, Batch..., state, state> moved = matmul(e.p, m.transition);
    return {.x = matmul(e.x, m.transition), .p = matmul(transpose(m.transition), moved) + m.process_noise};
}

template <auto... Batch>
estimate<Batch...> update(const model& m, const estimate<Batch...>& e, const measurements<Batch...>& z) {
    const tensor<float, Batch..., measured, state> cross = matmul(transpose(m.measurement), e.p);
    const auto innovation = matmul(cross, m.measurement) + m.measurement_noise;
    const tensor<float, Batch..., measured, state> gain = solve_spd(innovation, cross);
    return {.x = e.x + matmul(z - matmul(e.x, m.measurement), gain), .p = e.p - matmul(transpose(gain), cross)};
}

}  // namespace kalman
