// SPDX-License-Identifier: BSL-1.0
// Initial values of weights, those of PyTorch from the same seed: torch.rand, torch.randn, torch.nn.init.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/nn/transformers/generator.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::init {

namespace detail {

/// Whether memory can be filled with random numbers.
template <class Array>
struct random_elements {
    static constexpr bool possible =
        std::is_same_v<element_of<Array>, float> || std::is_same_v<element_of<Array>, double>;
};

template <class Array>
ASHLAR_ALWAYS_INLINE constexpr bool check_elements() noexcept {
    static_assert(random_elements<std::remove_cvref_t<Array>>::possible,
                  "ashlar: init: random numbers are float or double; fill such a tensor and cast<T> it");
    return random_elements<std::remove_cvref_t<Array>>::possible;
}

/// Writes the i-th element in row-major order.
template <class Array>
struct put_in_order {
    decltype(std::declval<Array&>().begin()) first;
    using stored = typename std::remove_cvref_t<Array>::value_type;

    template <class Element>
    ASHLAR_ALWAYS_INLINE constexpr void operator()(std::size_t i, Element value) const noexcept {
        *(first + static_cast<std::ptrdiff_t>(i)) = static_cast<stored>(value);
    }
};

/// Fan-in and fan-out of a weight [out, in, ...].
struct fans {
    std::size_t in, out;
};
/// Whether a shape is that of a weight.
template <class Shape>
struct weight_rank {
    static constexpr bool suffices = Shape::rank >= 2;
};
template <class Shape>
consteval fans fans_of() {
    static_assert(weight_rank<Shape>::suffices,
                  "ashlar: init: a weight must have at least two axes, [out, in]; use uniform or normal");
    if constexpr (Shape::rank >= 2)
        return {Shape::size / Shape::extents[0], Shape::size / Shape::extents[1]};
    else
        return {1, 1};
}

/// torch.nn.init's bounds, computed by the same operations in double.
template <class Config = current_config>
constexpr double kaiming_deviation(std::size_t fan_in, double a) noexcept {
    return root(2.0 / (1 + a * a)) / root(static_cast<double>(fan_in));
}
template <class Config = current_config>
constexpr double xavier_deviation(fans f, double gain) noexcept {
    return gain * root(2.0 / static_cast<double>(f.in + f.out));
}

}  // namespace detail

/// Fills a tensor or view with uniform numbers in [low, high), as Tensor.uniform_: floats are equal bit by bit. The
/// last bit of doubles may differ, unless low is 0 and high 1.
///
///     nn::init::uniform(weight, random, -0.1, 0.1);
template <array_expression Array, class Config = current_config>
constexpr void uniform(Array&& array, generator& random, double low = 0, double high = 1) noexcept {
    using Element = element_of<Array>;
    if constexpr (detail::check_elements<Array>())
        detail::draw_uniform(random, shape_of<Array>::size, static_cast<Element>(low), static_cast<Element>(high),
                             detail::put_in_order<Array>{array.begin()});
}

/// Fills a tensor or view with normal numbers, those of Tensor.normal_: up to 15 numbers one by one in double, 16 or
/// more in blocks, which draw other numbers. A float differs from PyTorch's by less than 1e-6 of the deviation, as its
/// logarithms and sines are approximations that depend on the machine; a double by a few 1e-16.
///
///     nn::init::normal(table, random);
template <array_expression Array, class Config = current_config>
constexpr void normal(Array&& array, generator& random, double mean = 0, double deviation = 1) noexcept {
    if constexpr (detail::check_elements<Array>())
        detail::draw_normal<element_of<Array>>(random, shape_of<Array>::size, mean, deviation,
                                               detail::put_in_order<Array>{array.begin()});
}

/// torch.rand: a tensor of the given dimensions, uniform in [0, 1), with the bits of PyTorch.
///
///     const auto x = nn::init::rand<float, 32, 64>(random);   // random: an nn::init::generator
template <class Element, auto... Dims, class Config = current_config>
[[nodiscard]] constexpr tensor<Element, Dims...> rand(generator& random) noexcept {
    tensor<Element, Dims...> result{};
    uniform(result, random);
    return result;
}
/// torch.randn: standard normal, as `normal`.
///
///     const auto x = nn::init::randn<float, 32, 64>(random);
template <class Element, auto... Dims, class Config = current_config>
[[nodiscard]] constexpr tensor<Element, Dims...> randn(generator& random) noexcept {
    tensor<Element, Dims...> result{};
    normal(result, random);
    return result;
}

/// torch.nn.init.kaiming_uniform_ of a weight [out, in] (He et al. 2015): within gain * sqrt(3 / in), where the gain
/// sqrt(2 / (1 + a^2)) is that of a leaky relu. `a` is the square root of 5 in PyTorch's nn.Linear, 0 for a relu.
///
///     nn::init::kaiming_uniform(weight, random);   // weight: tensor<float, out, in>
template <array_expression Array, class Config = current_config>
constexpr void kaiming_uniform(Array&& weight, generator& random, double a = 0) noexcept {
    const double bound = detail::root(3.0) * detail::kaiming_deviation(detail::fans_of<shape_of<Array>>().in, a);
    uniform(weight, random, -bound, bound);
}
/// Fills an array of any shape as torch.nn.init.kaiming_normal_ does.
///
///     nn::init::kaiming_normal(weight, random);
template <array_expression Array, class Config = current_config>
constexpr void kaiming_normal(Array&& weight, generator& random, double a = 0) noexcept {
    normal(weight, random, 0, detail::kaiming_deviation(detail::fans_of<shape_of<Array>>().in, a));
}
/// torch.nn.init.xavier_uniform_ of a weight [out, in] (Glorot and Bengio 2010): within gain * sqrt(6 / (in + out)).
///
///     nn::init::xavier_uniform(weight, random);
template <array_expression Array, class Config = current_config>
constexpr void xavier_uniform(Array&& weight, generator& random, double gain = 1) noexcept {
    const double bound = detail::root(3.0) * detail::xavier_deviation(detail::fans_of<shape_of<Array>>(), gain);
    uniform(weight, random, -bound, bound);
}
/// Fills an array of any shape as torch.nn.init.xavier_normal_ does.
///
///     nn::init::xavier_normal(weight, random, 0.5);
template <array_expression Array, class Config = current_config>
constexpr void xavier_normal(Array&& weight, generator& random, double gain = 1) noexcept {
    normal(weight, random, 0, detail::xavier_deviation(detail::fans_of<shape_of<Array>>(), gain));
}

/// The weight [out, in] of nn.Linear as its constructor makes it.
///
///     nn::init::linear_weight(weight, random);   // the weight first, then the bias, as PyTorch draws them
template <array_expression Array, class Config = current_config>
constexpr void linear_weight(Array&& weight, generator& random) noexcept {
    kaiming_uniform(weight, random, detail::root(5.0));
}
/// The bias [out] of nn.Linear as its constructor makes it, after the weight: within 1 / sqrt(in).
///
///     nn::init::linear_bias(offsets, 64, random);   // of a layer with 64 inputs
template <array_expression Array, class Config = current_config>
constexpr void linear_bias(Array&& bias, std::size_t in, generator& random) noexcept {
    const double bound = 1 / detail::root(static_cast<double>(in));
    uniform(bias, random, -bound, bound);
}

}  // namespace ashlar::nn::init
