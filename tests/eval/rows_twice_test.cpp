// SPDX-License-Identifier: BSL-1.0
// Last tiles that begin early enough to be full: which plans have them. Results equal those of other tiles, also in
// place.
#include <cstring>
#include <utility>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;

/// The part of a plan that is of interest here: the loop over rows in which the result is written.
template <class E>
constexpr detail::plan_loop rows_of = [] {
    const auto& code = detail::planned<E, current_config>::code;
    detail::loop_index loop = detail::no_loop;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].buffer == detail::no_buffer) loop = code.stages[s].loop;
    while (loop != detail::no_loop && !code.loops[loop].rows) loop = code.loops[loop].parent;
    return loop == detail::no_loop ? detail::plan_loop{} : code.loops[loop];
}();

constexpr std::size_t columns = 8;
using weights = tensor<float, columns, columns>;

/// Stages in which each row of the result is made of the same row of x.
template <class X>
auto step(const X& x, const weights& w) {
    return let(layer_norm(matmul(x, w)), [](const auto& y) { return y * sigmoid(y); });
}
template <class X>
auto rows_by_rows(const X& x, const weights& w) {
    return let(step(step(step(step(x, w), w), w), w), [&x](const auto& y) { return y + x; });
}
/// The same with all rows of x among keys and values.
template <class X>
auto among_rows(const X& x, const weights& w) {
    return let(attention(step(x, w), step(x, w), x, causal), [&x, &w](const auto& y) { return step(y, w) + x; });
}

template <std::size_t Rows>
using by_rows =
    decltype(rows_by_rows(std::declval<const tensor<float, Rows, columns>&>(), std::declval<const weights&>()));
template <std::size_t Rows>
using among = decltype(among_rows(std::declval<const tensor<float, Rows, columns>&>(), std::declval<const weights&>()));

// One row of 63 is computed twice, and 23 of 457.
static_assert(rows_of<by_rows<63>>.tile == 32 && rows_of<by_rows<63>>.overlaps);
static_assert(rows_of<among<457>>.overlaps && rows_of<among<457>>.last_rows() == 0);
// Where all tiles are full, where it would be too many rows, and in programs of few stages it is as before.
static_assert(!rows_of<by_rows<64>>.overlaps && rows_of<by_rows<64>>.last_rows() == 0);
static_assert(!rows_of<by_rows<50>>.overlaps && !rows_of<by_rows<33>>.overlaps);
static_assert(rows_of<by_rows<33>>.last_rows() == 1);
template <std::size_t Rows>
using attending = decltype(attention(std::declval<const tensor<float, Rows, columns>&>(),
                                     std::declval<const tensor<float, Rows, columns>&>(),
                                     std::declval<const tensor<float, Rows, columns>&>()));
static_assert(!rows_of<attending<457>>.overlaps && rows_of<attending<457>>.last_rows() == 9);

/// f(x, w) against its evaluation node by node. In place, no row is computed from a row that was overwritten.
template <std::size_t Rows>
void check(const auto& f) {
    const auto w = support::random_numbers(1).normal<float, columns, columns>();
    const tensor<float, Rows, columns> x = support::random_numbers(Rows).normal<float, Rows, columns>();
    tensor<float, Rows, columns> y, same = x;
    y = f(x, w);
    reference::expect_near(y, reference::of(detail::constant_evaluate(f(x, w))), 1e-5, 1e-3);
    same = f(std::as_const(same), w);
    EXPECT_EQ(std::memcmp(same.data(), y.data(), sizeof y), 0);
}

TEST(rows_twice, are_what_they_are_once) {
    check<63>([](const auto& x, const weights& w) { return rows_by_rows(x, w); });
    check<457>([](const auto& x, const weights& w) { return among_rows(x, w); });
}

TEST(rows_twice, are_in_explain) {
    const tensor<float, 63, columns> x{};
    const weights w{};
    const auto text = explain(rows_by_rows(x, w));
    EXPECT_TRUE(text.contains("for every 32 of 63 rows, some of them twice")) << text.c_str();
    EXPECT_FALSE(text.contains("at the end")) << text.c_str();
}

// A reduction over all rows adds each of them once.
TEST(rows_twice, are_not_added_twice) {
    const auto x = support::random_numbers(3).normal<float, 63, columns>();
    const auto w = support::random_numbers(1).normal<float, columns, columns>();
    support::check(sum(rows_by_rows(x, w)), 1e-5);
}

}  // namespace
