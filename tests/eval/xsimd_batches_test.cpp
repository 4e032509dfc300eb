// SPDX-License-Identifier: BSL-1.0
// Functions of xsimd in the functions of users: lanes become batches and come back.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/kernel/xsimd.hpp>

using namespace ashlar;

namespace {

/// From -2 on, no two alike.
template <class T, std::size_t... Extents>
tensor<T, Extents...> values() {
    tensor<T, Extents...> x;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(0.125 * static_cast<double>(i) - 2.0);
    return x;
}

[[gnu::noinline]] void expect_near(const double* got, const double* wanted, std::size_t count, double bound) {
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(got[i], wanted[i], bound * (1 + std::abs(wanted[i]))) << i;
}
/// Compares elements with f of those of x.
template <class Tensor, class Function>
void expect_values(const Tensor& got, Function f, double bound = 0) {
    double left[Tensor::size], right[Tensor::size];
    for (std::size_t i = 0; i < Tensor::size; ++i) {
        left[i] = static_cast<double>(got.data()[i]);
        right[i] = static_cast<double>(f(i));
    }
    expect_near(left, right, Tensor::size, bound);
}

template <class Element>
void conversions() {
    constexpr std::size_t width = lane_width<Element>;
    using vector = lanes<Element, width>;
    using mask = lane_mask<Element, width>;
    Element from[width], to[width];
    for (std::size_t i = 0; i < width; ++i) from[i] = static_cast<Element>(3 * i + 1);
    const auto v = vector::load(from);

    const auto b = xsimd::batch(v);
    static_assert(decltype(b)::size == width && sizeof(typename decltype(b)::value_type) == sizeof(Element));
    for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(static_cast<Element>(b.get(i)), from[i]);
    const vector back = b + v;
    back.store(to);
    for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(to[i], static_cast<Element>(2 * from[i]));
    static_assert(std::is_same_v<decltype(lanes(b)), lanes<typename decltype(b)::value_type, width>>);

    const mask odd = v % 2 == vector(1);
    const auto truths = xsimd::batch_bool(odd);
    const mask again = !truths;
    for (std::size_t i = 0; i < width; ++i) {
        EXPECT_EQ(truths.get(i), from[i] % 2 == 1);
        EXPECT_EQ(again[i], from[i] % 2 != 1);
    }
}

template <class T, std::size_t Columns>
void sines() {
    const double bound = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto x = values<T, 3, Columns>();
    const tensor<T, 3, Columns> y = map([](auto v) { return xsimd::sin(xsimd::batch(v)); }, x);
    expect_values(y, [&](std::size_t i) { return std::sin(static_cast<double>(x.data()[i])); }, bound);
}

template <class T>
void maps() {
    sines<T, 1>();
    sines<T, lane_width<T> - 1>();
    sines<T, lane_width<T>>();
    sines<T, lane_width<T> + 1>();
    sines<T, 37>();

    const double bound = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto x = values<T, 3, 37>();
    const auto at = [&](std::size_t i) { return x.data()[i]; };
    // Two arguments, one of them broadcast; batches and lanes meet.
    const auto row = values<T, 37>();
    const tensor<T, 3, 37> z =
        map([](auto v, auto w) { return xsimd::fma(xsimd::batch(v), xsimd::batch(w), xsimd::batch(v)) - w; }, x, row);
    expect_values(z, [&](std::size_t i) { return at(i) * (row(i % 37) + T(1)) - row(i % 37); }, bound);

    const tensor<bool, 3, 37> above = map([](auto v) { return xsimd::batch(v) > xsimd::batch(v) * v; }, x);
    expect_values(above, [&](std::size_t i) { return at(i) > at(i) * at(i); });
    const tensor<T, 3, 37> chosen = map(
        [](auto keep, auto v) {
            const xsimd::batch b(v);
            return xsimd::select(xsimd::batch_bool(keep), b, -b);
        },
        above, x);
    expect_values(chosen, [&](std::size_t i) { return above.data()[i] ? at(i) : -at(i); });
    const tensor<T, 3, 37> selected = map(
        [](auto v) {
            const decltype(v < v) negative = xsimd::batch(v) < T(0);
            return select(negative, v * T(2), xsimd::abs(xsimd::batch(v)));
        },
        x);
    expect_values(selected, [&](std::size_t i) { return at(i) < 0 ? 2 * at(i) : at(i); });
}

/// Counts arguments that are no elements.
struct strangers {
    static inline int count = 0;
    template <class Lanes>
    auto operator()(Lanes v) const {
        const xsimd::batch b(v);
        if (xsimd::any(b < 1 || b > 37)) ++count;
        return b;
    }
};

TEST(XsimdBatches, LanesOfIntegersConvert) {
    conversions<std::int32_t>();
    conversions<std::uint32_t>();
    conversions<std::int64_t>();
    conversions<long>();
    conversions<std::int8_t>();
    conversions<std::uint16_t>();
}

TEST(XsimdBatches, MapsOfFloat) { maps<float>(); }

TEST(XsimdBatches, MapsOfDouble) {
    if constexpr (detail::in_register<double, lane_width<double>, current_config>() ||
                  detail::emulated_bits<current_config> != 0)
        maps<double>();
}

TEST(XsimdBatches, MapsOfIntegers) {
    tensor<std::int32_t, 5, 7> x, y;
    for (int i = 0; i < 35; ++i) {
        x.data()[i] = 40 - i;
        y.data()[i] = 3 * i;
    }
    const tensor<std::int32_t, 5, 7> z =
        map([](auto a, auto b) { return xsimd::max(xsimd::batch(a), xsimd::batch(b)) << 2; }, x, y);
    expect_values(z, [&](std::size_t i) { return 4 * (x.data()[i] > y.data()[i] ? x.data()[i] : y.data()[i]); });
}

TEST(XsimdBatches, IdleLanesRepeatElements) {
    tensor<float, 37> x;
    for (int i = 0; i < 37; ++i) x(i) = static_cast<float>(i + 1);
    const tensor<float, 37> y = map(strangers{}, x);
    EXPECT_EQ(strangers::count, 0);
    expect_values(y, [&](std::size_t i) { return x.data()[i]; });
}

TEST(XsimdBatches, ScoresOfAttention) {
    const auto q = values<float, 9, 8>();
    const tensor<float, 9, 8> ours =
        attention(q, q, q, causal, scale(0.02f), score_mod([](auto s, auto, auto) { return tanh(s); }));
    const tensor<float, 9, 8> theirs = attention(
        q, q, q, causal, scale(0.02f), score_mod([](auto s, auto, auto) { return xsimd::tanh(xsimd::batch(s)); }));
    expect_values(theirs, [&](std::size_t i) { return ours.data()[i]; }, 1e-5);
}

}  // namespace
