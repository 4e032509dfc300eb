// SPDX-License-Identifier: BSL-1.0
// Tensors of random numbers, the same on every machine for the same seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include <ashlar/tensor/tensor.hpp>

namespace support {

/// Only std::mt19937 is used: the distributions of the standard library differ from one to another.
///
///     random_numbers random(1);
///     auto x = random.normal<float, 8, 4>();
class random_numbers {
public:
    explicit random_numbers(std::uint32_t seed) : engine(seed) {}

    /// A number of [0, 1).
    double unit() { return static_cast<double>(engine()) * 0x1p-32; }
    double normal_number() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }

    template <class Array>
    void fill_uniform(Array&& array, double low = -1, double high = 1) {
        for (auto& x : array) x = static_cast<std::remove_cvref_t<decltype(x)>>(low + (high - low) * unit());
    }
    template <class Array>
    void fill_normal(Array&& array, double mean = 0, double deviation = 1) {
        for (auto& x : array) x = static_cast<std::remove_cvref_t<decltype(x)>>(mean + deviation * normal_number());
    }

    /// Uniform in [low, high).
    template <class T, auto... Dims>
    ashlar::tensor<T, Dims...> uniform(double low = -1, double high = 1) {
        ashlar::tensor<T, Dims...> result;
        fill_uniform(result, low, high);
        return result;
    }
    template <class T, auto... Dims>
    ashlar::tensor<T, Dims...> normal(double mean = 0, double deviation = 1) {
        ashlar::tensor<T, Dims...> result;
        fill_normal(result, mean, deviation);
        return result;
    }
    /// Whole numbers in [low, high).
    template <class T, auto... Dims>
    ashlar::tensor<T, Dims...> whole(int low, int high) {
        ashlar::tensor<T, Dims...> result;
        for (T& x : result) x = static_cast<T>(low + static_cast<int>(unit() * (high - low)));
        return result;
    }
    /// True with the given probability.
    template <auto... Dims>
    ashlar::tensor<bool, Dims...> truths(double probability = 0.5) {
        ashlar::tensor<bool, Dims...> result;
        for (bool& x : result) x = unit() < probability;
        return result;
    }

private:
    std::mt19937 engine;
};

}  // namespace support
