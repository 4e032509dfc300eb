// SPDX-License-Identifier: BSL-1.0
// product, and ranges of its row blocks, against naive loops in double precision.
#include <algorithm>
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
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

constexpr double untouched = -77;

template <class T>
constexpr std::size_t padded(std::size_t n) {
    constexpr std::size_t width = lane_width<T, current_config>;
    return (n + width - 1) / width * width;
}

using support::values;

template <class T>
double tolerance(std::size_t depth) {
    return 8 * static_cast<double>(depth) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// The operands of a product in buffers that end with their last element and start one element off alignment. They are
/// compiled once for all shapes, of which there are hundreds.
template <class T>
struct operands_of_shape {
    product_shape p;
    std::vector<T> s, v;

    [[gnu::noinline]] explicit operands_of_shape(const product_shape& shape)
        : p(shape),
          s(values<T>((p.i - 1) * p.si + (p.k - 1) * p.sk + 2, 1)),
          v(values<T>((p.k - 1) * p.vk + (p.padded ? padded<T>(p.j) : p.j) + 1, 2)) {}

    const T* scalars() const { return s.data() + 1; }
    const T* vectors() const { return v.data() + 1; }

    [[gnu::noinline]] double sum(std::size_t i, std::size_t j, std::size_t first, std::size_t last) const {
        double total = 0;
        for (std::size_t k = first; k < last; ++k)
            total += double(scalars()[i * p.si + k * p.sk]) * double(vectors()[k * p.vk + j]);
        return total;
    }
    double sum(std::size_t i, std::size_t j) const { return sum(i, j, 0, p.k); }

    /// What a product stored one element off alignment.
    [[gnu::noinline]] void expect_product(const std::vector<T>& c) const {
        SCOPED_TRACE(testing::Message() << p.i << " x " << p.j << " x " << p.k << " strides " << p.si << ' ' << p.sk
                                        << ' ' << p.vk << " padded " << p.padded);
        EXPECT_EQ(c[0], T(untouched));
        for (std::size_t i = 0; i < p.i; ++i)
            for (std::size_t j = 0; j < p.j; ++j)
                ASSERT_NEAR(c[1 + i * p.j + j], sum(i, j), tolerance<T>(p.k)) << i << ' ' << j;
    }
};
template <class T, product_shape P>
struct operands : operands_of_shape<T> {
    operands() : operands_of_shape<T>(P) {}
};

template <class T, product_shape P>
void check() {
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j + 1, T(untouched));
    store_product<T, current_config, P.j> store{c.data() + 1};
    product<T, current_config, P>(x.scalars(), x.vectors(), store);
    x.expect_product(c);
}

/// Row-major by column-major rows, a transposed left operand, and scratch with padded rows.
template <class T, std::size_t I, std::size_t J, std::size_t K>
void check_layouts() {
    check<T, product_shape{I, J, K, K, 1, J}>();
    check<T, product_shape{I, J, K, 1, I + 2, J + 3}>();
    check<T, product_shape{I, J, K, K + 1, 1, padded<T>(J), true}>();
}

/// One of them, so that many sizes compile in reasonable time.
template <class T, std::size_t I, std::size_t J, std::size_t K>
void check_a_layout() {
    constexpr std::size_t layout = (I + J + K) % 3;
    if constexpr (layout == 0) check<T, product_shape{I, J, K, K, 1, J}>();
    if constexpr (layout == 1) check<T, product_shape{I, J, K, 1, I + 2, J + 3}>();
    if constexpr (layout == 2) check<T, product_shape{I, J, K, K + 1, 1, padded<T>(J), true}>();
}

template <class T>
class product_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_test, element_types);

template <class T>
constexpr std::size_t width = lane_width<T, current_config>;

/// Calls f with each size that an axis is tested at, as a constant.
template <class T, class Function>
void for_each_size(Function f) {
    [&]<std::size_t... Size>(std::index_sequence<Size...>) {
        (f(std::integral_constant<std::size_t, Size>{}), ...);
    }(std::index_sequence < 1, width<T> == 1 ? 2 : width<T> - 1, width<T>, width<T> + 1, 17, 31, 37, 64 > {});
}

TYPED_TEST(product_test, every_number_of_rows) {
    for_each_size<TypeParam>([](auto i) { check_a_layout<TypeParam, i, width<TypeParam> + 3, 17>(); });
}

TYPED_TEST(product_test, every_number_of_columns) {
    for_each_size<TypeParam>([](auto j) { check_a_layout<TypeParam, 17, j, 31>(); });
    for_each_size<TypeParam>([](auto j) { check_a_layout<TypeParam, 3, j, 16>(); });
}

TYPED_TEST(product_test, every_depth) {
    for_each_size<TypeParam>([](auto k) { check_a_layout<TypeParam, 9, 37, k>(); });
}

/// A row against so many columns that its scalars are spread from registers, and against a stream, where they are not.
TYPED_TEST(product_test, one_row) {
    using T = TypeParam;
    for_each_size<T>([](auto k) {
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
    check_layouts<TypeParam, 100, 100, 3>();
    check_layouts<TypeParam, 2, 5, 2>();
    check_layouts<TypeParam, 1, 200, 9>();
}

TYPED_TEST(product_test, accumulates) {
    using T = TypeParam;
    constexpr product_shape P{19, 37, 23, 23, 1, 37};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j, T(3));
    store_product<T, current_config, P.j, true> add{c.data()};
    product<T, current_config, P>(x.scalars(), x.vectors(), add);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) ASSERT_NEAR(c[i * P.j + j], 3 + x.sum(i, j), tolerance<T>(P.k));
}

TYPED_TEST(product_test, parts_of_the_depth) {
    using T = TypeParam;
    constexpr product_shape P{11, 21, 29, 29, 1, 21};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j);
    store_product<T, current_config, P.j> store{c.data()};
    for (std::size_t first = 0; first <= P.k; ++first)
        for (std::size_t last = first; last <= P.k; last += 3) {
            product<T, current_config, P>(x.scalars(), x.vectors(), depth_range{first, last}, store);
            for (std::size_t i = 0; i < P.i; ++i)
                for (std::size_t j = 0; j < P.j; ++j)
                    ASSERT_NEAR(c[i * P.j + j], x.sum(i, j, first, last), tolerance<T>(P.k));
        }
    product<T, current_config, P>(x.scalars(), x.vectors(), constant_depth<5, 22>{}, store);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) ASSERT_NEAR(c[i * P.j + j], x.sum(i, j, 5, 22), tolerance<T>(P.k));
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

/// NaN or infinity that -ffast-math does not see through.
template <class T>
T special(bool nan) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = std::numeric_limits<T>::digits;
    const bits infinity = bits(2 * std::numeric_limits<T>::max_exponent - 1) << (digits - 1);
    return std::bit_cast<T>(infinity | (nan ? bits{1} << (digits - 2) : bits{0}));
}

/// The lower triangle of P·V: pairs above the diagonal are zero and exclude what V holds.
template <class T, std::size_t Queries, std::size_t Columns>
void check_zeros_exclude(std::size_t poisoned, bool nan) {
    SCOPED_TRACE(testing::Message() << Queries << " queries, value " << poisoned << (nan ? " is NaN" : " is infinite"));
    constexpr product_shape P{Queries, Columns, Queries, 1, Queries, Columns};
    operands<T, P> x;
    for (std::size_t k = 0; k < Queries; ++k)
        for (std::size_t i = 0; i < k; ++i) x.s[1 + k * Queries + i] = 0;
    const auto to_the_diagonal = [](std::size_t i0, std::size_t i1, std::size_t, std::size_t) {
        return k_range{0, 0, i0, i1};
    };
    std::vector<T> expected(P.i * P.j), c(P.i * P.j);
    store_product<T, current_config, P.j> store_expected{expected.data()}, store{c.data()};
    product<T, current_config, P>(x.scalars(), x.vectors(), to_the_diagonal, store_expected);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j)
            ASSERT_NEAR(expected[i * P.j + j], x.sum(i, j, 0, i + 1), tolerance<T>(P.k));
    for (std::size_t j = 0; j < P.j; ++j) x.v[1 + poisoned * P.vk + j] = special<T>(nan);
    product<T, current_config, P>(x.scalars(), x.vectors(), to_the_diagonal, store);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) {
            if (i < poisoned) {
                ASSERT_EQ(c[i * P.j + j], expected[i * P.j + j]) << i << ' ' << j;
            } else {
#if !defined(__FAST_MATH__)
                ASSERT_FALSE(std::isfinite(c[i * P.j + j])) << i << ' ' << j;
#endif
            }
        }
}

/// Rows below the diagonal of each vector of columns only: blocks across it are computed vector by vector.
template <class T>
struct below_diagonal {
    static constexpr hook hooks = hook::vector | hook::begin_block | hook::splits_block;
    T* c;
    std::size_t stride;
    static constexpr std::size_t width = lane_width<T, current_config>;

    block_verdict begin_block(std::size_t, std::size_t i1, std::size_t j0, std::size_t) const {
        return i1 <= j0 ? block_verdict::skip : block_verdict::plain;
    }
    bool splits_block(std::size_t, std::size_t i1, std::size_t j0, std::size_t j1) const {
        return i1 > j0 && i1 <= (j1 - 1) / width * width;
    }
    template <class Lanes, std::size_t N, class Verdict>
    void vector(std::size_t i, std::size_t j, Lanes x, lane_count<N>, Verdict) const {
        x.template store_partial<N>(c + i * stride + j);
    }
};

template <class T, std::size_t I, std::size_t J>
void check_splits() {
    constexpr std::size_t width = lane_width<T, current_config>;
    constexpr product_shape shape = cut_as<T, product_shape{.i = I, .j = J, .k = 9, .si = 9, .sk = 1, .vk = J},
                                           cut_options{.splits = true, .granule = 4}>;
    const operands<T, shape> x;
    std::vector<T> c(I * J, T(untouched));
    below_diagonal<T> epilogue{c.data(), J};
    product<T, current_config, shape>(x.scalars(), x.vectors(), epilogue);
    const axis_split rows = product_plan<T, current_config, cut_product<T, current_config, shape>>.rows;
    for (std::size_t i = 0; i < I; ++i)
        for (std::size_t j = 0; j < J; ++j) {
            const std::size_t b = rows.block_of(i);
            if (rows.first(b + 1) <= j / width * width)
                ASSERT_EQ(c[i * J + j], T(untouched)) << i << ' ' << j;
            else
                ASSERT_NEAR(c[i * J + j], x.sum(i, j), tolerance<T>(9)) << i << ' ' << j;
        }
}

TYPED_TEST(product_test, splits_blocks) {
    constexpr std::size_t width = lane_width<TypeParam, current_config>;
    check_splits<TypeParam, 4 * width, 4 * width>();
    check_splits<TypeParam, 3 * width + 1, 3 * width + 1>();
    check_splits<TypeParam, 24, 2 * width + 3>();
}

TYPED_TEST(product_test, zeros_exclude) {
    for (const bool nan : {true, false}) {
        for (std::size_t poisoned : {0u, 11u, 36u}) check_zeros_exclude<TypeParam, 37, 21>(poisoned, nan);
        check_zeros_exclude<TypeParam, 3, 1>(1, nan);
    }
}

/// Counts its calls. Blocks above the diagonal are skipped, blocks on it are masked.
template <class T, std::size_t Columns>
struct causal_epilogue {
    static constexpr hook hooks = hook::vector | hook::begin_block;
    T* c;
    std::size_t plain = 0, masked = 0, skipped = 0;

    block_verdict begin_block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        if (i0 >= j1) {
            ++skipped;
            return block_verdict::skip;
        }
        if (i1 <= j0 + 1) {
            ++plain;
            return block_verdict::plain;
        }
        ++masked;
        return block_verdict::masked;
    }
    template <class Lanes, std::size_t Count, block_verdict Verdict>
    void vector(std::size_t i, std::size_t j, Lanes acc, lane_count<Count>,
                std::integral_constant<block_verdict, Verdict>) const {
        if constexpr (Verdict == block_verdict::masked) {
            for (std::size_t lane = 0; lane < Count; ++lane)
                if (i <= j + lane) c[i * Columns + j + lane] = acc[lane];
        } else {
            acc.template store_partial<Count>(c + i * Columns + j);
        }
    }
};

/// Scores with queries in lanes: i = keys, j = queries, key i is kept by query j where i <= j.
TYPED_TEST(product_test, blocks_are_skipped_and_masked) {
    using T = TypeParam;
    constexpr product_shape P{67, 67, 5, 5, 1, 67};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j, T(untouched));
    causal_epilogue<T, P.j> epilogue{c.data()};
    product<T, current_config, P>(x.scalars(), x.vectors(), epilogue);
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j)
            ASSERT_NEAR(c[i * P.j + j], i <= j ? x.sum(i, j) : untouched, tolerance<T>(P.k)) << i << ' ' << j;
    EXPECT_EQ(epilogue.plain + epilogue.masked + epilogue.skipped, (product_block_count<T, current_config, P>));
    EXPECT_GT(epilogue.masked, 0u);
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
            for (std::size_t i = 0; i < P.i; ++i)
                for (std::size_t j = 0; j < P.j; ++j)
                    ASSERT_NEAR(c[i * P.j + j], from <= i && i < to ? x.sum(i, j) : untouched, tolerance<T>(P.k));
        }
}

/// Keeps the largest of each column, by whole columns of a block.
template <class T, std::size_t Vectors>
struct running_max {
    static constexpr hook hooks = hook::column;
    using vec = lanes<T, width<T>, current_config>;
    T* c;
    vec largest[Vectors];

    template <std::size_t Rows, std::size_t Count, class Verdict>
    ASHLAR_ALWAYS_INLINE void column(std::size_t i, std::size_t j, const vec (&rows)[Rows], lane_count<Count>,
                                     Verdict) {
        vec m = largest[j / width<T>];
        for (std::size_t r = 0; r < Rows; ++r) {
            m = max(m, rows[r]);
            rows[r].template store_partial<Count>(c + (i + r) * Vectors * width<T> + j);
        }
        largest[j / width<T>] = m;
    }
};

TYPED_TEST(product_test, columns_with_state) {
    using T = TypeParam;
    constexpr product_shape P{33, 40, 6, 6, 1, 40};
    constexpr std::size_t vectors = padded<T>(P.j) / width<T>;
    const operands<T, P> x;
    std::vector<T> c(P.i * padded<T>(P.j));
    running_max<T, vectors> epilogue{c.data(), {}};
    for (auto& m : epilogue.largest) m = lanes<T, width<T>, current_config>(T(-1000));
    product<T, current_config, P>(x.scalars(), x.vectors(), epilogue);
    std::vector<T> largest(padded<T>(P.j));
    for (std::size_t n = 0; n < vectors; ++n) epilogue.largest[n].store(largest.data() + n * width<T>);
    for (std::size_t j = 0; j < P.j; ++j) {
        double expected = -1000;
        for (std::size_t i = 0; i < P.i; ++i) {
            expected = std::max(expected, x.sum(i, j));
            ASSERT_NEAR(c[i * padded<T>(P.j) + j], x.sum(i, j), tolerance<T>(P.k));
        }
        ASSERT_NEAR(largest[j], expected, tolerance<T>(P.k));
    }
}

/// Counts the calls of `interleave`.
template <class T, std::size_t Columns>
struct counting_epilogue : store_product<T, current_config, Columns> {
    static constexpr hook hooks = hook::vector | hook::interleave;
    std::size_t calls = 0;

    void interleave() { ++calls; }
};

template <class T, std::size_t Depth>
void check_interleaved() {
    constexpr product_shape P{9, 33, Depth, Depth, 1, 33};
    const operands<T, P> x;
    std::vector<T> c(P.i * P.j);
    counting_epilogue<T, P.j> epilogue{{c.data()}};
    product<T, current_config, P>(x.scalars(), x.vectors(), epilogue);
    EXPECT_EQ(epilogue.calls, (product_block_count<T, current_config, P>)*(P.k / interleave_period));
    for (std::size_t i = 0; i < P.i; ++i)
        for (std::size_t j = 0; j < P.j; ++j) ASSERT_NEAR(c[i * P.j + j], x.sum(i, j), tolerance<T>(P.k));
}

TYPED_TEST(product_test, interleaved_work) {
    check_interleaved<TypeParam, 24>();
    check_interleaved<TypeParam, 4>();
    check_interleaved<TypeParam, 7>();
}

}  // namespace
