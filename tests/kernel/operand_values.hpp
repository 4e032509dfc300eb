// SPDX-License-Identifier: BSL-1.0
// Elements of the operands of kernels, and the sums that their products must have.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/product.hpp>

namespace support {

template <class T>
inline constexpr std::size_t width = ashlar::lane_width<T>;

/// Small values without a pattern that a wrong index could hide behind.
template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
    std::vector<T> result(count);
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>(static_cast<int>(seed >> 16) % 257 - 128) / T(64);
    }
    return result;
}

/// NaN or infinity by its bits: -ffast-math does not see through them.
template <class T>
T special(bool nan) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = std::numeric_limits<T>::digits;
    const bits infinity = bits(2 * std::numeric_limits<T>::max_exponent - 1) << (digits - 1);
    return std::bit_cast<T>(infinity | (nan ? bits{1} << (digits - 2) : bits{0}));
}

template <class T>
double tolerance(std::size_t depth) {
    return 8 * static_cast<double>(depth) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Calls f with each size that an axis is tested at, as a constant.
template <class T, class Function>
void for_each_size(Function f) {
    [&]<std::size_t... Size>(std::index_sequence<Size...>) {
        (f(std::integral_constant<std::size_t, Size>{}), ...);
    }(std::index_sequence < 1, width<T> == 1 ? 2 : width<T> - 1, width<T>, width<T> + 1, 17, 31, 37, 64 > {});
}

/// What `product_operands::expect` does not look at.
inline constexpr double anything = 1e300;

/// The operands of a product in buffers that end with their last element and start one element off alignment. They are
/// compiled once for all shapes, of which there are hundreds.
template <class T>
struct product_operands {
    ashlar::detail::product_shape p;
    std::vector<T> s, v;

    [[gnu::noinline]] explicit product_operands(const ashlar::detail::product_shape& shape)
        : p(shape),
          s(values<T>((p.i - 1) * p.si + (p.k - 1) * p.sk + 2, 1)),
          v(values<T>((p.k - 1) * p.vk + (p.padded ? (p.j + width<T> - 1) / width<T> * width<T> : p.j) + 1, 2)) {}

    /// Before the first element, in gaps between rows and behind the last element is NaN.
    [[gnu::noinline]] void surround_by_nan() {
        s.resize(1 + p.i * p.si);
        v.resize(1 + p.k * p.vk);
        for (std::size_t n = 0; n < s.size(); ++n)
            if (n == 0 || (n - 1) % p.si >= p.k) s[n] = special<T>(true);
        for (std::size_t n = 0; n < v.size(); ++n)
            if (n == 0 || (n - 1) % p.vk >= p.j) v[n] = special<T>(true);
    }

    const T* scalars() const { return s.data() + 1; }
    const T* vectors() const { return v.data() + 1; }
    T& scalar(std::size_t i, std::size_t k) { return s[1 + i * p.si + k * p.sk]; }
    T& vector(std::size_t k, std::size_t j) { return v[1 + k * p.vk + j]; }
    double term(std::size_t i, std::size_t k, std::size_t j) const {
        return double(scalars()[i * p.si + k * p.sk]) * double(vectors()[k * p.vk + j]);
    }
    [[gnu::noinline]] double sum(std::size_t i, std::size_t j, std::size_t first, std::size_t last) const {
        double total = 0;
        for (std::size_t k = first; k < last; ++k) total += term(i, k, j);
        return total;
    }
    double sum(std::size_t i, std::size_t j) const { return sum(i, j, 0, p.k); }

    /// c, whose rows have no gaps, holds `expected(i, j)`.
    [[gnu::noinline]] void expect(const T* c, const std::function<double(std::size_t, std::size_t)>& expected) const {
        SCOPED_TRACE(testing::Message() << p.i << " x " << p.j << " x " << p.k << " strides " << p.si << ' ' << p.sk
                                        << ' ' << p.vk << " padded " << p.padded);
        for (std::size_t i = 0; i < p.i; ++i)
            for (std::size_t j = 0; j < p.j; ++j)
                if (const double sum = expected(i, j); sum != anything) {
                    ASSERT_NEAR(c[i * p.j + j], sum, tolerance<T>(p.k)) << i << ' ' << j;
                }
    }
    void expect_product(const T* c) const {
        expect(c, [&](std::size_t i, std::size_t j) { return sum(i, j); });
    }
};

}  // namespace support
