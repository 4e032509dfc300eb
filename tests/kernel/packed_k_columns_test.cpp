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

/// A product whose operands lie among NaN, one element off alignment; V's rows have a gap of 3. What does not depend on
/// the shape is compiled once for all of them.
template <class T>
struct packed_operands {
    product_shape shape;
    std::vector<T> s = std::vector<T>(1 + shape.i * shape.si, special<T>(true));
    std::vector<T> v = std::vector<T>(1 + shape.k * shape.vk, special<T>(true));
    std::vector<T> c = std::vector<T>(shape.i * shape.j + 1, T(-77));

    [[gnu::noinline]] explicit packed_operands(const product_shape& p) : shape(p) {
        for (std::size_t k = 0; k < shape.k; ++k) {
            for (std::size_t i = 0; i < shape.i; ++i)
                left(i, k) = static_cast<T>(static_cast<int>((i * 31 + k * 17) % 23) - 11) / T(8);
            for (std::size_t j = 0; j < shape.j; ++j)
                right(k, j) = static_cast<T>(static_cast<int>((k * 13 + j * 7) % 19) - 9) / T(4);
        }
    }
    T& left(std::size_t i, std::size_t k) { return s[1 + i * shape.si + k]; }
    T& right(std::size_t k, std::size_t j) { return v[1 + k * shape.vk + j]; }

    /// All results but those of one row, which the caller looks at.
    [[gnu::noinline]] void expect_sums(std::size_t spared) {
        SCOPED_TRACE(testing::Message() << shape.j << " columns, depth " << shape.k);
        for (std::size_t i = 0; i < shape.i; ++i)
            for (std::size_t j = 0; j < shape.j && i != spared; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < shape.k; ++k) sum += double(left(i, k)) * double(right(k, j));
                ASSERT_NEAR(c[i * shape.j + j], sum, 1e-4) << i << ' ' << j;
            }
        ASSERT_EQ(c[shape.i * shape.j], T(-77));
    }
};
template <class T, std::size_t I, std::size_t J, std::size_t K>
struct packed_product : packed_operands<T> {
    static constexpr product_shape constant{.i = I, .j = J, .k = K, .si = K + 1, .sk = 1, .vk = J + 3};
    packed_product() : packed_operands<T>(constant) {}
    void run() {
        store_product<T, current_config, J> store{this->c.data()};
        product<T, current_config, constant>(this->s.data() + 1, this->v.data() + 1, store);
    }
};

template <class T, std::size_t Columns, std::size_t K>
void check() {
    constexpr std::size_t rows = 19;
    packed_product<T, rows, Columns, K> alone;
    alone.run();
    alone.expect_sums(rows);
    packed_product<T, rows, width<T> + Columns, K> beside;
    beside.run();
    beside.expect_sums(rows);
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
