// SPDX-License-Identifier: BSL-1.0
// Kalman filters: a point at constant velocity from noisy positions, one filter and 20 of them side by side.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "support/check.hpp"
#include "support/kalman_filter.hpp"

using namespace kalman;
using namespace examples;

namespace {

constexpr std::size_t steps = 200, points = 20;
constexpr float dt = 0.1f, deviation = 0.5f;
constexpr model moves = constant_velocity(dt, 0.05f, deviation);
constexpr estimate<> unknown{.x = zeros<float, 1, state>(), .p = identity<float, 6>() * 100.0f};

/// Numbers of mean 0 and variance 1: sums of twelve uniform ones.
struct noise {
    std::uint32_t seed = 1;

    float next() {
        float total = -6;
        for (int i = 0; i < 12; ++i) {
            seed = seed * 1664525u + 1013904223u;
            total += static_cast<float>(seed >> 8) * 0x1p-24f;
        }
        return total;
    }
};

/// The position of a point at time t, along axis i.
float position(std::size_t point, float t, std::size_t i) {
    return static_cast<float>(i + 1) + static_cast<float>(point) + t * (static_cast<float>(i) - 0.7f);
}

measurements<> measure(std::size_t point, float t, noise& n) {
    measurements<> z;
    for (std::size_t i = 0; i < 3; ++i) z(0, i) = position(point, t, i) + deviation * n.next();
    return z;
}

// Every array of a step is on the stack, and their sizes are constants.
void known_before_it_runs() {
    title("known before it runs");
    using gain = decltype(solve_spd(tensor<float, measured, measured>{}, tensor<float, measured, state>{}));
    static_assert(workspace_bytes<gain> == 0 && flops<gain> == 104);
    check("the model is a constant", moves.transition(3, 0) == dt);
}

void one_filter() {
    title("one filter");
    noise n;
    estimate<> e = unknown;
    float of_measurements = 0, of_estimates = 0;
    for (std::size_t s = 1; s <= steps; ++s) {
        const float t = static_cast<float>(s) * dt;
        const measurements<> z = measure(0, t, n);
        e = update(moves, predict(moves, e), z);
        if (s <= steps / 2) continue;
        for (std::size_t i = 0; i < 3; ++i) {
            of_measurements += std::fabs(z(0, i) - position(0, t, i));
            of_estimates += std::fabs(e.x(0, i) - position(0, t, i));
        }
    }
    constexpr float count = 3.0f * static_cast<float>(steps / 2);
    std::printf("       mean error of a measurement %.3f, of the estimate %.3f\n",
                static_cast<double>(of_measurements / count), static_cast<double>(of_estimates / count));
    check("estimates are four times as good as measurements", 4 * of_estimates < of_measurements);
    check_near("velocity", slice<-1, 3, 6>(e.x), {{-0.7f, 0.3f, 1.3f}}, 0.15);
    check("its covariance is still positive definite", is_positive_definite(e.p));
}

// The same functions, one filter for each point: matrices of different points run in the lanes of a register.
void many_filters() {
    title("a batch of filters");
    std::array<noise, points> noises;
    std::array<estimate<>, points> alone;
    estimate<points> batch;
    for (std::size_t k = 0; k < points; ++k) {
        noises[k].seed = static_cast<std::uint32_t>(k);
        alone[k] = unknown;
        batch.x[k] = unknown.x;
        batch.p[k] = unknown.p;
    }
    for (std::size_t s = 1; s <= steps; ++s) {
        measurements<points> z;
        for (std::size_t k = 0; k < points; ++k) {
            const measurements<> own = measure(k, static_cast<float>(s) * dt, noises[k]);
            z[k] = own;
            alone[k] = update(moves, predict(moves, alone[k]), own);
        }
        batch = update(moves, predict(moves, batch), z);
    }
    check_near("the first state of the batch", eval(batch.x[0]), alone[0].x, 1e-3);
    check_near("the last one", eval(batch.x[points - 1]), alone[points - 1].x, 1e-3);
    check("all covariances are positive definite", all(is_positive_definite(batch.p)));
}

}  // namespace

int main() {
    known_before_it_runs();
    one_filter();
    many_filters();
    return report();
}
