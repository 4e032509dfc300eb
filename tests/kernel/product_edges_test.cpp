// SPDX-License-Identifier: BSL-1.0
// Products at the edges of a mask: halves of registers of columns, and depths that differ from row to row.
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

constexpr double untouched = -77;
using support::tolerance;
using support::width;
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <class T, product_shape P>
struct operands : support::product_operands<T> {
    operands() : support::product_operands<T>(P) {}
};

// -------------------------------------------------------------- halves of registers of columns

/// Keeps column j of row i where lowest <= i - j <= highest.
struct band {
    std::ptrdiff_t lowest, highest;

    bool keeps(std::size_t i, std::size_t j) const {
        const auto distance = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j);
        return lowest <= distance && distance <= highest;
    }
    bool keeps_any(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const {
        for (std::size_t i = i0; i < i1; ++i)
            for (std::size_t j = j0; j < j1; ++j)
                if (keeps(i, j)) return true;
        return false;
    }
};

/// Stores what the band keeps, and counts the calls with a mask.
template <class T, std::size_t Columns, bool Halves>
struct band_epilogue {
    static constexpr hook hooks = hook::vector | hook::begin_block | (Halves ? hook::kept_halves : hook::none);
    static constexpr hook withheld = Halves ? hook::none : hook::kept_halves;
    static constexpr bool ends_within = true;
    static constexpr std::size_t half = width<T> == 1 ? 1 : width<T> / 2;
    T* c;
    band kept;
    std::size_t halved = 0;

    block_verdict begin_block(std::size_t, std::size_t, std::size_t, std::size_t) const {
        return block_verdict::masked;
    }
    half_range kept_halves(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        half_range run{0, (j1 - j0 + half - 1) / half};
        const auto needs = [&](std::size_t h) {
            return kept.keeps_any(i0, i1, j0 + h * half, j0 + (h + 1) * half < j1 ? j0 + (h + 1) * half : j1);
        };
        const std::size_t count = run.last;
        while (run.first < run.last && !needs(run.first)) ++run.first;
        while (run.last > run.first && !needs(run.last - 1)) --run.last;
        halved += run.first < run.last && run.last - run.first < count;
        return run;
    }
    template <class Lanes, std::size_t N>
    void vector(std::size_t i, std::size_t j, Lanes x, lane_count<N>, masked_block) const {
        for (std::size_t lane = 0; lane < N; ++lane)
            if (kept.keeps(i, j + lane)) c[i * Columns + j + lane] = x[lane];
    }
    template <class Lanes, std::size_t N>
    void vector(std::size_t, std::size_t, Lanes, lane_count<N>, plain_block) const {
        FAIL();
    }
};

template <class T, product_shape P>
void check_band(band kept) {
    SCOPED_TRACE(testing::Message() << P.i << " x " << P.j << " x " << P.k << " band " << kept.lowest << " to "
                                    << kept.highest);
    operands<T, P> x;
    const operands<T, P> sound;
    // What no column keeps is not finite, nor are columns that keep nothing.
    for (std::size_t i = 0; i < P.i; ++i)
        if (!kept.keeps_any(i, i + 1, 0, P.j))
            for (std::size_t k = 0; k < P.k; ++k) x.scalar(i, k) = nan<T>;
    for (std::size_t j = 0; j < P.j; ++j)
        if (!kept.keeps_any(0, P.i, j, j + 1))
            for (std::size_t k = 0; k < P.k; ++k) x.vector(k, j) = nan<T>;
    std::vector<T> c(P.i * P.j, T(untouched));
    band_epilogue<T, P.j, has_half_registers<T, current_config, P>> epilogue{c.data(), kept};
    product<T, current_config, P>(x.scalars(), x.vectors(), epilogue);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) {
            if (kept.keeps(i, j)) {
                ASSERT_NEAR(c[i * P.j + j], sound.sum(i, j), tolerance<T>(P.k)) << i << ' ' << j;
            } else {
                ASSERT_EQ(c[i * P.j + j], T(untouched)) << i << ' ' << j;
            }
        }
    // The first rows keep no column of the last half, unless a block has more of them.
    constexpr std::size_t rows_without_last_half = P.j - (P.j < width<T> ? P.j : width<T> / 2);
    if (has_half_registers<T, current_config, P> && kept.lowest < -1000 && kept.highest == 0 && P.i >= 2 * width<T> &&
        P.j == 2 * width<T> && P.cut.row_blocks * rows_without_last_half >= P.i) {
        EXPECT_NE(epilogue.halved, 0u);
    }
}

template <class T, product_shape P>
void check_bands() {
    for (const std::ptrdiff_t shift : {0, 1, 5, -7, 40, -40}) {
        check_band<T, P>({-10000, shift});
        check_band<T, P>({shift, 10000});
        check_band<T, P>({shift - 3, shift});
        check_band<T, P>({shift - 17, shift + 2});
    }
}

template <class T>
class product_edges_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_edges_test, element_types);

TYPED_TEST(product_edges_test, halves_of_columns) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>, line = 3 * w;
    const auto check = []<product_shape P, std::size_t Granule = 8>() {
        check_bands<T, cut_as<T, P, cut_options{.packs = false, .granule = Granule}>>();
    };
    check.template operator()<product_shape{.i = 32, .j = 2 * w, .k = 10, .si = 10, .sk = 1, .vk = 2 * w}, 16>();
    check.template operator()<product_shape{.i = 2 * w, .j = 2 * w, .k = 2, .si = 3, .sk = 1, .vk = 2 * w + 1}, 4>();
    check_bands<T, product_shape{.i = 17, .j = w, .k = 6, .si = 6, .sk = 1, .vk = w}>();
    check_bands<T, product_shape{.i = 37, .j = 2 * w - 1, .k = 8, .si = 9, .sk = 1, .vk = line, .padded = true}>();
    check.template operator()<product_shape{24, w + 1, 8, 8, 1, line, true}>();
    check.template operator()<product_shape{.i = 19, .j = 3 * w + w / 2, .k = 4, .si = 4, .sk = 1, .vk = 4 * w}>();
    // An odd depth, scalars with gaps, and columns that end within a half do not have halves.
    check.template operator()<product_shape{.i = 24, .j = 2 * w, .k = 7, .si = 7, .sk = 1, .vk = 2 * w}>();
    check.template operator()<product_shape{.i = 24, .j = 2 * w, .k = 6, .si = 1, .sk = 24, .vk = 2 * w}>();
    check.template operator()<product_shape{.i = 24, .j = 2 * w + 1, .k = 6, .si = 6, .sk = 1, .vk = 2 * w + 1}>();
}

// Every run of halves, on every width: the path itself, whether or not it pays.
template <class T, std::size_t Rows, std::size_t Columns, std::size_t First, std::size_t Halves>
void check_run() {
    constexpr std::size_t w = width<T>, half = w / 2;
    constexpr product_shape P{.i = Rows + 3, .j = 2 * w, .k = 6, .si = 6, .sk = 1, .vk = 2 * w};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j, T(untouched));
    band_epilogue<T, P.j, true> epilogue{c.data(), {-10000, 10000}};
    product_half_registers<T, current_config, P, Rows, Columns, First, Halves>(x.scalars(), x.vectors(), epilogue, 2,
                                                                               0);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) {
            const bool inside =
                i >= 2 && i < 2 + Rows && j >= First * half && j < (First + Halves) * half && j < Columns;
            const bool outside =
                i < 2 || i >= 2 + Rows || j / w < First / 2 || j / w >= (First + Halves + 1) / 2 || j >= Columns;
            if (inside) {
                ASSERT_NEAR(c[i * P.j + j], x.sum(i, j), tolerance<T>(P.k)) << i << ' ' << j;
            }
            if (outside) {
                ASSERT_EQ(c[i * P.j + j], T(untouched)) << i << ' ' << j;
            }
        }
}
TYPED_TEST(product_edges_test, runs_of_halves) {
    constexpr std::size_t w = width<TypeParam>;
    if constexpr (w >= 4) {
        check_run<TypeParam, 8, 2 * w, 3, 1>();
        check_run<TypeParam, 8, 2 * w, 2, 2>();
        check_run<TypeParam, 8, 2 * w, 1, 3>();
        check_run<TypeParam, 5, 2 * w, 0, 3>();
        check_run<TypeParam, 1, w, 1, 1>();
        check_run<TypeParam, 3, w + 1, 1, 2>();
        check_run<TypeParam, 3, w + w / 2 + 1, 1, 3>();
    }
}

// -------------------------------------------------------------- depths that differ from row to row

/// Row i takes part in the steps [i + lowest, i + highest], as far as they are below `end`.
template <bool Lower>
struct band_depth {
    std::ptrdiff_t lowest, highest, end;

    bool keeps(std::size_t i, std::size_t k) const {
        const auto distance = static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(i);
        return static_cast<std::ptrdiff_t>(k) < end && distance <= highest && (!Lower || distance >= lowest);
    }
    per_row_k_range<Lower> per_row(std::size_t i0, std::size_t i1) const {
        const auto q0 = static_cast<std::ptrdiff_t>(i0), q1 = static_cast<std::ptrdiff_t>(i1) - 1;
        const std::ptrdiff_t from = Lower && q0 + lowest > 0 ? q0 + lowest : 0,
                             to = q1 + highest + 1 < end ? q1 + highest + 1 : end;
        const std::ptrdiff_t full_last = q0 + highest + 1 < end ? q0 + highest + 1 : end;
        return {from < to ? from : 0, Lower ? q1 + lowest : 0, full_last, from < to ? to : 0};
    }
};

template <class T, product_shape P, bool Lower>
void check_per_row(band_depth<Lower> depth) {
    SCOPED_TRACE(testing::Message() << P.i << " x " << P.j << " x " << P.k << " steps " << depth.lowest << " to "
                                    << depth.highest << " below " << depth.end);
    const operands<T, P> x;
    for (std::size_t poisoned = 0; poisoned < P.k; poisoned += 3) {
        operands<T, P> with_nan = x;
        for (std::size_t j = 0; j < P.j; ++j) with_nan.vector(poisoned, j) = nan<T>;
        std::vector<T> c(P.i * P.j, T(untouched));
        store_product<T, current_config, P.j> store{c.data()};
        product<T, current_config, P>(with_nan.scalars(), with_nan.vectors(), depth, store);
        for (std::size_t i = 0; i < P.i; ++i)
            for (std::size_t j = 0; j < P.j; ++j) {
                if (!depth.keeps(i, poisoned)) {
                    double sum = 0;
                    for (std::size_t k = 0; k < P.k; ++k) sum += depth.keeps(i, k) ? x.term(i, k, j) : 0;
                    ASSERT_NEAR(c[i * P.j + j], sum, tolerance<T>(P.k)) << i << ' ' << j << " NaN at " << poisoned;
                } else {
#if !defined(__FAST_MATH__)
                    ASSERT_TRUE(std::isnan(c[i * P.j + j])) << i << ' ' << j << " NaN at " << poisoned;
#endif
                }
            }
    }
}

template <class T, std::size_t I, std::size_t J, std::size_t K>
void check_all_per_row() {
    constexpr product_shape P =
        cut_as<T, product_shape{.i = I, .j = J, .k = K, .si = 1, .sk = I, .vk = J}, cut_options{.packs = false}>;
    constexpr auto end = static_cast<std::ptrdiff_t>(K);
    for (const std::ptrdiff_t shift : {0, 2, 9, -3, -100, 100}) {
        check_per_row<T, P>(band_depth<false>{0, shift, end});
        check_per_row<T, P>(band_depth<false>{0, shift, end / 2});
        check_per_row<T, P>(band_depth<true>{shift - 11, shift, end});
        check_per_row<T, P>(band_depth<true>{shift - 1, shift, end / 2});
        check_per_row<T, P>(band_depth<true>{shift, shift, end});
        check_per_row<T, P>(band_depth<true>{shift, shift - 1, end});
    }
}

TYPED_TEST(product_edges_test, k_ranges_per_row) {
    constexpr std::size_t w = width<TypeParam>;
    check_all_per_row<TypeParam, 1, w, 1>();
    check_all_per_row<TypeParam, 5, w + 1, 7>();
    check_all_per_row<TypeParam, 16, 4 * w, 16>();
    check_all_per_row<TypeParam, 17, 2 * w + 3, 31>();
    check_all_per_row<TypeParam, 13, w == 1 ? 2 : w - 1, 23>();
}

static_assert(per_row_k_range<false>{0, 0, 5, 8}.even().last == 5 &&
              per_row_k_range<false>{0, 0, -2, 2}.even().last == 0);
static_assert(per_row_k_range<true>{2, 5, 3, 6}.even().first == per_row_k_range<true>{2, 5, 3, 6}.even().last);
static_assert(per_row_k_range<true>{2, 5, 9, 12}.even().first == 5 &&
              per_row_k_range<true>{2, 5, 9, 12}.even().last == 9);
static_assert(per_row_k_range<true>{2, 5, 9, 12}.has(0, 4, 2) && !per_row_k_range<true>{2, 5, 9, 12}.has(1, 4, 2) &&
              !per_row_k_range<true>{2, 5, 9, 12}.has(0, 4, 9));

}  // namespace
