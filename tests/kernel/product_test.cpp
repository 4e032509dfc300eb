// SPDX-License-Identifier: BSL-1.0
// product, and ranges of its row blocks, against naive loops in double precision.
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

constexpr double untouched = -77;

template <class T>
constexpr std::size_t padded(std::size_t n) {
    return (n + width<T> - 1) / width<T> * width<T>;
}
template <class T, product_shape P>
struct operands : support::product_operands<T> {
    operands() : support::product_operands<T>(P) {}
};

template <class T, product_shape P>
void check() {
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j + 1, T(untouched));
    store_product<T, current_config, P.j> store{c.data() + 1};
    product<T, current_config, P>(x.scalars(), x.vectors(), store);
    EXPECT_EQ(c[0], T(untouched));
    x.expect_product(c.data() + 1);
}

/// Row-major by column-major rows, a transposed left operand, or scratch with padded rows: one of them, so that many
/// sizes compile in reasonable time.
template <class T, std::size_t I, std::size_t J, std::size_t K, std::size_t Layout = (I + J + K) % 3>
void check_a_layout() {
    if constexpr (Layout == 0) check<T, product_shape{I, J, K, K, 1, J}>();
    if constexpr (Layout == 1) check<T, product_shape{I, J, K, 1, I + 2, J + 3}>();
    if constexpr (Layout == 2) check<T, product_shape{I, J, K, K + 1, 1, padded<T>(J), true}>();
}
template <class T, std::size_t I, std::size_t J, std::size_t K>
void check_layouts() {
    check_a_layout<T, I, J, K, 0>();
    check_a_layout<T, I, J, K, 1>();
    check_a_layout<T, I, J, K, 2>();
}

template <class T>
class product_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_test, element_types);

TYPED_TEST(product_test, every_size) {
    using T = TypeParam;
    support::for_each_size<T>([](auto n) {
        check_a_layout<T, n, width<T> + 3, 17>();
        check_a_layout<T, 17, n, 31>();
        check_a_layout<T, 3, n, 16>();
        check_a_layout<T, 9, 37, n>();
    });
}

/// A row against so many columns that its scalars are spread from registers, and against a stream, where they are not.
TYPED_TEST(product_test, one_row) {
    using T = TypeParam;
    support::for_each_size<T>([](auto k) {
        check<T, product_shape{1, 3 * width<T> + 1, k, k, 1, 3 * width<T> + 2}>();
        check<T, cut_as<T, product_shape{.i = 1, .j = 4 * width<T>, .k = k, .si = k, .sk = 1, .vk = 4 * width<T>},
                        cut_options{.streamed = true}>>();
    });
    check<T, product_shape{1, 11 * width<T>, 5 * width<T> + 3, 99, 1, 11 * width<T>}>();
}

/// Few enough columns behind the full vectors to be packed, for each depth that fits side by side.
TYPED_TEST(product_test, packed_columns) {
    using T = TypeParam;
    check<T, product_shape{37, width<T> + 1, 64, 64, 1, width<T> + 1}>();
    check<T, product_shape{40, 2 * width<T> + 2, 32, 33, 1, 2 * width<T> + 2}>();
    check<T, product_shape{29, width<T> + 3, 24, 24, 1, width<T> + 7}>();
    if constexpr (width<T> != 1) {
        check<T, product_shape{35, width<T> / 2, 18, 18, 1, width<T>, true}>();
        check<T, cut_as<T, product_shape{35, width<T> + width<T> / 2, 18, 18, 1, 2 * width<T>},
                        cut_options{.packs = false}>>();
    }
}

TYPED_TEST(product_test, odd_shapes) {
    check_layouts<TypeParam, 7, 13, 19>();
    check_layouts<TypeParam, 49, 49, 32>();
    check_layouts<TypeParam, 1, 200, 9>();
}

TYPED_TEST(product_test, accumulates) {
    using T = TypeParam;
    constexpr product_shape P{19, 37, 23, 23, 1, 37};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j, T(3));
    store_product<T, current_config, P.j, true> add{c.data()};
    product<T, current_config, P>(x.scalars(), x.vectors(), add);
    x.expect(c.data(), [&](std::size_t i, std::size_t j) { return 3 + x.sum(i, j); });
}

TYPED_TEST(product_test, parts_of_the_depth) {
    using T = TypeParam;
    constexpr product_shape P{11, 21, 29, 29, 1, 21};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j);
    store_product<T, current_config, P.j> store{c.data()};
    const auto check_part = [&](auto depth, std::size_t first, std::size_t last) {
        product<T, current_config, P>(x.scalars(), x.vectors(), depth, store);
        x.expect(c.data(), [&](std::size_t i, std::size_t j) { return x.sum(i, j, first, last); });
    };
    for (std::size_t first = 0; first <= P.k; ++first)
        for (std::size_t last = first; last <= P.k; last += 3) check_part(depth_range{first, last}, first, last);
    check_part(constant_depth<5, 22>{}, 5, 22);
}

TYPED_TEST(product_test, results_repeat_bit_for_bit) {
    using T = TypeParam;
    constexpr product_shape P{13, 35, 41, 41, 1, 35};
    const operands<T, P> x;
    std::vector<T> once(P.i * P.j), again(P.i * P.j + 3);
    store_product<T, current_config, P.j> store{once.data()}, store_again{again.data() + 3};
    product<T, current_config, P>(x.scalars(), x.vectors(), store);
    product<T, current_config, P>(x.scalars(), x.vectors(), store_again);
    for (std::size_t n = 0; n < once.size(); ++n) ASSERT_EQ(once[n], again[n + 3]);
}

/// The lower triangle of P·V: pairs above the diagonal are zero and exclude what V holds.
template <class T, std::size_t Queries, std::size_t Columns>
void check_zeros_exclude(std::size_t poisoned, bool nan) {
    SCOPED_TRACE(testing::Message() << Queries << " queries, value " << poisoned << (nan ? " is NaN" : " is infinite"));
    constexpr product_shape P{Queries, Columns, Queries, 1, Queries, Columns};
    operands<T, P> x;
    for (std::size_t k = 0; k < Queries; ++k)
        for (std::size_t i = 0; i < k; ++i) x.scalar(i, k) = 0;
    const auto to_the_diagonal = [](std::size_t i0, std::size_t i1, std::size_t, std::size_t) {
        return k_range{0, 0, i0, i1};
    };
    std::vector<T> expected(P.i * P.j), c(P.i * P.j);
    store_product<T, current_config, P.j> store_expected{expected.data()}, store{c.data()};
    product<T, current_config, P>(x.scalars(), x.vectors(), to_the_diagonal, store_expected);
    x.expect(expected.data(), [&](std::size_t i, std::size_t j) { return x.sum(i, j, 0, i + 1); });
    for (std::size_t j = 0; j < P.j; ++j) x.vector(poisoned, j) = special<T>(nan);
    product<T, current_config, P>(x.scalars(), x.vectors(), to_the_diagonal, store);
    for (std::size_t n = 0; n < c.size(); ++n) {
        if (n / P.j < poisoned) {
            ASSERT_EQ(c[n], expected[n]) << n / P.j << ' ' << n % P.j;
        } else {
#if !defined(__FAST_MATH__)
            ASSERT_FALSE(std::isfinite(c[n])) << n / P.j << ' ' << n % P.j;
#endif
        }
    }
}

TYPED_TEST(product_test, zeros_exclude) {
    for (const bool nan : {true, false}) {
        for (std::size_t poisoned : {0u, 11u, 36u}) check_zeros_exclude<TypeParam, 37, 21>(poisoned, nan);
        check_zeros_exclude<TypeParam, 3, 1>(1, nan);
    }
}

TYPED_TEST(product_test, ranges_of_row_blocks) {
    using T = TypeParam;
    constexpr product_shape P{71, 19, 7, 7, 1, 19};
    const operands<T, P> x;
    constexpr std::size_t blocks = product_row_blocks<T, current_config, P>;
    for (std::size_t first = 0; first <= blocks; ++first)
        for (std::size_t last = first; last <= blocks; ++last) {
            std::vector<T> c(P.i * P.j, T(untouched));
            store_product<T, current_config, P.j> store{c.data()};
            product<T, current_config, P>(x.scalars(), x.vectors(), constant_depth<0, P.k>{}, store, first, last);
            const std::size_t from = product_row<T, current_config, P>(first),
                              to = product_row<T, current_config, P>(last);
            x.expect(c.data(),
                     [&](std::size_t i, std::size_t j) { return from <= i && i < to ? x.sum(i, j) : untouched; });
        }
}

}  // namespace
