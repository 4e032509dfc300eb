// SPDX-License-Identifier: BSL-1.0
// Products with a narrow right operand whose rows have no gaps, against naive loops in double precision.
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::width;
template <class T>
constexpr bool shuffled = shuffles<T, width<T>, current_config>();

template <class T, product_shape P>
struct operands : support::product_operands<T> {
    std::vector<T> c = std::vector<T>(P.i * P.j + 1, T(-77));

    operands() : support::product_operands<T>(P) {}
    template <class Depth>
    void multiply(Depth depth) {
        store_product<T, current_config, P.j> store{c.data() + 1};
        product<T, current_config, P>(this->scalars(), this->vectors(), depth, store);
    }
    template <class Kept>
    void expect_sums(std::size_t first, std::size_t last, Kept kept) {
        SCOPED_TRACE(testing::Message() << "depth " << first << " to " << last);
        EXPECT_EQ(c[0], T(-77));
        this->expect(c.data() + 1, [&](std::size_t i, std::size_t j) {
            double sum = 0;
            for (std::size_t k = first; k < last; ++k) sum += kept(i, k) ? this->term(i, k, j) : 0;
            return sum;
        });
    }
};

constexpr auto all = [](std::size_t, std::size_t) { return true; };

template <class T, std::size_t I, std::size_t J, std::size_t K>
void check() {
    constexpr product_shape shape{I, J, K, K + 1, 1, J};
    static_assert(!shuffled<T> || I * width<T> > most_strip_lanes || 2 * J > width<T> || width<T> % J != 0 ||
                  K < 2 * (width<T> / J) || cut_product<T, current_config, shape>.cut.strip_steps == width<T> / J);
    operands<T, shape> x;
    x.multiply(constant_depth<0, K>{});
    x.expect_sums(0, K, all);
    for (std::size_t first = 0; first < K; first += 5)
        for (std::size_t last = first; last <= K; last += 3) {
            x.multiply(depth_range{first, last});
            x.expect_sums(first, last, all);
        }
}

template <class T>
class packed_k_strip_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(packed_k_strip_test, element_types);

TYPED_TEST(packed_k_strip_test, every_width) {
    check<TypeParam, 2, 8, 64>();
    check<TypeParam, 3, 4, 37>();
    check<TypeParam, 5, 2, 40>();
    check<TypeParam, 7, 1, 41>();
    check<TypeParam, 1, 8, 17>();
}

TYPED_TEST(packed_k_strip_test, every_number_of_rows) {
    check<TypeParam, 1, 4, 32>();
    check<TypeParam, 8, 4, 33>();
    check<TypeParam, 37, 4, 31>();
}

/// Excluded pairs hold zeros on the left, and on the right what must not be looked at.
TYPED_TEST(packed_k_strip_test, excludes_pairs) {
    using T = TypeParam;
    constexpr product_shape shape{3, 4, 40, 40, 1, 4};
    operands<T, shape> x;
    const auto kept = [](std::size_t i, std::size_t k) { return k < 16 + 3 * i; };
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 40; ++k)
            if (!kept(i, k)) x.scalar(i, k) = 0;
    for (std::size_t k = 22; k < 40; ++k) x.vector(k, k % 4) = std::numeric_limits<T>::quiet_NaN();
    x.multiply(k_range{0, 0, 16, 40});
    // Where NaN is excluded by none it stays: only keys from 22 on are excluded by all rows.
    x.expect_sums(0, 22, kept);
    x.vector(20, 1) = std::numeric_limits<T>::infinity();
    x.multiply(k_range{0, 0, 16, 40});
    EXPECT_FALSE(std::isnan(x.c[1 + 0 * 4 + 1]));
    EXPECT_FALSE(std::isnan(x.c[1 + 1 * 4 + 1]));
    EXPECT_TRUE(std::isinf(x.c[1 + 2 * 4 + 1]));
}

/// Infinities in the last few steps reach their own column only.
TYPED_TEST(packed_k_strip_test, keeps_columns_apart) {
    using T = TypeParam;
    constexpr product_shape shape{2, 4, 35, 35, 1, 4};
    operands<T, shape> x;
    x.scalar(1, 34) = std::numeric_limits<T>::infinity();
    for (std::size_t j = 0; j < 4; ++j) x.vector(34, j) = T(1);
    x.multiply(constant_depth<0, 35>{});
    for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_TRUE(std::isfinite(x.c[1 + j]));
        EXPECT_TRUE(std::isinf(x.c[5 + j]));
    }
}

/// Sums start where the epilogue says.
TYPED_TEST(packed_k_strip_test, accumulates) {
    using T = TypeParam;
    constexpr product_shape shape{3, 4, 36, 36, 1, 4};
    operands<T, shape> once, twice;
    once.multiply(constant_depth<0, 36>{});
    twice.multiply(constant_depth<0, 36>{});
    store_product<T, current_config, 4, true> add{twice.c.data() + 1};
    product<T, current_config, shape>(twice.scalars(), twice.vectors(), add);
    for (std::size_t n = 1; n < once.c.size(); ++n) EXPECT_NEAR(double(twice.c[n]), 2 * double(once.c[n]), 1e-3);
}

}  // namespace
