// SPDX-License-Identifier: BSL-1.0
// dot_rows and dot_row_blocks against naive loops in double precision.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/product_dot.hpp>

#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

constexpr double untouched = -77;

using support::for_each_size;
using support::tolerance;
using support::values;
using support::width;

template <class T>
class product_dot_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_dot_test, element_types);

/// Stores the products with the rows of b.
template <class T>
struct store_dots {
    static constexpr hook hooks = hook::vector;
    T* out;

    template <class Lanes, std::size_t N>
    void vector(std::size_t i, std::size_t n, Lanes sums, lane_count<N>, masked_block) const {
        ASSERT_EQ(i, 0u);
        sums.template store_partial<N>(out + n);
    }
};

template <class T, dot_shape P>
void check_dot() {
    SCOPED_TRACE(testing::Message() << P.n << " rows of " << P.k << ", " << P.ld << " apart");
    const std::vector<T> a = values<T>(P.k + 1, 3), b = values<T>((P.n - 1) * P.ld + P.k + 1, 4);
    std::vector<T> out(P.n, T(untouched));
    store_dots<T> store{out.data()};
    dot_rows<T, current_config, P>(a.data() + 1, b.data() + 1, store);
    for (std::size_t n = 0; n < P.n; ++n) {
        double expected = 0;
        for (std::size_t k = 0; k < P.k; ++k) expected += double(a[1 + k]) * double(b[1 + n * P.ld + k]);
        ASSERT_NEAR(out[n], expected, tolerance<T>(P.k)) << n;
    }
}

TYPED_TEST(product_dot_test, every_size) {
    using T = TypeParam;
    for_each_size<T>([](auto k) { check_dot<T, dot_shape{width<T> + 1, k, k + 1}>(); });
    for_each_size<T>([](auto n) { check_dot<T, dot_shape{n, 20, 20}>(); });
    check_dot<T, dot_shape{37, 200, 200}>();
    check_dot<T, dot_shape{5, 1000, 1003}>();
}

TYPED_TEST(product_dot_test, ranges_of_blocks) {
    using T = TypeParam;
    constexpr dot_shape P{3 * width<T> + 1, 20, 21};
    constexpr std::size_t blocks = (P.n + width<T> - 1) / width<T>;
    const std::vector<T> a = values<T>(P.k, 3), b = values<T>(P.n * P.ld, 4);
    std::vector<T> all(P.n), some(P.n);
    store_dots<T> store_all{all.data()}, store_some{some.data()};
    dot_rows<T, current_config, P>(a.data(), b.data(), store_all);
    for (std::size_t first = 0; first <= blocks; ++first)
        for (std::size_t last = first; last <= blocks; ++last) {
            some.assign(P.n, T(untouched));
            dot_row_blocks<T, current_config, P>(a.data(), b.data(), store_some, first, last);
            for (std::size_t n = 0; n < P.n; ++n) {
                const bool done = first <= n / width<T> && n / width<T> < last;
                ASSERT_EQ(some[n], done ? all[n] : T(untouched)) << n;
            }
        }
}

}  // namespace
