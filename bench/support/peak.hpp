// SPDX-License-Identifier: BSL-1.0
// The rate of multiply-adds that this core reaches now, which every share of peak is a share of.
#pragma once

#include <chrono>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/register_block.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::bench {

/// Seconds that one call of f takes, once.
template <class Function>
double seconds(Function&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs `rounds` times a chain of independent multiply-adds that never leave registers; returns something that
/// depends on all of them.
template <class T, class Config = current_config>
ASHLAR_NOINLINE T multiply_add_chain(std::size_t rounds) {
    using vec = lanes<T, lane_width<T, Config>, Config>;
    constexpr std::size_t chains = Config::registers >= 32 ? 20 : Config::registers >= 16 ? 10 : 4;
    vec sum[chains];
    const vec factor(T(0.5)), term(static_cast<T>(rounds));
    ASHLAR_UNROLL
    for (std::size_t c = 0; c < chains; ++c) sum[c] = vec(static_cast<T>(c));
    for (std::size_t round = 0; round < rounds; ++round) {
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < chains; ++c) sum[c] = fma(sum[c], factor, term);
    }
    ASHLAR_UNROLL
    for (std::size_t c = 1; c < chains; ++c) sum[0] = sum[0] + sum[c];
    T out[lane_width<T, Config>];
    sum[0].store(out);
    return out[0];
}

/// The best rate of multiply-adds over `tries` short runs, in FLOP/s (2 per multiply-add and lane).
template <class T, class Config = current_config>
double peak_flops(int tries = 3) {
    constexpr std::size_t chains = Config::registers >= 32 ? 20 : Config::registers >= 16 ? 10 : 4;
    constexpr std::size_t rounds = 4000;
    double best = 0;
    volatile T sink;
    for (int t = 0; t < tries; ++t) {
        const double time = seconds([&] { sink = multiply_add_chain<T, Config>(rounds); });
        const double rate = 2.0 * static_cast<double>(lane_width<T, Config> * chains * rounds) / time;
        if (rate > best) best = rate;
    }
    static_cast<void>(sink);
    return best;
}

}  // namespace ashlar::bench
