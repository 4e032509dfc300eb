// SPDX-License-Identifier: BSL-1.0
// product_transposing_rhs with a transposed right operand, against naive loops in double precision.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::width;

/// The source lies among NaN, one element off alignment, and its rows have a gap of 3; nothing else may be read, and
/// nothing outside V written. Compiled once for all shapes.
template <class T>
struct operands {
    std::size_t rows, columns, depth, from = depth + 3;
    std::vector<T> s = std::vector<T>(rows * depth),
                   source = std::vector<T>(1 + columns * from, support::special<T>(true)),
                   v = std::vector<T>(1 + depth * columns + 1, T(-7)), c = std::vector<T>(rows * columns + 1, T(-7));

    [[gnu::noinline]] operands(std::size_t i, std::size_t j, std::size_t k) : rows(i), columns(j), depth(k) {
        for (std::size_t n = 0; n < s.size(); ++n) s[n] = static_cast<T>(static_cast<int>(n * 37 % 29) - 14) / T(8);
        for (j = 0; j < columns; ++j)
            for (k = 0; k < depth; ++k)
                source[1 + j * from + k] = static_cast<T>(static_cast<int>((j * 23 + k * 11) % 31) - 15) / T(8);
    }
    [[gnu::noinline]] void expect() const {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth);
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t k = 0; k < depth; ++k)
                ASSERT_EQ(v[1 + k * columns + j], source[1 + j * from + k]) << k << ' ' << j;
            for (std::size_t i = 0; i < rows; ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < depth; ++k)
                    sum += double(s[i * depth + k]) * double(source[1 + j * from + k]);
                ASSERT_NEAR(c[i * columns + j], sum, 1e-4) << i << ' ' << j;
            }
        }
        EXPECT_EQ(v.front(), T(-7));
        EXPECT_EQ(v.back(), T(-7));
        EXPECT_EQ(c.back(), T(-7));
    }
};

template <class T, std::size_t I, std::size_t J, std::size_t K>
void check() {
    constexpr product_shape P{.i = I, .j = J, .k = K, .si = K, .sk = 1, .vk = J};
    if constexpr (fits_transposing_rhs<T, current_config, P>) {
        operands<T> x(I, J, K);
        store_product<T, current_config, J> store{x.c.data()};
        product_transposing_rhs<T, current_config, P, K + 3>(x.s.data(), x.v.data() + 1, x.source.data() + 1, store);
        x.expect();
    }
}

template <class T>
class transposing_rhs_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(transposing_rhs_test, element_types);

/// Fewer rows than the first blocks have, so many, and numbers that leave other blocks of every kind.
TYPED_TEST(transposing_rhs_test, rows) {
    constexpr std::size_t w = width<TypeParam>;
    check<TypeParam, 1, 2 * w, 17>();
    check<TypeParam, 10, 2 * w, 19>();
    check<TypeParam, 11, 2 * w, 16>();
    check<TypeParam, 37, 2 * w, 16>();
}

/// An even and an odd number of vectors, without further columns, with packed ones, and with a partial vector.
TYPED_TEST(transposing_rhs_test, columns) {
    constexpr std::size_t w = width<TypeParam>;
    check<TypeParam, 13, 3 * w, 32>();
    check<TypeParam, 13, 4 * w, 32>();
    check<TypeParam, 24, 2 * w + 1, 32>();
    check<TypeParam, 24, 3 * w + 1, 33>();
    check<TypeParam, 24, 3 * w - 1, 33>();
    check<TypeParam, 24, 4 * w - 1, 32>();
    check<TypeParam, 9, 3 * w + 1, 37>();
}

TYPED_TEST(transposing_rhs_test, depths) {
    constexpr std::size_t w = width<TypeParam>;
    check<TypeParam, 12, 2 * w, w>();
    check<TypeParam, 12, 2 * w, w + 1>();
    check<TypeParam, 12, 2 * w, 2 * w - 1>();
    check<TypeParam, 12, 2 * w, 61>();
    check<TypeParam, 12, 2 * w + 1, 61>();
}

/// The other rows are whole blocks where some number of first rows leaves them so.
constexpr product_shape square{64, 64, 64, 64, 1, 64};
static_assert(current_config::registers < 32 || width<float> != 16 ||
              (fits_transposing_rhs<float, current_config, square> &&
               choose_transposing_rows(square, element_machine_of<float, current_config>) == 10));
static_assert(!fits_transposing_rhs<float, current_config, product_shape{64, width<float>, 64, 64, 1, width<float>}>);

}  // namespace
