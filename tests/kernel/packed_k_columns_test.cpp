// SPDX-License-Identifier: BSL-1.0
// The last columns of a ragged product, several depth steps side by side, against naive loops in double precision.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::special;
using support::width;

/// A product whose operands lie among NaN, one element off alignment; V's rows have a gap of 3.
template <class T, std::size_t I, std::size_t J, std::size_t K>
struct packed_product : support::product_operands<T> {
    static constexpr product_shape constant{.i = I, .j = J, .k = K, .si = K + 1, .sk = 1, .vk = J + 3};
    std::vector<T> c = std::vector<T>(I * J + 1, T(-77));

    packed_product() : support::product_operands<T>(constant) { this->surround_by_nan(); }
    void run() {
        store_product<T, current_config, J> store{c.data()};
        product<T, current_config, constant>(this->scalars(), this->vectors(), store);
    }
    /// All results but those of one row, which the caller looks at.
    void expect_sums(std::size_t spared = I) {
        this->expect(c.data(),
                     [&](std::size_t i, std::size_t j) { return i == spared ? support::anything : this->sum(i, j); });
        ASSERT_EQ(c.back(), T(-77));
    }
};

template <class T, std::size_t Columns, std::size_t K>
void check() {
    constexpr std::size_t rows = 19;
    packed_product<T, rows, Columns, K> alone;
    alone.run();
    alone.expect_sums();
    packed_product<T, rows, width<T> + Columns, K> beside;
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

TYPED_TEST(packed_k_columns_test, every_width) {
    check_depths<TypeParam, 1>();
    check_depths<TypeParam, 2>();
    check_depths<TypeParam, 3>();
    check_depths<TypeParam, width<TypeParam> / 2>();
    if constexpr (width<TypeParam> > 2) check<TypeParam, 2, 13>();  // a depth smaller than a vector
}

/// Of steps that the last vector holds again, neither operand's infinity may be multiplied by zero.
TYPED_TEST(packed_k_columns_test, infinity_counts_once) {
#if !defined(__FAST_MATH__)
    using T = TypeParam;
    constexpr std::size_t rows = 21, depth = 2 * width<T> + 3, columns = width<T> + 1;
    for (std::size_t k = 0; k < depth; ++k) {
        packed_product<T, rows, columns, depth> x;
        for (std::size_t j = 0; j < columns; ++j) x.vector(k, j) = 1;
        x.scalar(5, k) = special<T>(false);
        x.run();
        x.expect_sums(5);
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(x.c[5 * columns + j], special<T>(false)) << k << ' ' << j;

        packed_product<T, rows, columns, depth> y;
        for (std::size_t i = 0; i < rows; ++i) y.scalar(i, k) = 1;
        y.vector(k, columns - 1) = special<T>(false);
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
