// SPDX-License-Identifier: BSL-1.0
// Few rows in registers against naive loops: the place of a column, what is combined, and products with folded weights.
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/folded_rows.hpp>

#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::width;

template <class T>
T number(std::size_t i) {
    return static_cast<T>(static_cast<int>(i * 37 % 101) - 50) / T(16);
}

template <class T, std::size_t Rows, std::size_t Columns>
struct folded {
    using rows_of = folded_rows<T, current_config, Rows>;
    using vec = typename rows_of::vec;
    static constexpr std::size_t vectors = rows_of::vectors(Columns);
    vec x[vectors];
    T w[Rows][Columns];

    // Lanes of no row and no column hold NaN.
    folded() {
        for (std::size_t i = 0; i < vectors; ++i) {
            T all[width<T>];
            for (std::size_t lane = 0; lane < width<T>; ++lane) {
                const std::size_t c = i * rows_of::packs + rows_of::column_of(lane), r = rows_of::row_of(lane);
                all[lane] = std::numeric_limits<T>::quiet_NaN();
                if (r < Rows && c < Columns) all[lane] = w[r][c] = number<T>(r * Columns + c);
            }
            x[i] = vec::load(all);
        }
    }
};

template <class T, std::size_t Rows, std::size_t Depth, std::size_t Columns, std::size_t Distance>
void add_weighted() {
    SCOPED_TRACE(testing::Message() << Rows << " rows " << Depth << " deep " << Columns << " columns");
    using rows_of = folded_rows<T, current_config, Rows>;
    const folded<T, Rows, Depth> f;
    std::vector<T> v((Depth - 1) * Distance + Columns, std::numeric_limits<T>::quiet_NaN());
    const auto expected = [&](std::size_t r, std::size_t c) {
        T sum(0);
        for (std::size_t k = 0; k < Depth; ++k) sum += f.w[r][k] * v[k * Distance + c];
        return sum;
    };
    for (std::size_t k = 0; k < Depth; ++k)
        for (std::size_t c = 0; c < Columns; ++c) v[k * Distance + c] = number<T>(k * 7 + c);
    if constexpr (Columns % rows_of::packs == 0) {
        typename rows_of::vec sums[Columns / rows_of::packs];
        rows_of::template add_weighted<Depth, Columns, Distance>(f.x, v.data(), sums);
        for (std::size_t j = 0; j < Columns / rows_of::packs; ++j)
            for (std::size_t r = 0; r < Rows; ++r)
                for (std::size_t d = 0; d < rows_of::packs; ++d)
                    EXPECT_NEAR(sums[j][r * rows_of::packs + d], expected(r, j * rows_of::packs + d), 1e-4)
                        << r << ' ' << j << ' ' << d;
    }
    if constexpr (Columns % width<T> == 0) {
        T stored[f.vectors * width<T>];
        for (std::size_t i = 0; i < f.vectors; ++i) f.x[i].store(stored + i * width<T>);
        typename rows_of::vec sums[Rows][Columns / width<T>];
        rows_of::template add_weighted_vectors<Depth, Columns, Distance>(from_memory(stored), v.data(), sums);
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                EXPECT_NEAR(sums[r][c / width<T>][c % width<T>], expected(r, c), 1e-4) << r << ' ' << c;
    }
}

template <class T, std::size_t Rows>
void check_rows() {
    if constexpr (Rows <= width<T>) {
        SCOPED_TRACE(testing::Message() << Rows << " rows");
        using rows_of = folded_rows<T, current_config, Rows>;
        add_weighted<T, Rows, 1, rows_of::packs, rows_of::packs>();
        add_weighted<T, Rows, rows_of::packs + 1, 2 * rows_of::packs, 2 * rows_of::packs + 1>();
        add_weighted<T, Rows, 5, 2 * width<T>, 2 * width<T> + 3>();

        const folded<T, Rows, rows_of::packs> f;
        const auto added = rows_of::combine_columns(f.x[0], lane_sum{});
        const auto ordered = rows_of::in_order(f.x[0]);
        constexpr std::size_t kept = rows_of::packs == 1 ? 1 : rows_of::packs - 1;
        const auto first = rows_of::template first_columns<kept>(f.x[0], T(-7));
        for (std::size_t r = 0; r < Rows; ++r) {
            T sum(0);
            for (std::size_t c = 0; c < rows_of::packs; ++c) sum += f.w[r][c];
            for (std::size_t c = 0; c < rows_of::packs; ++c) {
                EXPECT_NEAR(added[rows_of::lane_of(c, r)], sum, 1e-5);
                EXPECT_EQ(ordered[c * rows_of::line + r], f.w[r][c]);
                EXPECT_EQ(first[rows_of::lane_of(c, r)], c < kept ? f.w[r][c] : T(-7));
            }
        }
    }
}

template <class T, std::size_t Size, std::size_t Count>
void groups() {
    using vec = lanes<T, width<T>, current_config>;
    if constexpr (Size * Count <= width<T>) {
        constexpr std::size_t per_vector = width<T> / Size;
        vec x[Count];
        for (std::size_t i = 0; i < Count; ++i) {
            T all[width<T>];
            for (std::size_t lane = 0; lane < width<T>; ++lane) all[lane] = static_cast<T>(i * width<T> + lane);
            x[i] = vec::load(all);
        }
        transpose_groups<Size, Count>(x);
        for (std::size_t c = 0; c < Count; ++c)
            for (std::size_t row = 0; row < per_vector; ++row)
                for (std::size_t d = 0; d < Size; ++d)
                    EXPECT_EQ(x[c][row * Size + d], static_cast<T>((row * Count + c) * Size + d));
        transpose_groups_back<Size, Count>(x);
        for (std::size_t i = 0; i < Count; ++i)
            for (std::size_t lane = 0; lane < width<T>; ++lane)
                EXPECT_EQ(x[i][lane], static_cast<T>(i * width<T> + lane));
    }
}

template <class T>
class folded_rows_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(folded_rows_test, element_types);

TYPED_TEST(folded_rows_test, all_rows) {
    check_rows<TypeParam, 2>();
    check_rows<TypeParam, 3>();
    check_rows<TypeParam, 4>();
    check_rows<TypeParam, 8>();
    check_rows<TypeParam, 11>();
}

TYPED_TEST(folded_rows_test, groups) {
    groups<TypeParam, 1, 2>();
    groups<TypeParam, 1, 8>();
    groups<TypeParam, 2, 4>();
    groups<TypeParam, 4, 4>();
}

}  // namespace
