// SPDX-License-Identifier: BSL-1.0
// Every hook of the epilogue protocol in every product kernel: called as often and for the places that it says.
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/product_dot.hpp>

#include "kernel/kernel_calls.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

template <class T>
constexpr std::size_t width = lane_width<T, current_config>;
template <class T>
constexpr bool shuffled = shuffles<T, width<T>, current_config>();

constexpr hook every_hook = hook::vector | hook::column | hook::group | hook::initial | hook::begin_block |
                            hook::splits_block | hook::kept_halves | hook::interleave | hook::end_block |
                            hook::begin_columns;

/// What happened to one element of a product.
struct element_log {
    int asked = 0, started = 0, given = 0, ended = 0, split = 0, halved = 0;
    block_verdict verdict = block_verdict::masked;
    bool needed = true;
};

/// What epilogues write down. It depends on no hooks and on no shape, so that it is compiled once for the hundreds of
/// epilogues below and not inlined into each place that their kernels call.
struct recorded {
    std::size_t rows, columns;
    std::size_t line = 1;
    std::vector<element_log> log = std::vector<element_log>(rows * columns);
    std::vector<double> sums = std::vector<double>(rows * columns);
    std::vector<std::size_t> following{};
    std::size_t interleaved = 0, verdicts = 0, splits = 0, halved = 0;

    template <class Function>
    void each(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1, Function f) {
        ASSERT_LE(i0, i1);
        ASSERT_LE(i1, rows);
        ASSERT_LE(j0, j1);
        ASSERT_LE(j1, columns);
        for (std::size_t i = i0; i < i1; ++i)
            for (std::size_t j = j0; j < j1; ++j) f(log[i * columns + j], i, j);
    }
    [[gnu::noinline]] void give(std::size_t i, std::size_t j, double sum, block_verdict verdict) {
        each(i, i + 1, j, j + 1, [&](element_log& at, std::size_t, std::size_t) {
            ++at.given;
            EXPECT_EQ(at.verdict, verdict) << i << ' ' << j;
            sums[i * columns + j] = sum;
        });
    }
    [[gnu::noinline]] double start(std::size_t i, std::size_t j, std::size_t count) {
        each(i, i + 1, j, j + count, [](element_log& at, std::size_t, std::size_t) { ++at.started; });
        return double(i * 100 + j);
    }
    [[gnu::noinline]] block_verdict ask(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        constexpr block_verdict turns[] = {block_verdict::plain, block_verdict::masked, block_verdict::skip};
        const block_verdict verdict = turns[verdicts++ % 3];
        each(i0, i1, j0, j1, [&](element_log& at, std::size_t, std::size_t) {
            ++at.asked;
            at.verdict = verdict;
            at.needed = verdict != block_verdict::skip;
            at.halved = 0;
        });
        return verdict;
    }
    [[gnu::noinline]] bool split(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        each(i0, i1, j0, j1, [](element_log& at, std::size_t, std::size_t) { ++at.split; });
        return ++splits % 2 == 1;
    }
    /// All but the first half, all but the last, and all by turns.
    [[gnu::noinline]] half_range halve(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1,
                                       std::size_t half) {
        const std::size_t count = (j1 - j0 + half - 1) / half, turn = halved++ % 3;
        const half_range kept{turn == 0 ? std::size_t{1} : 0, turn == 1 ? count - 1 : count};
        if (turn != 2)
            each(i0, i1, j0, j1, [&](element_log& at, std::size_t, std::size_t j) {
                at.halved = 1;
                at.needed = kept.first <= (j - j0) / half && (j - j0) / half < kept.last;
            });
        return kept;
    }
    [[gnu::noinline]] void end(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        each(i0, i1, j0, j1 < columns ? j1 : columns, [](element_log& at, std::size_t, std::size_t) {
            ++at.ended;
            EXPECT_TRUE(at.given == 1 || !at.needed);
        });
    }
    [[gnu::noinline]] void follow(std::size_t next) { following.push_back(next); }

    /// Checks that all was done once by these hooks for lanes of this width, and the sums.
    [[gnu::noinline]] void expect(hook hooks, std::size_t lane_count, const std::vector<double>& products) {
        const auto has = [&](hook h) { return (hooks & h) == h; };
        each(0, rows, 0, columns, [&](element_log& at, std::size_t i, std::size_t j) {
            SCOPED_TRACE(testing::Message() << "element " << i << ' ' << j);
            if (at.halved == 1 && !at.needed) return;  // not specified
            ASSERT_EQ(at.given, at.needed ? 1 : 0);
            ASSERT_EQ(at.asked, has(hook::begin_block) && at.halved == 0 ? 1 : 0);
            ASSERT_EQ(at.ended, has(hook::end_block) && at.needed ? 1 : 0);
            ASSERT_EQ(at.started, has(hook::initial) && at.needed ? 1 : 0);
            const double start = has(hook::initial) ? double(i * 100 + j / lane_count * lane_count) : 0;
            if (at.needed) ASSERT_NEAR(sums[i * columns + j], products[i * columns + j] + start, 1e-2);
        });
    }
    [[gnu::noinline]] void expect_interleaved(std::size_t times) const { EXPECT_EQ(interleaved, times); }
    [[gnu::noinline]] void expect_splits(bool some) const {
        if (some) EXPECT_GT(splits, 0u);
        for (const element_log& at : log) EXPECT_LE(at.split, 1);
    }
    [[gnu::noinline]] void expect_halves() const { EXPECT_GT(halved, 2u); }
    [[gnu::noinline]] void expect_columns(std::size_t lane_count) const {
        ASSERT_FALSE(following.empty());
        for (std::size_t n = 1; n < following.size(); ++n) EXPECT_LT(following[n - 1], following[n]);
        EXPECT_EQ((following.back() + lane_count - 1) / lane_count, (columns + lane_count - 1) / lane_count);
    }
};

/// Names the hooks in what fails below.
struct hooks_trace {
    testing::ScopedTrace trace;
    [[gnu::noinline]] explicit hooks_trace(hook hooks)
        : trace(__FILE__, __LINE__, testing::Message() << "hooks " << static_cast<int>(hooks)) {}
};

/// An epilogue with some of the hooks, which writes down what it is told. Verdicts go round.
template <class T, hook Hooks, std::size_t Period = 4>
struct recorder : recorded {
    static constexpr hook hooks = Hooks, withheld = every_hook - Hooks;
    static constexpr std::size_t interleave_period = Period;
    static constexpr bool rolls = false, ends_within = true;
    using vec = lanes<T, width<T>, current_config>;

    recorder(std::size_t i, std::size_t j, std::size_t count = 1) : recorded{i, j, count} {}

    template <std::size_t N, class Verdict>
    [[gnu::noinline]] void vector(std::size_t i, std::size_t j, vec x, lane_count<N>, Verdict)
        requires((Hooks & hook::vector) != hook::none)
    {
        for (std::size_t lane = 0; lane < N; ++lane) give(i, j + lane, double(x[lane]), Verdict::value);
    }
    template <std::size_t Rows, std::size_t N, class Verdict>
    [[gnu::noinline]] void column(std::size_t i, std::size_t j, const vec (&x)[Rows], lane_count<N>, Verdict)
        requires((Hooks & hook::column) != hook::none)
    {
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t lane = 0; lane < N; ++lane) give(i + r, j + lane, double(x[r][lane]), Verdict::value);
    }
    template <std::size_t N, class Verdict>
    [[gnu::noinline]] void group(std::size_t i, vec x, lane_count<N>, Verdict)
        requires((Hooks & hook::group) != hook::none)
    {
        for (std::size_t c = 0; c < N; ++c)
            for (std::size_t j = 0; j < columns; ++j) give(i + c, j, double(x[c * line + j]), Verdict::value);
    }
    template <std::size_t N>
    vec initial(std::size_t i, std::size_t j, lane_count<N>)
        requires((Hooks & hook::initial) != hook::none)
    {
        return vec(T(start(i, j, N)));  // in all lanes
    }
    block_verdict begin_block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1)
        requires((Hooks & hook::begin_block) != hook::none)
    {
        return ask(i0, i1, j0, j1);
    }
    bool splits_block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1)
        requires((Hooks & hook::splits_block) != hook::none)
    {
        return split(i0, i1, j0, j1);
    }
    half_range kept_halves(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1)
        requires((Hooks & hook::kept_halves) != hook::none)
    {
        return halve(i0, i1, j0, j1, width<T> == 1 ? 1 : width<T> / 2);
    }
    void interleave()
        requires((Hooks & hook::interleave) != hook::none)
    {
        ++interleaved;
    }
    void end_block(std::size_t i, std::size_t count, std::size_t j, std::size_t vectors)
        requires((Hooks & hook::end_block) != hook::none)
    {
        end(i, i + count, j, j + vectors * width<T>);
    }
    void begin_columns(std::size_t next)
        requires((Hooks & hook::begin_columns) != hook::none)
    {
        follow(next);
    }
};

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

/// Calls f with each hook that a kernel serves beside `vector`, and with all of them, as constants.
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
    check_product<T, product_shape{.i = 13, .j = 4 * w, .k = 12, .si = 12, .sk = 1, .vk = 4 * w, .rows_outer = true},
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
    constexpr product_shape P{.i = 13, .j = 1, .k = 64, .si = 64, .sk = 1, .vk = 1};
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
        // The columns of the recorder lie in lanes.
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
            using recorder = decltype(epilogue);
            if constexpr (has_hook<recorder, hook::interleave> && !has_hook<recorder, hook::begin_block>) {
                constexpr product_shape others =
                    without_rows(P, choose_transposing_rows(P, element_machine_of<T, current_config>));
                epilogue.expect_interleaved(product_block_count<T, current_config, others> * (P.k / 4));
            }
        });
    }
}
TYPED_TEST(epilogue_test, transposed_operands) {
    using T = TypeParam;
    constexpr std::size_t w = width<T>;
    check_transposed<T, product_shape{.i = 23, .j = 4 * w, .k = 2 * w, .si = 2 * w, .sk = 1, .vk = 4 * w}>();
    check_transposed<T, product_shape{.i = 24, .j = 3 * w + 1, .k = 4 * w, .si = 4 * w, .sk = 1, .vk = 3 * w + 1}>();
}

/// What each kernel does not serve is refused; tests/diagnostics/kernel_epilogue_*.cpp have the messages.
constexpr product_shape any_shape{.i = 13, .j = 64, .k = 12, .si = 12, .sk = 1, .vk = 64};
static_assert(every_hook - served_by_product<float, current_config, any_shape, false> ==
              (hook::group | hook::kept_halves));
static_assert(every_hook - served_by_dots == (every_hook - hook::vector));
static_assert(every_hook - served_by_packed_k ==
              (hook::initial | hook::splits_block | hook::kept_halves | hook::interleave | hook::begin_columns));
static_assert(every_hook - served_by_transposing_rhs ==
              (hook::group | hook::splits_block | hook::kept_halves | hook::begin_columns));

// -------------------------------------------------------------- epilogues before others

struct shifted_place {
    static std::size_t row(std::size_t i) { return i + 1; }
    static std::size_t column(std::size_t j) { return j + 2; }
};

/// All that goes through an adaptor that replaces nothing arrives.
TYPED_TEST(epilogue_test, forwards_all_hooks) {
    using T = TypeParam;
    recorder<T, every_hook> inner{8, 40, 1};
    forwarding_epilogue<recorder<T, every_hook>, shifted_place> outer{inner};
    using outer_type = decltype(outer);
    using vec = typename recorder<T, every_hook>::vec;
    static_assert(outer_type::hooks == every_hook && callable_hooks<outer_type, vec> == every_hook);
    static_assert(outer_type::interleave_period == 4 && !outer_type::rolls && outer_type::ends_within);
    const auto at = [&](std::size_t i, std::size_t j) -> element_log& { return inner.log[i * inner.columns + j]; };

    outer.begin_columns(9);
    EXPECT_EQ(inner.following.back(), 11u);
    const vec rows[2] = {vec(T(5)), vec(T(6))};
    outer.vector(0, 0, vec(T(3)), lane_count<1>{}, masked_block{});
    EXPECT_EQ(at(1, 2).given, 1);
    EXPECT_EQ(inner.sums[1 * inner.columns + 2], T(3));
    outer.column(1, 0, rows, lane_count<1>{}, masked_block{});
    EXPECT_EQ(inner.sums[2 * inner.columns + 2], T(5));
    EXPECT_EQ(inner.sums[3 * inner.columns + 2], T(6));
    EXPECT_EQ(outer.initial(3, 4, lane_count<1>{})[0], T(406));
    EXPECT_EQ(at(4, 6).started, 1);
    EXPECT_EQ(outer.begin_block(4, 5, 6, 7), block_verdict::plain);
    EXPECT_EQ(at(5, 8).asked, 1);
    EXPECT_TRUE(outer.splits_block(5, 6, 1, 2));
    EXPECT_EQ(at(6, 3).split, 1);
    EXPECT_EQ(outer.kept_halves(6, 7, 0, width<T>).first, 1u);
    EXPECT_EQ(at(7, 2).halved, 1);
    outer.interleave();
    EXPECT_EQ(inner.interleaved, 1u);
    for (element_log& other : inner.log) other.needed = false;
    outer.end_block(0, 1, 0, 1);
    EXPECT_EQ(at(1, 2).ended, 1);
}

TYPED_TEST(epilogue_test, forwards_groups) {
    using T = TypeParam;
    recorder<T, hook::group> inner{4, 1, 1};
    forwarding_epilogue<recorder<T, hook::group>, shifted_place> outer{inner};
    outer.group(1, typename recorder<T, hook::group>::vec(T(7)), lane_count<1>{}, masked_block{});
    EXPECT_EQ(inner.sums[2], T(7));
}

/// Nothing but the hooks of the inner one, and what is added.
struct only_vector {
    static constexpr hook hooks = hook::vector;
    template <class Lanes, std::size_t N, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<N>, Verdict) const {}
};
using float_lanes = lanes<float, width<float>, current_config>;
static_assert(callable_hooks<forwarding_epilogue<only_vector>, float_lanes> == hook::vector);
static_assert(named_hooks<only_vector> == hook::vector && named_hooks<recorder<float, hook::vector>> == every_hook);

/// Names are found whatever the parameters are.
struct odd_parameters {
    void end_block() const {}
    template <class Other>
    void initial(Other) const {}
};
static_assert(named_hooks<odd_parameters> == (hook::end_block | hook::initial));
static_assert(callable_hooks<odd_parameters, float_lanes> == hook::none);
struct odd_adaptor : forwarding_epilogue<only_vector> {
    void end_block() const {}
};
static_assert(own_hooks<forwarding_epilogue<only_vector>> == hook::none && own_hooks<odd_adaptor> == hook::end_block);

}  // namespace
