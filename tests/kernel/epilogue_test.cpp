// SPDX-License-Identifier: BSL-1.0
// Every hook of the epilogue protocol in every product kernel: called as often and for the places that it says.
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/copying_rhs.hpp>
#include <ashlar/kernel/product/product_dot.hpp>

#include "kernel/recorded_epilogue.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;
using namespace recording;

/// Operands S(i, k) = s[i*depth + k] and V(k, j) = v[k*columns + j], V transposed, and their product.
template <class T>
struct operands {
    std::vector<T> s, v, transposed;
    std::vector<double> products;

    [[gnu::noinline]] operands(std::size_t rows, std::size_t columns, std::size_t depth)
        : s(rows * depth), v(depth * columns), transposed(columns * depth), products(rows * columns) {
        for (std::size_t n = 0; n < s.size(); ++n) s[n] = static_cast<T>(static_cast<int>(n * 37 % 29) - 14) / T(8);
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t j = 0; j < columns; ++j)
                v[k * columns + j] = transposed[j * depth + k] =
                    static_cast<T>(static_cast<int>((j * 23 + k * 11) % 31) - 15) / T(8);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                for (std::size_t k = 0; k < depth; ++k)
                    products[i * columns + j] += double(s[i * depth + k]) * double(v[k * columns + j]);
    }
};

template <class T>
class epilogue_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(epilogue_test, element_types);

/// Calls f with each hook that a kernel serves in addition to `vector`, and with all of them, as constants.
template <hook Served, class Function>
void for_each_hook(Function f) {
    const auto with = [&]<hook Hooks>() { f(std::integral_constant<hook, Hooks>{}); };
    const auto one = [&]<hook Hook>() {
        if constexpr ((Served & Hook) == Hook) with.template operator()<Hook | hook::vector>();
    };
    with.template operator()<hook::vector>();
    one.template operator()<hook::column>();
    one.template operator()<hook::group>();
    one.template operator()<hook::initial>();
    one.template operator()<hook::begin_block>();
    one.template operator()<hook::splits_block>();
    one.template operator()<hook::kept_halves>();
    one.template operator()<hook::interleave>();
    one.template operator()<hook::end_block>();
    one.template operator()<hook::begin_columns>();
    with.template operator()<Served>();
    with.template operator()<Served - hook::vector - hook::column - hook::group | hook::vector>();
}

template <class T, product_shape P, bool Halves>
void check_product() {
    const operands<T> x(P.i, P.j, P.k);
    for_each_hook<served_by_product<T, current_config, P, Halves>>([&](auto hooks) {
        const hooks_trace trace(hooks.value);
        recorder<T, hooks.value> epilogue{P.i, P.j};
        product<T, current_config, P>(x.s.data(), x.v.data(), epilogue);
        epilogue.expect(hooks.value, width<T>, x.products);
        using recorder = decltype(epilogue);
        if constexpr (has_hook<recorder, hook::interleave> && !has_hook<recorder, hook::begin_block> &&
                      !has_hook<recorder, hook::splits_block>)
            epilogue.expect_interleaved(product_block_count<T, current_config, P> * (P.k / 4));
        if constexpr (has_hook<recorder, hook::splits_block>)
            epilogue.expect_splits(product_plan<T, current_config, cut_product<T, current_config, P>>.vectors.large >
                                   1);
        if constexpr (has_hook<recorder, hook::kept_halves>) epilogue.expect_halves();
        if constexpr (has_hook<recorder, hook::begin_columns>) epilogue.expect_columns(width<T>);
    });
}

TYPED_TEST(epilogue_test, register_blocks) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>;
    check_product<T, product_shape{.i = 13, .j = 4 * w, .k = 12, .si = 12, .sk = 1, .vk = 4 * w}, false>();
    check_product<T,
                  cut_as<T, product_shape{.i = 13, .j = 3 * w + 1, .k = 12, .si = 12, .sk = 1, .vk = 3 * w + 1},
                         cut_options{.packs = false, .splits = true}>,
                  false>();
}

TYPED_TEST(epilogue_test, half_registers) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>;
    constexpr product_shape P = cut_as<T, product_shape{.i = 32, .j = 2 * w, .k = 12, .si = 12, .sk = 1, .vk = 2 * w},
                                       cut_options{.granule = 8}>;
    if constexpr (has_half_registers<T, current_config, P>) check_product<T, P, true>();
}

TYPED_TEST(epilogue_test, strips) {
    using T = TypeParam;
    constexpr product_shape P{.i = 5, .j = 1, .k = 64, .si = 64, .sk = 1, .vk = 1};
    static_assert(!shuffled<T> || width<T> == 1 || cut_product<T, current_config, P>.cut.strip_steps == width<T>);
    check_product<T, P, false>();
}

TYPED_TEST(epilogue_test, packed_columns) {
    using T = TypeParam;
    constexpr std::size_t j = width<T> + 1;
    constexpr product_shape P{.i = 37, .j = j, .k = 64, .si = 64, .sk = 1, .vk = j};
    static_assert(!shuffled<T> || width<T> < 4 || cut_product<T, current_config, P>.cut.last_steps != 1);
    check_product<T, P, false>();
}

TYPED_TEST(epilogue_test, few_columns) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>;
    if constexpr (w >= 4) {
        // The columns of the recorder are in lanes.
        constexpr std::size_t rows = 37, columns = w / 2 - (w > 4), depth = 12;
        constexpr packed_k_shape P{columns, rows, depth, depth, depth};
        const operands<T> x(rows, columns, depth);
        for_each_hook<served_by_packed_k>([&](auto hooks) {
            const hooks_trace trace(hooks.value);
            recorder<T, hooks.value> epilogue{rows, columns, packed_k_line(columns)};
            product_packed_k<T, current_config, P>(x.s.data(), x.transposed.data(), epilogue);
            epilogue.expect(hooks.value, width<T>, x.products);
        });
    }
}

TYPED_TEST(epilogue_test, dots) {
    using T = TypeParam;
    constexpr std::size_t columns = 2 * width<T> + 1, depth = 12;
    const operands<T> x(1, columns, depth);
    for_each_hook<served_by_dots>([&](auto hooks) {
        recorder<T, hooks.value> epilogue{1, columns};
        dot_rows<T, current_config, dot_shape{columns, depth, depth}>(x.s.data(), x.transposed.data(), epilogue);
        epilogue.expect(hooks.value, width<T>, x.products);
    });
}

template <class T, product_shape P>
void check_transposed() {
    if constexpr (fits_transposing_rhs<T, current_config, P>) {
        const operands<T> x(P.i, P.j, P.k);
        for_each_hook<served_by_transposing_rhs>([&](auto hooks) {
            const hooks_trace trace(hooks.value);
            std::vector<T> v(P.k * P.vk);
            recorder<T, hooks.value> epilogue{P.i, P.j};
            product_transposing_rhs<T, current_config, P, P.k>(x.s.data(), v.data(), x.transposed.data(), epilogue);
            epilogue.expect(hooks.value, width<T>, x.products);
        });
    }
}
TYPED_TEST(epilogue_test, transposed_operands) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>;
    check_transposed<T, product_shape{.i = 23, .j = 4 * w, .k = 2 * w, .si = 2 * w, .sk = 1, .vk = 4 * w}>();
    check_transposed<T, product_shape{.i = 24, .j = 3 * w + 1, .k = 4 * w, .si = 4 * w, .sk = 1, .vk = 3 * w + 1}>();
}

TYPED_TEST(epilogue_test, copied_columns) {
    using T = TypeParam;
    constexpr std::size_t columns = 5 * width<T>, depth = 12;
    static constexpr product_shape shape =
        cut_as<T, product_shape{.i = 25, .j = columns, .k = depth, .si = depth, .sk = 1, .vk = columns}, {}>;
    const operands<T> x(shape.i, columns, depth);
    const auto run = [&](auto hooks, auto prefetches) {
        std::vector<T> copy(copied_rows::table_bytes(shape, 1, element_machine_of<T, current_config>) / sizeof(T));
        recorder<T, hooks.value> epilogue{shape.i, columns};
        copied_rows::run<T, current_config, shape, 1, prefetches.value>(x.s.data(), x.v.data(), epilogue, copy.data());
        epilogue.expect(hooks.value, width<T>, x.products);
    };
    for_each_hook<served_by_copying_rhs>([&](auto hooks) {
        run(hooks, std::false_type{});
        run(hooks, std::true_type{});
    });
}

/// What each kernel does not serve is refused; tests/diagnostics/kernel_epilogue_*.cpp have the messages.
constexpr product_shape any_shape{.i = 13, .j = 64, .k = 12, .si = 12, .sk = 1, .vk = 64};
static_assert(every_hook - served_by_product<float, current_config, any_shape, false> ==
              (hook::group | hook::kept_halves));
static_assert(every_hook - served_by_dots == (every_hook - hook::vector));
static_assert(every_hook - served_by_packed_k ==
              (hook::initial | hook::splits_block | hook::kept_halves | hook::interleave | hook::begin_columns));
static_assert(every_hook - served_by_copying_rhs == (hook::group | hook::begin_block | hook::splits_block |
                                                     hook::kept_halves | hook::interleave | hook::begin_columns));
static_assert(every_hook - served_by_transposing_rhs ==
              (hook::group | hook::splits_block | hook::kept_halves | hook::interleave | hook::begin_columns));

}  // namespace
