// SPDX-License-Identifier: BSL-1.0
// What is stored in the middle of an expression is written, and all of it, whether or not anybody reads it: at run time
// and in constant expressions.
#include <cmath>
#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/executors.hpp"

using namespace ashlar;

namespace {

/// Whether one stage of the plan writes to the destination of each store.
template <class Expression>
consteval bool each_store_has_a_stage() {
    constexpr const auto& code = detail::planned<Expression, current_config>::code;
    std::size_t stages = 0, stores = 0;
    for (std::size_t s = 0; s < code.stage_count; ++s) stages += code.stages[s].store != detail::no_node;
    for (const detail::graph_node& n : detail::graph<Expression>::nodes) stores += n.kind == node_kind::store;
    return stages == stores && stores != 0;
}

[[gnu::noinline]] void expect_equal(const char* what, const float* found, const float* expected, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_NEAR(found[i], expected[i], 2e-5f * (1 + std::fabs(expected[i]))) << what << ", element " << i;
}

template <class Tensor>
void spoil(Tensor& t) {
    std::memset(static_cast<void*>(t.data()), 0xff, sizeof t);
}

constexpr std::size_t rows = 19, columns = 16;
const auto x =
    generate<float, rows, columns>([](auto i, auto j) { return static_cast<float>((i * 7 + j * 3) % 11) / 4 - 1; });
const auto left = generate<float, rows, 9>([](auto i, auto j) { return static_cast<float>((i + j * 5) % 6) / 3 - 1; });
const auto right =
    generate<float, 9, columns>([](auto i, auto j) { return static_cast<float>((i * 3 + j) % 5) / 3 - 1; });

/// Evaluates what `use` makes of a stored value by kernels and as constant expressions are evaluated.
template <class Value, class Use>
void expect_written(const char* what, const Value& value, const Use& use) {
    static tensor<float, rows, columns> stored, expected;
    expected = value;
    const auto e = use(store(stored, value));
    static_assert(each_store_has_a_stage<std::remove_cvref_t<decltype(e)>>());
    spoil(stored);
    const auto y = eval(e);
    expect_equal(what, stored.data(), expected.data(), stored.size());
    spoil(stored);
    const auto constant = detail::constant_evaluate(e);
    expect_equal(what, stored.data(), expected.data(), stored.size());
    for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(static_cast<double>(y.data()[i]), static_cast<double>(constant.data()[i]), 1e-4) << what;
}

}  // namespace

#define EXPECT_WRITTEN(value, ...) expect_written(#__VA_ARGS__, value, [](const auto& s) { return __VA_ARGS__; })

TEST(stores, of_what_only_has_a_shape) {
    const auto sum_of = x + 1.0f;
    EXPECT_WRITTEN(sum_of, index<1>(exp(s) * 2.0f));
    EXPECT_WRITTEN(matmul(left, right), x + cast<float>(index<1>(s)));
    EXPECT_WRITTEN(softmax(x), where(index<0>(transpose(s)) < 3, 1.0f, transpose(x)));
}
TEST(stores, of_names_that_nobody_reads) {
    EXPECT_WRITTEN(softmax(matmul(left, right)), let(sum<0>(s), [](const auto& y) { return index<0>(y); }));
    // One name in the value of another one that nobody reads; one of them is read.
    EXPECT_WRITTEN(x * 2.0f, let(matmul(left, right), [&](const auto& y) {
                       return let(s + y, [&](const auto&) { return y + softmax<0>(y); });
                   }));
}
TEST(stores, of_what_is_read_in_part) {
    EXPECT_WRITTEN(matmul(left, right), slice<1, 2, 16, 5>(s));
    EXPECT_WRITTEN(softmax(x), row(s, 4) * 2.0f);
    EXPECT_WRITTEN(matmul(left, right), row(matmul(s, transpose(x)), 18));
    EXPECT_WRITTEN(x + 1.0f, take(s, tensor<int, 2>{1, 1}));
    EXPECT_WRITTEN(x + 1.0f, pad<0, 0, 1>(slice<0, 1, 2>(s)));
}
TEST(stores, of_what_conditions_and_masks_leave_out) {
    EXPECT_WRITTEN(x + 1.0f, where(x < -9.0f, s, x));
    EXPECT_WRITTEN(matmul(left, right), softmax(masked(s, causal)));
    EXPECT_WRITTEN(x + 1.0f, matmul(softmax(masked(matmul(x, transpose(x)), causal_at<-100>())), s));
    EXPECT_WRITTEN(matmul(left, right), attention(x, s, x, keys_below(0)));
    EXPECT_WRITTEN(x + 1.0f, masked_mean<0>(s, keys_below(2)));
    EXPECT_WRITTEN(x + 1.0f, s * 0.0f);
}
TEST(stores, of_what_is_read_twice) {
    EXPECT_WRITTEN(x + 1.0f, upsample<{.factor = 2, .mode = upsample_mode::linear}>(s));
    EXPECT_WRITTEN(matmul(left, right), layer_norm(s) + left(0, 0));
}

TEST(stores, inside_of_each_other) {
    static tensor<float, rows, columns> inner, outer;
    const auto e = index<0>(store(outer, store(inner, x + 1.0f) * 2.0f));
    static_assert(each_store_has_a_stage<std::remove_cvref_t<decltype(e)>>());
    spoil(inner);
    spoil(outer);
    EXPECT_EQ(eval(e)(3, 0), 3);
    EXPECT_TRUE(all(inner == x + 1.0f) && all(outer == (x + 1.0f) * 2.0f));
}

// What nobody reads is written before the destination, which it may be made of.
TEST(stores, where_the_destination_is_read) {
    static tensor<float, rows, columns> stored;
    tensor<float, rows, columns> y = x;
    y = let(store(stored, y + 1.0f), [&](const auto& v) { return x * 3.0f + cast<float>(index<0>(v)); });
    EXPECT_TRUE(all(stored == x + 1.0f));
    y = x;
    y = let(store(stored, y + 1.0f), [&](const auto&) { return softmax(y); });
    EXPECT_TRUE(all(stored == x + 1.0f));
    const tensor<float, rows, columns> expected = softmax(x);
    expect_equal("softmax", y.data(), expected.data(), y.size());
}

TEST(stores, with_workers_and_limited_rows) {
    static tensor<float, rows, columns> stored, unread, y;
    const auto e =
        let(store(unread, matmul(left, right)), [&](const auto&) { return softmax(store(stored, x * 2.0f)); });
    static workspace<workspace_bytes<decltype(e), 2>> scratch;
    support::backwards two{2};
    spoil(stored);
    spoil(unread);
    evaluate(y, e, scratch, two);
    const tensor<float, rows, columns> product = matmul(left, right);
    EXPECT_TRUE(all(stored == x * 2.0f));
    expect_equal("product", unread.data(), product.data(), product.size());
    // Of what the rows of the result are made of these rows; of what nobody reads all.
    spoil(stored);
    spoil(unread);
    evaluate(y, e, scratch, rows_below(3));
    EXPECT_TRUE(all(slice<0, 0, 3>(stored) == slice<0, 0, 3>(x) * 2.0f));
    expect_equal("product", unread.data(), product.data(), product.size());
}

// The sum of what is stored, in constant expressions.
template <class Use>
constexpr float stored_in(const Use& use) {
    const tensor<float, 2, 3> of = iota<float, 2, 3>();
    tensor<float, 2, 3> stored = full<float, 2, 3>(-9.0f);
    static_cast<void>(eval(use(store(stored, of + 1.0f))));
    return sum(stored);
}
static_assert(stored_in([](const auto& s) { return index<0>(s); }) == 21);
static_assert(stored_in([](const auto& s) { return let(s, [](const auto& y) { return index<1>(y); }); }) == 21);
static_assert(stored_in([](const auto& s) { return slice<0, 0, 1>(s); }) == 21);
static_assert(stored_in([](const auto& s) { return row(s, 1); }) == 21);
static_assert(stored_in([](const auto& s) { return take(s, tensor<int, 1>{1}); }) == 21);
static_assert(stored_in([](const auto& s) { return where(s < -1.0f, s, 0.0f); }) >= 21);
static_assert(stored_in([](const auto& s) { return softmax(masked(s, keys_below(0))); }) == 21);
static_assert(stored_in([](const auto& s) { return pad<0, 0, 1>(slice<0, 1, 2>(s)); }) == 21);
