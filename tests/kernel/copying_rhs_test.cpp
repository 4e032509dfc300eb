// SPDX-License-Identifier: BSL-1.0
// copied_rows, whose right operand's columns are copied on the way, against naive loops in double precision.
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/copying_rhs.hpp>
#include <ashlar/kernel/product/reloading_epilogue.hpp>

#include "kernel/add_one.hpp"
#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::width;

/// The right operand lies one element off alignment with NaN behind each row and around all of it, in which prefetching
/// alone may look; scratch has guards. Compiled once for all shapes.
template <class T>
struct operands : support::product_operands<T> {
    std::vector<T> out, scratch;
    std::vector<int> count;

    [[gnu::noinline]] operands(const product_shape& of, std::size_t bytes)
        : support::product_operands<T>(of),
          out(of.i * of.j, std::numeric_limits<T>::quiet_NaN()),
          scratch(bytes / sizeof(T) + 2, T(-7)),
          count(of.i * of.j) {
        this->surround_by_nan();
    }
    [[gnu::noinline]] void expect_once() const {
        this->expect(out.data(), [&](std::size_t i, std::size_t j) { return 1 + this->sum(i, j); });
        for (const int times : count) ASSERT_EQ(times, 1);
        EXPECT_EQ(scratch.front(), T(-7));
        EXPECT_EQ(scratch.back(), T(-7));
        for (std::size_t n = 1; n + 1 < scratch.size(); ++n) ASSERT_NE(scratch[n], T(-7)) << "more than it needs";
    }
};

template <class T, std::size_t Rows, std::size_t Vectors, std::size_t Depth>
constexpr product_shape shape_of = [] {
    constexpr std::size_t columns = Vectors * width<T>;
    product_shape p{.i = Rows, .j = columns, .k = Depth, .si = Depth, .sk = 1, .vk = columns + 3};
    p.cut = choose_cut(p, element_machine_of<T, current_config>);
    return p;
}();

template <class T, std::size_t Rows, std::size_t Vectors, std::size_t Depth, std::size_t Parts = 1,
          bool Reloads = false, bool Prefetches = false>
void check() {
    static constexpr product_shape shape = shape_of<T, Rows, Vectors, Depth>;
    operands<T> x(shape, copied_rows::table_bytes(shape, Parts, element_machine_of<T, current_config>));
    add_one<T> epilogue{x.out.data(), x.count.data(), shape.j};
    const auto run = [&](auto& e) {
        copied_rows::run<T, current_config, shape, Parts, Prefetches>(x.scalars(), x.vectors(), e,
                                                                      x.scratch.data() + 1);
    };
    if constexpr (Reloads) {
        reloading_epilogue<add_one<T>> reloading{{epilogue}};
        run(reloading);
    } else {
        run(epilogue);
    }
    x.expect_once();
}

template <class T>
class copying_rhs_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(copying_rhs_test, element_types);

/// One row block, which copies alone; blocks of one height and of two; columns in one block, in several and in blocks
/// of two widths.
TYPED_TEST(copying_rhs_test, blocks) {
    check<TypeParam, 1, 1, 7>();
    check<TypeParam, 5, 2, 16>();
    check<TypeParam, 24, 4, 16>();
    check<TypeParam, 37, 7, 33>();
}

TYPED_TEST(copying_rhs_test, parts_of_the_depth) {
    check<TypeParam, 13, 4, 64, 2>();
    check<TypeParam, 25, 5, 67, 3>();
    check<TypeParam, 7, 3, 5, 5>();
}

TYPED_TEST(copying_rhs_test, reloading_epilogues) {
    check<TypeParam, 26, 4, 390, 1, true>();
    check<TypeParam, 25, 5, 201, 2, true>();
    check<TypeParam, 24, 2, 3, 1, true>();
}

TYPED_TEST(copying_rhs_test, prefetched_columns) {
    check<TypeParam, 5, 2, 16, 1, false, true>();
    check<TypeParam, 37, 7, 67, 3, false, true>();
    check<TypeParam, 25, 5, 201, 2, true, true>();
}

/// While rows that do not copy are multiplied, all of the next columns are prefetched, of the same width and no more.
template <class T, std::size_t Rows, std::size_t Vectors, std::size_t Depth>
void check_requests() {
    static constexpr product_shape shape = shape_of<T, Rows, Vectors, Depth>;
    static constexpr std::size_t columns = product_plan<T, current_config, shape>.vectors.large * width<T>;
    using storing = store_product<T, current_config, shape.j>;
    const std::vector<T> s(shape.i * shape.k), v(shape.k * shape.vk + columns), copy(shape.k * columns);
    std::vector<T> out(shape.i * shape.j);
    storing store{out.data()};
    prefetching_columns<storing, T, shape, columns> asking{{store, {0}}, {}};
    const auto* const first = reinterpret_cast<const char*>(v.data() + columns);
    asking.ahead = {first, shape.k};
    product<T, current_config, copied_block(shape, columns)>(s.data(), copy.data(), constant_depth<0, shape.k>{},
                                                             asking, nullptr, 1);
    EXPECT_EQ(asking.ahead.rows, 0u) << "of " << shape.k << ", beside " << shape.cut.row_blocks - 1 << " blocks";
    EXPECT_EQ(asking.ahead.next, first + shape.k * shape.vk * sizeof(T));
}

TYPED_TEST(copying_rhs_test, next_columns_are_asked_for) {
    check_requests<TypeParam, 32, 8, 384>();
    check_requests<TypeParam, 37, 7, 67>();
    check_requests<TypeParam, 128, 4, 341>();
}

/// Rows that copy begin as the others do: a sum of nothing but -0 has one sign in all of them.
template <class T, bool MultipliesFirst>
void check_signs() {
    static constexpr product_shape shape = [] {
        product_shape p = shape_of<T, 25, 3, 9>;
        p.cut.multiplies_first = MultipliesFirst;
        return p;
    }();
    const std::vector<T> s(shape.i * shape.k), v(shape.k * shape.vk, T(-2));
    std::vector<T> out(shape.i * shape.j, T(1)),
        scratch(copied_rows::table_bytes(shape, 1, element_machine_of<T, current_config>) / sizeof(T));
    store_product<T, current_config, shape.j> store{out.data()};
    copied_rows::run<T, current_config, shape, 1, false>(s.data(), v.data(), store, scratch.data());
    for (std::size_t n = 0; n < out.size(); ++n) {
        ASSERT_EQ(out[n], T(0));
        ASSERT_EQ(std::signbit(out[n]), MultipliesFirst) << "row " << n / shape.j;
    }
}

TYPED_TEST(copying_rhs_test, negative_zeros) {
    check_signs<TypeParam, false>();
    check_signs<TypeParam, true>();
}

}  // namespace
