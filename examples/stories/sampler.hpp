// SPDX-License-Identifier: BSL-1.0
// Choosing the next token from its scores: the best one, or by chance among the likely ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <ashlar/ashlar.hpp>

namespace stories {

/// Greedy at temperature 0; else a token is drawn from softmax(scores / temperature), restricted to the fewest tokens
/// whose probabilities sum up to top_p. The same seed draws the same tokens.
class sampler {
public:
    sampler(float heat, float likely, std::uint32_t seed) : temperature(heat), top_p(likely), random(seed) {}

    template <std::size_t N>
    int operator()(const ashlar::basic_tensor<float, N>& scores) {
        if (temperature <= 0) return static_cast<int>(ashlar::eval(ashlar::argmax<0>(scores))());
        const ashlar::tensor<float, N> probabilities = ashlar::softmax(scores * (1 / temperature));
        std::array<int, N> order;
        for (std::size_t i = 0; i < N; ++i) order[i] = static_cast<int>(i);
        const auto probability = [&](int token) { return probabilities(static_cast<std::size_t>(token)); };
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            return probability(a) != probability(b) ? probability(a) > probability(b) : a < b;
        });
        float kept = 0;
        std::size_t count = 0;
        while (count < N && (count == 0 || kept < top_p)) kept += probability(order[count++]);
        // 24 bits make every float in [0, 1) equally likely on every implementation.
        float left = static_cast<float>(random() >> 8) * 0x1p-24f * kept;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            left -= probability(order[i]);
            if (left < 0) return order[i];
        }
        return order[count - 1];
    }

private:
    float temperature, top_p;
    std::mt19937 random;
};

}  // namespace stories
