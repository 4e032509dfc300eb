// SPDX-License-Identifier: BSL-1.0
// Scores of several rows against a large table are computed in tiles of columns. The last tile overlaps the one before.
#include <tests/plan/program_check.hpp>
#include <tests/support/differential.hpp>

#include <ashlar/nn/layers/embedding.hpp>

namespace {

using namespace ashlar;

using reference::of;

template <std::size_t Rows, std::size_t Entries, std::size_t Depth>
struct scores {
    support::random_numbers random{21};
    tensor<float, Rows, Depth> x = random.normal<float, Rows, Depth>();
    tensor<float, Entries, Depth> table = random.normal<float, Entries, Depth>();
    tensor<float, Entries> bias = random.normal<float, Entries>();

    reference::array expected() const { return reference::matmul(of(x), reference::transpose(of(table))); }
};

/// Some loop of the plan of E runs over tiles of columns.
template <class E>
consteval bool is_cut() {
    for (const auto& loop : detail::planned<E, current_config>::code.loops)
        if (loop.columns) return true;
    return false;
}

template <std::size_t Rows, std::size_t Entries>
void check_scores() {
    static const scores<Rows, Entries, 60> s;
    const auto e = matmul(s.x, transpose(s.table));
    static_assert(is_cut<decltype(e)>() && workspace_bytes<decltype(e)> <= 28 * 1024);
    const auto more = relu(e * 0.5f + s.bias);
    static_assert(is_cut<decltype(more)>());
    support::check(
        more, reference::zip(s.expected(), of(s.bias), [](double x, double b) { return reference::relu(x / 2 + b); }),
        1e-5);
}

TEST(column_tiles, scores_with_epilogues) {
    check_scores<9, 1024>();
    check_scores<27, 1009>();  // a prime
    check_scores<70, 300>();   // several tiles of rows
}

TEST(column_tiles, into_views_and_stores) {
    static const scores<17, 700, 40> s;
    static tensor<float, 700, 17> turned;
    support::check_into(transpose(turned), matmul(s.x, transpose(s.table)), 1e-5);
    static tensor<float, 17, 700> kept;
    support::check(store(kept, matmul(s.x, transpose(s.table))), s.expected(), 1e-5);
    reference::expect_near(kept, s.expected(), 1e-5);
}

TEST(column_tiles, batches) {
    static support::random_numbers random(22);
    static const auto x = random.normal<float, 3, 18, 40>();
    static const auto table = random.normal<float, 600, 40>();
    const auto e = matmul(x, transpose(table));
    static_assert(is_cut<decltype(e)>());
    support::check(e);
}

TEST(column_tiles, rows_that_are_needed_whole) {
    static const scores<20, 600, 40> s;
    support::check(log_softmax(matmul(s.x, transpose(s.table))), reference::log_softmax(s.expected()), 1e-5);
}

/// The destination is the left operand: a tile of rows is staged until all of its columns are finished.
TEST(column_tiles, in_place) {
    static scores<40, 288, 288> s;
    static_assert(is_cut<decltype(matmul(s.x, transpose(s.table)) + s.x)>());
    const auto expected = reference::add(s.expected(), of(s.x));
    s.x = matmul(s.x, transpose(s.table)) + s.x;
    reference::expect_near(s.x, expected, 1e-4);
}

TEST(column_tiles, programs_are_sound) {
    static scores<70, 601, 40> s;
    static tensor<float, 2, 33, 40> x;
    support::expect_sound(matmul(s.x, transpose(s.table)));
    support::expect_sound(relu(matmul(x, transpose(s.table)) + s.bias));
    support::expect_sound(softmax(matmul(s.x, transpose(s.table))));
    const auto text = explain(matmul(s.x, transpose(s.table)));
    EXPECT_NE(std::string(text.c_str()).find(" of 601 columns, some of them twice"), std::string::npos) << text.c_str();
}

/// A vocabulary of 32,768 words takes some tens of KB, for any number of rows.
using words = nn::embedding<{.entries = 32768, .size = 288}>;
template <std::size_t Rows>
constexpr std::size_t scratch =
    workspace_bytes<decltype(std::declval<const words&>().scores(std::declval<const tensor<float, Rows, 288>&>()))>;
static_assert(scratch<1> == 0 && scratch<9> <= 64 * 1024 && scratch<27> <= 64 * 1024 && scratch<128> <= 64 * 1024);

}  // namespace
