// SPDX-License-Identifier: BSL-1.0
// An epilogue with any of the protocol's hooks that writes down how it is called.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"

namespace recording {

using namespace ashlar;
using namespace ashlar::detail;

template <class T>
inline constexpr std::size_t width = lane_width<T, current_config>;
template <class T>
inline constexpr bool shuffled = shuffles<T, width<T>, current_config>();

inline constexpr hook every_hook = hook::vector | hook::column | hook::group | hook::initial | hook::begin_block |
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
            if (at.needed) {
                ASSERT_NEAR(sums[i * columns + j], products[i * columns + j] + start, 1e-2);
            }
        });
    }
    [[gnu::noinline]] void expect_interleaved(std::size_t times) const { EXPECT_EQ(interleaved, times); }
    [[gnu::noinline]] void expect_splits(bool some) const {
        if (some) {
            EXPECT_GT(splits, 0u);
        }
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

/// An epilogue with some of the hooks. It records its calls and returns the verdicts in turn.
template <class T, hook Hooks>
struct recorder : recorded {
    static constexpr hook hooks = Hooks, withheld = every_hook - Hooks;
    static constexpr bool ends_within = true;
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

}  // namespace recording
