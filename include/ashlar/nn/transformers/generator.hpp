// SPDX-License-Identifier: BSL-1.0
// PyTorch's random numbers: the Mersenne Twister, and uniform and normal numbers made from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/nn/positions/angles.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn::init {

/// The generator behind torch.manual_seed on a CPU: mt19937 (Matsumoto and Nishimura 1998) and the unused second half
/// of a pair of normal numbers. Works in constant expressions. There is no global one: pass it along.
///
///     nn::init::generator random(123);                     // torch.manual_seed(123)
///     auto w = nn::init::rand<float, 3, 2>(random);        // torch.rand(3, 2), bit by bit
class generator {
public:
    /// The seed that PyTorch has at its start.
    static constexpr std::uint64_t default_seed = 67280421310721;

    /// From a seed, as `torch.manual_seed(seed)`.
    template <class Config = current_config>
    constexpr explicit generator(std::uint64_t seed = default_seed) noexcept {
        manual_seed<Config>(seed);
    }

    /// Starts again; only the lower 32 bits of the seed count, as in PyTorch.
    template <class Config = current_config>
    constexpr void manual_seed(std::uint64_t seed) noexcept {
        state[0] = static_cast<std::uint32_t>(seed & 0xffffffff);
        for (std::uint32_t i = 1; i < size; ++i) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
        used = size;
        has_normal = false;
    }

    /// 32 random bits.
    template <class Config = current_config>
    constexpr std::uint32_t next() noexcept {
        if (used == size) twist<Config>();
        std::uint32_t y = state[used++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        return y ^ (y >> 18);
    }
    /// 64 random bits: two times 32, the upper ones first.
    template <class Config = current_config>
    constexpr std::uint64_t next_wide() noexcept {
        const std::uint64_t upper = next<Config>();
        return upper << 32 | next<Config>();
    }

    /// Uniform in [low, high): 24 random bits for a float, 53 for a double. A float's result may round to high.
    template <class Element, class Config = current_config>
        requires(std::is_same_v<Element, float> || std::is_same_v<Element, double>)
    constexpr Element uniform(Element low, Element high) noexcept {
        if constexpr (std::is_same_v<Element, float>) {
            const double unit = static_cast<double>(next<Config>() & 0xffffff) * 0x1p-24;
            return static_cast<float>(unit * static_cast<double>(high - low) + static_cast<double>(low));
        } else {
            const double unit = static_cast<double>(next_wide<Config>() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
            return unit * (high - low) + low;
        }
    }

    /// Standard normal, one of a pair by Box and Muller's method in double; the next call returns the other one. Within
    /// a few 1e-16 of PyTorch's, whose logarithms and sines are libm's.
    template <class Config = current_config>
    constexpr double normal() noexcept {
        if (has_normal) {
            has_normal = false;
            return kept_normal;
        }
        const double u1 = uniform<double, Config>(0.0, 1.0), u2 = uniform<double, Config>(0.0, 1.0);
        const double radius = sqrt(log(1 - u2) * -2);
        const nn::detail::sine_cosine angle = nn::detail::sine_and_cosine(6.283185307179586 * u1);
        kept_normal = radius * angle.sine;
        has_normal = true;
        return radius * angle.cosine;
    }

private:
    static constexpr std::size_t size = 624, shift = 397;

    std::array<std::uint32_t, size> state{};
    std::size_t used = size;
    double kept_normal = 0;
    bool has_normal = false;

    template <class Config>
    constexpr void twist() noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t y = (state[i] & 0x80000000) | (state[i + 1 == size ? 0 : i + 1] & 0x7fffffff);
            state[i] =
                state[i + shift < size ? i + shift : i + shift - size] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
        }
        used = 0;
    }
};

namespace detail {

/// Sixteen normal numbers from sixteen uniform ones, as PyTorch computes them for contiguous tensors of at least 16:
/// the i-th of the first half and the i-th of the second half make a pair. Steps are rounded as PyTorch's are; its
/// float logarithms, sines and cosines are approximations, ours are rounded from double.
template <class Element, class Config = current_config>
constexpr std::array<Element, 16> normal_block(const std::array<Element, 16>& uniform, Element mean,
                                               Element deviation) noexcept {
    tensor<double, 8> u1;
    for (std::size_t j = 0; j < 8; ++j) u1(j) = static_cast<double>(Element(1) - uniform[j]);
    const tensor<Element, 8> radius = sqrt(cast<Element>(log(u1)) * Element(-2));
    std::array<Element, 16> result{};
    for (std::size_t j = 0; j < 8; ++j) {
        const Element theta = static_cast<Element>(6.283185307179586) * uniform[j + 8];
        const nn::detail::sine_cosine angle = nn::detail::sine_and_cosine(static_cast<double>(theta));
        const auto at = [&](double direction) {
            const Element product = radius(j) * static_cast<Element>(direction);
            return static_cast<Element>(static_cast<double>(product) * static_cast<double>(deviation) +
                                        static_cast<double>(mean));
        };
        result[j] = at(angle.cosine);
        result[j + 8] = at(angle.sine);
    }
    return result;
}

/// The numbers that PyTorch's uniform_ writes to `count` elements, in order, to put(i, value).
template <class Element, class Put, class Config = current_config>
constexpr void draw_uniform(generator& random, std::size_t count, Element low, Element high, Put&& put) noexcept {
    for (std::size_t i = 0; i < count; ++i) put(i, random.uniform(low, high));
}

/// The numbers that PyTorch's normal_ writes to `count` elements, to put(i, value); some twice, the second one counts.
template <class Element, class Put, class Config = current_config>
constexpr void draw_normal(generator& random, std::size_t count, double mean, double deviation, Put&& put) noexcept {
    if (count < 16) {
        for (std::size_t i = 0; i < count; ++i) put(i, static_cast<Element>(random.normal() * deviation + mean));
        return;
    }
    const auto block = [&](std::size_t first) {
        std::array<Element, 16> uniform{};
        for (Element& u : uniform) u = random.uniform(Element(0), Element(1));
        const std::array<Element, 16> normal =
            normal_block(uniform, static_cast<Element>(mean), static_cast<Element>(deviation));
        for (std::size_t j = 0; j < 16; ++j) put(first + j, normal[j]);
    };
    for (std::size_t i = 0; i + 16 <= count; i += 16) block(i);
    if (count % 16 != 0) {
        // All elements have a uniform number already; the last sixteen get new ones.
        for (std::size_t i = count - count % 16; i < count; ++i)
            static_cast<void>(random.uniform(Element(0), Element(1)));
        block(count - 16);
    }
}

/// The square root, correctly rounded, at compile time too.
template <class Config = current_config>
constexpr double root(double x) noexcept {
    return sqrt(x);
}

}  // namespace detail
}  // namespace ashlar::nn::init
