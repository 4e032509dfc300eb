// SPDX-License-Identifier: BSL-1.0
// Products of pairs of bf16 equal naive loops over the same numbers, whatever is behind the operands.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/grouped_rows.hpp>

#include "kernel/kernel_calls.hpp"
#include "kernel/math_errors.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t width = lane_width<float>;

/// The product of pairs for rows of V so far apart; `vector_distance` is that of panels side by side.
template <std::size_t I, std::size_t J, std::size_t K, std::size_t Distance, std::size_t VectorDistance = 0>
inline constexpr product_shape of_pairs = [] {
    product_shape p = in_groups({.i = I, .j = J, .k = K, .si = 0, .sk = 1, .vk = Distance, .vw = VectorDistance}, 2);
    p.cut = choose_cut(p, element_machine_of<float, current_config>, {.packs = false});
    return p;
}();

/// S as floats, rows with a gap, and V as bf16 that ends with its last element; sums of these numbers are exact.
template <std::size_t I, std::size_t J, std::size_t K, std::size_t Distance = J>
struct operands {
    static constexpr std::size_t stride = K + 3;
    std::vector<float> s = support::values<float>(I * stride, 1);
    std::vector<bf16> v;

    operands() {
        for (std::size_t i = 0; i < I; ++i)
            for (std::size_t k = K; k < stride; ++k) s[i * stride + k] = nan;
        for (const float x : support::values<float>((K - 1) * Distance + J, 2)) v.push_back(bf16(x));
        for (std::size_t k = 0; k + 1 < K; ++k)
            for (std::size_t j = J; j < Distance; ++j) v[k * Distance + j] = bf16(nan);
    }
    double sum(std::size_t i, std::size_t j) const {
        double total = 0;
        for (std::size_t k = 0; k < K; ++k)
            total += double(s[i * stride + k]) * double(static_cast<float>(v[k * Distance + j]));
        return total;
    }
    std::vector<float> product_of_pairs() const {
        std::vector<float> pairs(I * grouped_steps(K, 2) + 1, nan), c(I * J + 1, -77.0f);
        group_rows<current_config, K, stride>(s.data(), I, pairs.data());
        EXPECT_TRUE(std::isnan(pairs.back())) << "beyond its scratch";
        store_product<float, current_config, J> store{c.data()};
        constexpr product_shape shape = of_pairs<I, J, K, Distance>;
        product<float, current_config, shape>(pairs.data(), v.data(), constant_depth<0, shape.k>{}, store, nullptr);
        EXPECT_EQ(c.back(), -77.0f);
        return c;
    }
};

template <std::size_t I, std::size_t J, std::size_t K, std::size_t Distance = J>
void check() {
    const operands<I, J, K, Distance> x;
    const std::vector<float> c = x.product_of_pairs();
    for (std::size_t i = 0; i < I; ++i)
        for (std::size_t j = 0; j < J; ++j)
            ASSERT_EQ(double(c[i * J + j]), x.sum(i, j)) << I << " x " << J << " x " << K << ": " << i << ' ' << j;
}
template <std::size_t I, std::size_t J, std::size_t... K>
void check_depths() {
    (check<I, J, K>(), ...);
}

TEST(grouped_products, every_depth) {
    check_depths<1, width + 1, 1, 2, 3, 15, 16, 17, 31, 33, 64>();
    check_depths<5, 2 * width, 3, 4, 37>();
}
TEST(grouped_products, every_number_of_rows_and_columns) {
    check<2, width + 3, 13>();
    check<8, width + 3, 12>();
    check<37, 3 * width, 13>();
    check<3, 1, 9>();
    check<3, width == 1 ? 1 : width - 1, 9>();
    check<3, width, 9>();
    check<3, 37, 10>();
    check<1, 5 * width + 2, 11>();
}
TEST(grouped_products, rows_with_gaps_that_are_not_read) { check<6, 37, 9, 41>(); }

// Panels of one register, one behind the other: [panel][row][column].
TEST(grouped_products, panels_side_by_side) {
    constexpr std::size_t rows = 9, columns = 3 * width, depth = 21;
    const auto s = support::values<float>(rows * depth, 3), values = support::values<float>(depth * columns, 4);
    std::vector<bf16> v;
    for (const float x : values) v.push_back(bf16(x));
    std::vector<float> pairs(rows * grouped_steps(depth, 2)), c(rows * columns);
    group_rows<current_config, depth, depth>(s.data(), rows, pairs.data());
    store_product<float, current_config, columns> store{c.data()};
    constexpr product_shape shape = of_pairs<rows, columns, depth, width, depth * width>;
    product<float, current_config, shape>(pairs.data(), v.data(), constant_depth<0, shape.k>{}, store, nullptr);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            double total = 0;
            for (std::size_t k = 0; k < depth; ++k)
                total += double(s[i * depth + k]) * double(values[j / width * depth * width + k * width + j % width]);
            ASSERT_EQ(double(c[i * columns + j]), total) << i << ' ' << j;
        }
}

TEST(grouped_products, left_rows_are_rounded_to_the_nearest) {
    const float s[] = {1.00390625f, 1.01171875f, 1.0078125f, -1e-3f};
    float pairs[2];
    group_rows<current_config, 4, 4>(s, 1, pairs);
    for (std::size_t k = 0; k < 4; ++k) {
        // The first of a pair is the lower half of a lane.
        const std::size_t place = std::endian::native == std::endian::big ? k ^ 1 : k;
        bf16 rounded;
        std::memcpy(&rounded, reinterpret_cast<const char*>(pairs) + 2 * place, sizeof rounded);
        EXPECT_EQ(static_cast<float>(rounded), static_cast<float>(bf16(s[k]))) << k;
    }
}

TEST(grouped_products, infinities_and_nan_stay_in_their_rows_and_columns) {
    operands<3, width + 2, 5> x;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    x.s[0 * x.stride + 4] = infinity;  // beside the zero that makes the last pair whole
    x.s[1 * x.stride + 1] = nan;
    x.v[4 * (width + 2) + 1] = bf16(-infinity);
    x.v[3 * (width + 2) + 2] = bf16(nan);
    const std::vector<float> c = x.product_of_pairs();
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < width + 2; ++j) {
            const double expected = x.sum(i, j);
            const float got = c[i * (width + 2) + j];
            if (std::isnan(expected))
                EXPECT_TRUE(std::isnan(got)) << i << ' ' << j;
            else
                EXPECT_EQ(double(got), expected) << i << ' ' << j;
        }
}

/// One step of pairs, whose result the first lane has.
float step_of(const float (&left)[2], const float (&right)[2], float sum) {
    using vec = lanes<float, width>;
    using groups = element_groups<bf16, vec>;
    std::vector<bf16> rows(width, bf16(right[0]));
    rows.resize(2 * width, bf16(right[1]));
    float pair;
    group_rows<current_config, 2, 2>(left, 1, &pair);
    return groups::multiply_add(typename groups::left(pair), groups::template load<width, 2>(rows.data(), width),
                                vec(sum))[0];
}
/// Rounded to odd: toward zero, and the last bit set if that lost something.
float to_odd(double x) {
    auto nearest = static_cast<float>(x);
    if (double(nearest) == x) return nearest;
    if (std::abs(double(nearest)) > std::abs(x)) nearest = std::nextafter(nearest, 0.0f);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) | 1u);
}
// bfdot adds both products at once, unless FPCR.EBF is set.
TEST(grouped_products, a_step_is_two_multiply_adds_the_second_one_first) {
    constexpr bool adds_products = width == 4 && multiplies_pairs<width, current_config>;
    unsigned seed = 5;
    const auto next = [&](int digits) {
        seed = seed * 1664525u + 1013904223u;
        return std::ldexp(static_cast<float>(static_cast<int>(seed >> (32 - digits)) - (1 << (digits - 1))),
                          static_cast<int>(seed >> 3) % 8 - digits);
    };
    for (int n = 0; n < 5'000; ++n) {
        const float left[]{next(8), next(8)}, right[]{next(8), next(8)}, sum = next(24);
        const float expected =
            adds_products
                ? to_odd(double(sum) + double(to_odd(double(left[0] * right[0]) + double(left[1] * right[1]))))
                : std::fma(left[0], right[0], std::fma(left[1], right[1], sum));
        ASSERT_EQ(step_of(left, right, sum), expected) << n;
    }
}
// What docs/reference.md says of numbers below the smallest normal one.
TEST(grouped_products, an_instruction_takes_subnormal_numbers_for_zeros) {
#if defined(__ARM_NEON) && !defined(__aarch64__)
    constexpr bool flushes = true;  // multiply-adds are those of NEON by g++ too
#else
    constexpr bool flushes = multiplies_pairs<width, current_config> || support::flushes_subnormals<float>;
#endif
    const float large[]{0x1p120f, 0}, subnormal[]{0x1p-130f, 0};
    EXPECT_EQ(step_of(large, subnormal, 1), flushes ? 1.0f : 1.0f + 0x1p-10f);
    EXPECT_EQ(step_of(subnormal, large, 1), flushes ? 1.0f : 1.0f + 0x1p-10f);
}

}  // namespace
