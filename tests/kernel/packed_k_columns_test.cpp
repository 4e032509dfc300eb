// SPDX-License-Identifier: BSL-1.0
// The last columns of a ragged product, several depth steps side by side, against naive loops in double precision.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

template <class T>
constexpr std::size_t width = lane_width<T, current_config>;

/// The bits of NaN, or of infinity: -ffast-math does not see through them.
template <class T>
T special(bool nan) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = std::numeric_limits<T>::digits;
    const bits infinity = bits(2 * std::numeric_limits<T>::max_exponent - 1) << (digits - 1);
    return std::bit_cast<T>(infinity | (nan ? bits{1} << (digits - 2) : bits{0}));
}

/// A product whose operands lie among NaN, one element off alignment; V's rows have a gap of 3.
template <class T, std::size_t I, std::size_t J, std::size_t K>
struct packed_product {
    static constexpr product_shape shape{.i = I, .j = J, .k = K, .si = K + 1, .sk = 1, .vk = J + 3};
    std::vector<T> s = std::vector<T>(1 + I * shape.si, special<T>(true));
    std::vector<T> v = std::vector<T>(1 + K * shape.vk, special<T>(true));
    std::vector<T> c = std::vector<T>(I * J + 1, T(-77));

    packed_product() {
        for (std::size_t k = 0; k < K; ++k) {
            for (std::size_t i = 0; i < I; ++i)
                left(i, k) = static_cast<T>(static_cast<int>((i * 31 + k * 17) % 23) - 11) / T(8);
            for (std::size_t j = 0; j < J; ++j)
                right(k, j) = static_cast<T>(static_cast<int>((k * 13 + j * 7) % 19) - 9) / T(4);
        }
    }
    T& left(std::size_t i, std::size_t k) { return s[1 + i * shape.si + k]; }
    T& right(std::size_t k, std::size_t j) { return v[1 + k * shape.vk + j]; }

    void run() {
        store_product<T, current_config, J> store{c.data()};
        product<T, current_config, shape>(s.data() + 1, v.data() + 1, store);
    }
    /// All results but those of one row, which the caller looks at.
    void expect_sums(std::size_t spared = I) {
        for (std::size_t i = 0; i < I; ++i)
            for (std::size_t j = 0; j < J && i != spared; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < K; ++k) sum += double(left(i, k)) * double(right(k, j));
                ASSERT_NEAR(c[i * J + j], sum, 1e-4) << i << ' ' << j;
            }
        ASSERT_EQ(c[I * J], T(-77));
    }
};

template <class T, std::size_t Columns, std::size_t K>
void check() {
    SCOPED_TRACE(testing::Message() << Columns << " columns, depth " << K);
    packed_product<T, 19, Columns, K> alone;
    alone.run();
    alone.expect_sums();
    packed_product<T, 19, width<T> + Columns, K> beside;
    beside.run();
    beside.expect_sums();
}

template <class T>
class packed_k_columns_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(packed_k_columns_test, element_types);

template <class T, std::size_t Columns>
void check_depths() {
    if constexpr (2 * Columns <= width<T> && Columns != 0) {
        check<T, Columns, width<T>>();
        check<T, Columns, width<T> + 1>();
        check<T, Columns, 2 * width<T> - 1>();
        check<T, Columns, 37>();
    }
}

TYPED_TEST(packed_k_columns_test, one_column) { check_depths<TypeParam, 1>(); }
TYPED_TEST(packed_k_columns_test, two_columns) { check_depths<TypeParam, 2>(); }
TYPED_TEST(packed_k_columns_test, three_columns) { check_depths<TypeParam, 3>(); }
TYPED_TEST(packed_k_columns_test, half_a_vector) {
    check_depths<TypeParam, width<TypeParam> / 2>();
    check_depths<TypeParam, width<TypeParam> / 2 - 1>();
}

/// A depth smaller than a vector.
TYPED_TEST(packed_k_columns_test, shallow) {
    if constexpr (width<TypeParam> > 2) {
        check<TypeParam, 1, 11>();
        check<TypeParam, 2, 13>();
    }
}

/// Of steps that the last vector holds again, neither operand's infinity may be multiplied by zero.
TYPED_TEST(packed_k_columns_test, infinity_counts_once) {
#if !defined(__FAST_MATH__)
    using T = TypeParam;
    constexpr std::size_t rows = 21, depth = 2 * width<T> + 3, columns = width<T> + 1;
    for (std::size_t k = 0; k < depth; ++k) {
        packed_product<T, rows, columns, depth> x;
        for (std::size_t j = 0; j < columns; ++j) x.right(k, j) = 1;
        x.left(5, k) = special<T>(false);
        x.run();
        x.expect_sums(5);
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(x.c[5 * columns + j], special<T>(false)) << k << ' ' << j;

        packed_product<T, rows, columns, depth> y;
        for (std::size_t i = 0; i < rows; ++i) y.left(i, k) = 1;
        y.right(k, columns - 1) = special<T>(false);
        y.run();
        for (std::size_t i = 0; i < rows; ++i) {
            ASSERT_TRUE(std::isfinite(y.c[i * columns])) << k << ' ' << i;
            ASSERT_EQ(y.c[i * columns + columns - 1], special<T>(false)) << k << ' ' << i;
        }
    }
#endif
}

/// The depth need not divide: what is packed would otherwise take as many steps as a full vector.
static_assert(
    lane_width<float, current_config> == 1 || !shuffles<float, lane_width<float, current_config>, current_config>() ||
    cut_product<float, current_config, product_shape{33, 2 * width<float> + 1, 33, 33, 1, 2 * width<float> + 1}>.cut.last_steps ==
        width<float>);

}  // namespace
