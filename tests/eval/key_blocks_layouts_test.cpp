// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: batches, other layouts of operands, other elements, destinations and states.
#include <algorithm>
#include <cmath>

#include <tests/support/executors.hpp>
#include <tests/support/key_blocks.hpp>

namespace {

using namespace support::key_blocks;

/// Batches, heads, and several query heads for one of keys and values.
TEST(key_blocks, heads) {
    const auto k = numbers<2, 2, 48, 8>(2);
    const auto v = numbers<2, 2, 48, 16>(3);
    const auto wide = numbers<2, 32, 32>(4);
    const auto heads = permute<0, 2, 1, 3>(reshape<2, 32, 4, 8>(wide));
    check(reshape<2, 32, 64>(permute<0, 2, 1, 3>(attention(heads, k, v, causal_at<14>()))));
    check(matmul(reshape<2, 32, 64>(permute<0, 2, 1, 3>(attention(heads, k, v))), numbers<64, 16>(5)));
    check(attention(numbers<3, 1, 8>(6), numbers<3, 130, 8>(7), numbers<3, 130, 16>(8)));
}

/// Other layouts of operands: keys by columns, in blocks of columns and in 16 bits, views at odd addresses.
TEST(key_blocks, layouts) {
    const auto q = numbers<32, 16>(1);
    const auto one = numbers<1, 16>(4);
    const auto v = numbers<96, 16>(3);
    const auto columns = numbers<16, 96>(2);
    check(attention(q, transpose(columns), v, causal_at<70>()));
    check(attention(one, transpose(columns), v, keys_below(90)));
    const auto blocks = numbers<3, 16, 32>(5);
    const auto k = reshape<96, 16>(permute<0, 2, 1>(blocks));
    check(attention(q, k, v));
    const tensor<bf16, 96, 16> narrow = numbers<96, 16>(6), narrow_values = v;
    check(attention(q, narrow, narrow_values, causal_at<70>()));
    check(attention(one, narrow, narrow_values));
}

/// Doubles, and more of them in a tile than registers divide.
TEST(key_blocks, doubles) {
    const auto q = support::random_numbers(1).normal<double, 37, 12>();
    const auto k = support::random_numbers(2).normal<double, 53, 12>();
    const auto v = support::random_numbers(3).normal<double, 53, 20>();
    check(attention(q, k, v, causal_at<16>()));
}

/// The states of partial attentions, maxima and sums of all blocks, beside loops in doubles.
TEST(key_blocks, states) {
    const auto q = numbers<35, 16>(1);
    const auto k = numbers<64, 16>(2);
    const auto v = numbers<64, 16>(3);
    const auto part = attention_partial(q, k, v, causal_at<20>());
    attention_state<float, 35, 16> state;
    using expression = std::remove_cvref_t<decltype(part.expression)>;
    static_assert(support::keys_of_block<small, expression>() == 16);
    static workspace<workspace_bytes<expression, 1, small>> scratch;
    auto values = part.values_of(state);
    const auto bound = part.bound_to(state);
    evaluate<decltype(values)&, expression, sizeof scratch, small>(values, bound, scratch);
    for (std::size_t i = 0; i < 35; ++i) {
        double weights[64], most = -1e300, sum = 0;
        for (std::size_t j = 0; j <= i + 20; ++j) {
            double dot = 0;
            for (std::size_t c = 0; c < 16; ++c) dot += double(q(i, c)) * double(k(j, c));
            weights[j] = dot / 4;
            most = std::max(most, weights[j]);
        }
        for (std::size_t j = 0; j <= i + 20; ++j) sum += weights[j] = std::exp(weights[j] - most);
        EXPECT_NEAR(state.maximum(i), most, 1e-5);
        EXPECT_NEAR(state.sum(i), sum, 1e-5 * sum);
        for (std::size_t c = 0; c < 16; ++c) {
            double value = 0;
            for (std::size_t j = 0; j <= i + 20; ++j) value += weights[j] * double(v(j, c));
            EXPECT_NEAR(state.values(i, c), value, 2e-6 * sum);
        }
    }
}

/// The result in place of the queries.
TEST(key_blocks, destinations) {
    const auto k = numbers<64, 16>(2);
    const auto v = numbers<64, 16>(3);
    auto q = numbers<64, 16>(1);
    const tensor<float, 64, 16> expected = detail::constant_evaluate(attention(q, k, v, causal_at<1>()));
    const auto e = attention(q, k, v, causal_at<1>());
    evaluate<decltype(q)&, decltype(e), small>(q, e);
    support::expect_near_elements(q.begin(), expected.begin(), q.size(), q.extents.data(), 2, 2e-6,
                                  std::source_location::current());
}

/// Shared by workers, with the same bits, and for the first rows alone.
TEST(key_blocks, workers_and_rows) {
    const auto q = numbers<2, 64, 16>(1);
    const auto k = numbers<2, 64, 16>(2);
    const auto v = numbers<2, 64, 16>(3);
    const auto e = attention(q, k, v, causal_at<1>() && keys_below(60));
    using expression = std::remove_const_t<decltype(e)>;
    const auto one = evaluated<small>(e, std::source_location::current());
    constexpr std::size_t bytes = workspace_bytes<expression, 3, small>;
    static_assert(bytes > workspace_bytes<expression, 1, small>);
    static workspace<bytes> scratch;
    std::memset(static_cast<void*>(&scratch), 0xff, sizeof scratch);
    tensor<float, 2, 64, 16> shared, some;
    evaluate<decltype(shared)&, expression, bytes, support::backwards, small>(shared, e, scratch,
                                                                              support::backwards{3});
    EXPECT_TRUE(std::equal(shared.begin(), shared.end(), one.begin()));
    const auto rows = rows_below(41);
    evaluate<decltype(some)&, expression, bytes, std::remove_const_t<decltype(rows)>, small>(some, e, scratch, rows);
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t i = 0; i < 41; ++i)
            for (std::size_t c = 0; c < 16; ++c) EXPECT_NEAR(some(h, i, c), one(h, i, c), 2e-6f);
}

/// Weights that another operation reads too are not computed in blocks.
TEST(key_blocks, weights_that_are_kept_or_read_again) {
    const auto q = numbers<32, 16>(1);
    const auto k = numbers<64, 16>(2);
    const auto v = numbers<64, 64>(3);
    tensor<float, 32, 64> weights;
    const auto kept = matmul(store(weights, attention_weights(q, k, causal_at<9>())), v);
    static_assert(support::keys_of_block<small, std::remove_cvref_t<decltype(kept)>>() == 0);
    const auto e = let(attention_weights(q, k), [&](const auto& w) { return matmul(w, v) + w; });
    static_assert(support::keys_of_block<small, std::remove_cvref_t<decltype(e)>>() == 0);
    const auto expected = detail::constant_evaluate(e), actual = evaluated<small>(e, std::source_location::current());
    support::expect_near_elements(actual.begin(), expected.begin(), actual.size(), actual.extents.data(), 2, 1e-5,
                                  std::source_location::current());
}

/// With 32 registers the product makes the transposed copy itself, so there is no loop for it. The loop over blocks
/// then has another number.
TEST(key_blocks, beside_a_product_by_a_transpose) {
    const auto q = numbers<48, 16>(1);
    const auto k = numbers<64, 16>(2);
    const auto v = numbers<64, 64>(3), x = numbers<64, 64>(4), w = numbers<64, 64>(5);
    check(concat<0>(matmul(x, transpose(w)), attention(q, k, v)), 1e-4);
}

}  // namespace
