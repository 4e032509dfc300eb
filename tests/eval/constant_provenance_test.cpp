// SPDX-License-Identifier: BSL-1.0
// constant_evaluate never reads a key or value into a query that its mask excludes, however the attention is spelled.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using detail::constant_evaluate;
using reference::expect_near;
using reference::of;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Queries, keys and values; the last keys and values are not numbers, and causal hides them from early queries only.
class leaks : public testing::Test {
protected:
    static constexpr std::size_t queries = 7, keys = 7, depth = 3;
    tensor<float, queries, depth> q;
    tensor<float, keys, depth> k, v;
    reference::attention_options options;

    leaks() {
        support::random_numbers random(1);
        random.fill_normal(q);
        random.fill_normal(k);
        random.fill_normal(v);
        for (std::size_t j = 0; j < depth; ++j) {
            k(5, j) = nan;
            v(5, j) = infinity;
            k(6, j) = -infinity;
            v(6, j) = nan;
        }
        options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= query; };
    }

    auto scores() const { return matmul(q, transpose(k)) * rsqrt_extent<depth>; }
    auto weights() const { return softmax(masked(scores(), causal)); }
    reference::array expected() const { return reference::attend(of(q), of(k), of(v), options).values; }

    /// The queries that see no poisoned key are exact; what the others are is up to IEEE arithmetic.
    static void check(const reference::array& actual, const reference::array& expected) {
        const auto clean = [](reference::array a) {
            const std::size_t row = a.from_last(0), rows = a.from_last(1);
            for (std::size_t i = 0; i < a.size(); ++i)
                if (i / row % rows >= 5) a.values[i] = 0;
            return a;
        };
        expect_near(clean(actual), clean(expected), 1e-6);
    }
    template <class E>
    void check(const E& e) const {
        check(of(constant_evaluate(e)), expected());
    }
};

TEST_F(leaks, by_hand) {
    check(matmul(weights(), v));
    check(matmul(softmax(masked(matmul(q, transpose(k)), causal) * rsqrt_extent<depth>), v));
    check(matmul(softmax(masked_fill(scores(), !causal, -infinity)), v));
    check(matmul(weights() * 2.0f / 2.0f, v));
    check(matmul(exp(log_softmax(masked(scores(), causal))), v));
    check(let(scores(), [&](const auto& s) { return matmul(softmax(masked(s, causal)), v); }));
    check(let(weights(), [&](const auto& p) { return matmul(p, v); }));
}

TEST_F(leaks, with_a_softmax_of_ones_own) {
    const auto kept = masked(scores(), causal);
    const auto numerators = exp(kept - max<-1>(kept, keep_dims));
    check(let(numerators, [&](const auto& p) { return matmul(p / sum<-1>(p, keep_dims), v); }));
    check(let(numerators, [&](const auto& p) { return matmul(p, v) / sum<-1>(p, keep_dims); }));
}

TEST_F(leaks, as_the_right_operand) {
    check(transpose(matmul(transpose(v), transpose(weights()))));
    check(einsum<"qk,kd->qd">(weights(), v));
    check(einsum<"kd,qk->qd">(v, weights()));
}

TEST_F(leaks, into_the_stored_weights) {
    tensor<float, queries, keys> stored;
    check(matmul(store(stored, weights()), v));
    check(of(stored), reference::attend(of(q), of(k), of(v), options).weights);
    for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = i + 1; j < keys; ++j) EXPECT_EQ(stored(i, j), 0);
}

TEST_F(leaks, of_a_bias) {
    support::random_numbers random(2);
    auto bias = random.normal<float, queries, keys>();
    for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = i + 1; j < keys; ++j) bias(i, j) = nan;
    options.bias = of(bias);
    options.softcap = 2;
    const auto capped = tanh(scores() / 2.0f) * 2.0f;
    check(matmul(softmax(masked(capped, causal) + bias), v));
    check(matmul(softmax(bias + masked(capped, causal)), v));
}

TEST_F(leaks, into_rows_that_keep_nothing) {
    std::size_t length = 0;
    EXPECT_TRUE(all(constant_evaluate(matmul(softmax(masked(scores(), keys_below(length))), v)) == 0.0f));
    const auto own = exp(masked(scores(), keys_below(length)));
    const auto divided = let(own, [&](const auto& p) { return matmul(p / sum<-1>(p, keep_dims), v); });
    EXPECT_TRUE(all(constant_evaluate(divided) == 0.0f));
    const auto half = keep(generate<bool, queries, 1>([](auto i, auto) { return i % 2 == 1; }));
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) {
        return query % 2 == 1 && key <= query;
    };
    check(matmul(softmax(masked(scores(), causal && half)), v));
}

TEST_F(leaks, of_values_that_no_query_sees) {
    std::size_t length = 5;
    options.keep = [&](const reference::index&, std::size_t, std::size_t key) { return key < length; };
    expect_near(constant_evaluate(matmul(softmax(masked(scores(), keys_below(length))), v)), expected(), 1e-6);
    const tensor<bool, keys> padding{false, false, false, false, false, true, true};
    expect_near(constant_evaluate(matmul(softmax(masked(scores(), ignore(padding))), v)), expected(), 1e-6);
    expect_near(constant_evaluate(matmul(softmax(masked_fill(scores(), padding, -infinity)), v)), expected(), 1e-6);
}

TEST(leaks_of_heads, grouped_queries_in_both_forms) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 2, 6, 5, 4>();
    auto k = random.normal<float, 2, 3, 8, 4>(), v = random.normal<float, 2, 3, 8, 4>();
    const tensor<int, 2, 1> lengths{{7}, {3}};
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 3; ++h)
            for (std::size_t i = static_cast<std::size_t>(lengths(b, 0)); i < 8; ++i) {
                k(b, h, i, 1) = nan;
                v(b, h, i, 2) = infinity;
            }
    reference::attention_options options;
    options.keep = [&](const reference::index& batch, std::size_t, std::size_t key) {
        return static_cast<int>(key) < lengths(batch[0], 0);
    };
    const reference::array expected = reference::attend(of(q), of(k), of(v), options).values;

    expect_near(constant_evaluate(attention(q, k, v, keys_below(lengths))), expected, 1e-6);

    // Heads repeated.
    const auto scores = matmul(q, transpose(detail::repeat<1, 2>(k))) * rsqrt_extent<4>;
    const auto values = detail::repeat<1, 2>(v);
    expect_near(constant_evaluate(matmul(softmax(masked(scores, keys_below(lengths))), values)), expected, 1e-6);

    // The queries of a group as rows of one matrix, masked under the axes of the caller.
    const auto rows = reshape<2, 3, 10, 4>(q);
    const auto grouped = reshape<2, 6, 5, 8>(matmul(rows, transpose(k)) * rsqrt_extent<4>);
    const auto weights = softmax(masked(grouped, keys_below(lengths)));
    expect_near(constant_evaluate(reshape<2, 6, 5, 4>(matmul(reshape<2, 3, 10, 8>(weights), v))), expected, 1e-6);

    // Heads and positions the other way round on the outside.
    const auto weights_by_position = permute<0, 2, 1, 3>(weights);
    expect_near(constant_evaluate(
                    reshape<2, 6, 5, 4>(matmul(reshape<2, 3, 10, 8>(permute<0, 2, 1, 3>(weights_by_position)), v))),
                expected, 1e-6);
}

TEST(leaks_of_heads, all_options_at_once) {
    support::random_numbers random(4);
    const auto q = random.normal<double, 4, 6, 8>();
    auto k = random.normal<double, 2, 9, 8>();
    auto v = random.normal<double, 2, 9, 3>();
    const auto biases = random.normal<double, 4, 6, 9>();
    reference::attention_options options;
    options.scale = 0.3;
    options.softcap = 1.5;
    options.bias = of(biases);
    options.score_mod = [](double s, std::size_t query, std::size_t key) {
        return s - 0.125 * (static_cast<double>(query) - static_cast<double>(key));
    };
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) {
        return key < query + 2 && key + 1 >= query;
    };
    for (std::size_t h = 0; h < 2; ++h) k(h, 8, 0) = v(h, 8, 2) = std::numeric_limits<double>::quiet_NaN();
    const auto slope = score_mod([](auto s, auto query, auto key) { return s - 0.125 * (query - key); });
    const auto e = attention(q, k, v, sliding_window<1, 1>, scale(0.3), softcap(1.5), bias(biases), slope);
    expect_near(constant_evaluate(e), reference::attend(of(q), of(k), of(v), options).values, 1e-14);
}

// NaN in what no query sees takes part in no arithmetic, so that even clang evaluates it in a constant expression.
constexpr auto constant_rows(float last) {
    auto t = generate<float, 5, 2>([](auto i, auto j) { return static_cast<float>(i) - 2.0f * static_cast<float>(j); });
    t(4, 0) = t(4, 1) = last;
    return t;
}
constexpr auto constant_q = constant_rows(1), constant_k = constant_rows(nan), constant_v = constant_rows(nan);
constexpr auto constant_slope = [](auto s, auto query, auto key) { return s - 0.5f * (query - key); };
constexpr auto constant_result = constant_evaluate(
    attention(constant_q, constant_k, constant_v, keys_below(4), softcap(3.0f), score_mod(constant_slope)));
static_assert([] {
    for (const float x : constant_result)
        if (!(x > -3 && x < 4)) return false;
    return true;
}());

}  // namespace
