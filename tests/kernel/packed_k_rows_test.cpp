// SPDX-License-Identifier: BSL-1.0
// product_packed_k against naive loops in double precision: every number of rows, ragged columns, both kinds of
// epilogue.
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

/// Operands between NaN, from one element off alignment on.
template <class T>
std::vector<T> rows_between_nan(std::size_t rows, std::size_t depth, std::size_t distance, unsigned seed) {
    std::vector<T> x(1 + (rows - 1) * distance + depth, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < depth; ++k) {
            seed = seed * 1664525u + 1013904223u;
            x[1 + r * distance + k] = static_cast<T>(static_cast<int>(seed >> 16) % 257 - 128) / T(64);
        }
    return x;
}

template <class T>
struct by_element {
    static constexpr hook hooks = hook::vector;
    T* c;
    std::size_t rows;

    template <class Lanes, std::size_t N>
    void vector(std::size_t i, std::size_t j, Lanes x, lane_count<N>, masked_block) const {
        ASSERT_EQ(j, 0u);
        ASSERT_EQ(N, rows);
        x.template store_partial<N>(c + i * rows);
    }
};

template <class T, std::size_t Line>
struct by_group {
    static constexpr hook hooks = hook::group;
    T* c;
    std::size_t rows;

    template <class Lanes, std::size_t N>
    void group(std::size_t i, Lanes x, lane_count<N>, masked_block) const {
        T all[Lanes::size];
        x.store(all);
        for (std::size_t n = 0; n < N; ++n)
            for (std::size_t j = 0; j < rows; ++j) c[(i + n) * rows + j] = all[n * Line + j];
    }
};

template <class T, packed_k_shape P>
void check() {
    SCOPED_TRACE(testing::Message() << P.rows << " rows " << P.columns << " columns " << P.depth << " deep");
    const auto r = rows_between_nan<T>(P.rows, P.depth, P.row_distance, 1);
    const auto s = rows_between_nan<T>(P.columns, P.depth, P.column_distance, 2);
    std::vector<T> c(P.columns * P.rows, T(-77));
    const auto expect = [&] {
        for (std::size_t i = 0; i < P.columns; ++i)
            for (std::size_t j = 0; j < P.rows; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < P.depth; ++k)
                    sum += double(s[1 + i * P.column_distance + k]) * double(r[1 + j * P.row_distance + k]);
                ASSERT_NEAR(c[i * P.rows + j], sum, 2 * support::tolerance<T>(P.depth)) << i << ' ' << j;
            }
    };
    by_element<T> elements{c.data(), P.rows};
    product_packed_k<T, current_config, P>(s.data() + 1, r.data() + 1, elements);
    expect();

    c.assign(c.size(), T(-77));
    by_group<T, packed_k_line(P.rows)> groups{c.data(), P.rows};
    product_packed_k<T, current_config, P>(s.data() + 1, r.data() + 1, groups);
    expect();
}

template <class T, std::size_t Rows>
void check_rows() {
    if constexpr (2 * Rows <= width<T>) {
        constexpr std::size_t packs = width<T> / packed_k_line(Rows);
        check<T, packed_k_shape{Rows, 3, 3 * width<T> + packs, 3 * width<T> + packs, 4 * width<T>}>();
        check<T, packed_k_shape{Rows, 1, packs, packs, packs}>();
        check<T, packed_k_shape{Rows, packs + 1, 3 * packs, 3 * packs + 1, 3 * packs + 2}>();
        check<T, packed_k_shape{Rows, 16, 4 * width<T>, 4 * width<T>, 4 * width<T>}>();
        check<T, packed_k_shape{Rows, 37, 5 * packs, 5 * packs, 5 * packs + 3}>();
        if constexpr (2 * packs < width<T>) check<T, packed_k_shape{Rows, 5, 2 * packs, 5 * packs, 2 * packs}>();
    } else if constexpr (fits_packed_k(Rows, 3, 2, width<T>)) {
        check<T, packed_k_shape{Rows, 3, 2, 2, 3}>();
        check<T, packed_k_shape{Rows, width<T>, width<T> / 2, width<T> / 2, width<T>}>();
        check<T, packed_k_shape{Rows, 4, 2, 7, 2}>();
    }
}

template <class T>
class packed_k_rows_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(packed_k_rows_test, element_types);

TYPED_TEST(packed_k_rows_test, all_rows) {
    check_rows<TypeParam, 2>();
    check_rows<TypeParam, 3>();
    check_rows<TypeParam, 4>();
    check_rows<TypeParam, 8>();
    check_rows<TypeParam, 11>();
    check_rows<TypeParam, 16>();
}

// Two depth steps side by side need an even depth, and a row alone or a full register gains nothing.
static_assert(fits_packed_k(8, 99, 2, 16) && !fits_packed_k(8, 99, 3, 16) && fits_packed_k(3, 99, 4, 16) &&
              !fits_packed_k(3, 99, 2, 16));
static_assert(!fits_packed_k(1, 16, 16, 16) && !fits_packed_k(17, 16, 4, 16));
// More rows than half a register are worth it where columns and depth are few too.
static_assert(fits_packed_k(9, 16, 8, 16) && !fits_packed_k(9, 17, 8, 16) && !fits_packed_k(9, 16, 16, 16) &&
              !fits_packed_k(9, 16, 6, 16));
static_assert(packed_k_line(2) == 2 && packed_k_line(3) == 4 && packed_k_line(5) == 8 && packed_k_line(8) == 8);

}  // namespace
