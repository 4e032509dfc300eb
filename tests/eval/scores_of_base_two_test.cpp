// SPDX-License-Identifier: BSL-1.0
// Softmax of scores in logarithms of base two: factors of any sign, quotients, and readers of the scores themselves.
#include <algorithm>
#include <cmath>
#include <vector>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

TEST(scores_of_base_two, factors) {
    support::random_numbers random(11);
    const auto q = random.normal<float, 33, 19>();
    const auto k = random.normal<float, 67, 19>();
    const auto v = random.normal<float, 67, 9>();
    const auto scores = matmul(q, transpose(k));
    for (const float s : {0.25f, -0.7f, 3.0f}) {
        reference::attention_options options;
        options.scale = static_cast<double>(s);
        const auto expected = reference::attend(of(q), of(k), of(v), options);
        check(attention(q, k, v, scale(s)), expected.values);
        check(softmax(scores * s), expected.weights);
        check(softmax(scores / (1 / s)), expected.weights);
        options.keep = [](const reference::index&, std::size_t i, std::size_t j) { return j < i; };
        const auto masked_expected = reference::attend(of(q), of(k), of(v), options);
        check(matmul(softmax(masked(scores * s, causal_at(-1))), v), masked_expected.values);
    }
    for (const float weight : support::evaluated(softmax(scores * 0.0f))) EXPECT_NEAR(weight, 1.0f / 67, 1e-7f);
    reference::attention_options plain;
    plain.scale = 1;
    check(softmax(scores), reference::attend(of(q), of(k), of(v), plain).weights);
}

template <std::size_t Queries, std::size_t Keys, std::size_t Depth>
void factors_of_scores() {
    support::random_numbers random(11);
    const auto q = random.normal<float, Queries, Depth>();
    const auto k = random.normal<float, Keys, Depth>();
    for (const float s : {0.25f, -0.7f}) {
        reference::attention_options options;
        options.scale = static_cast<double>(s);
        check(attention(q, k, k, scale(s)), reference::attend(of(q), of(k), of(k), options).values);
    }
}
TEST(scores_of_base_two, factors_of_one_and_of_whole_registers) {
    factors_of_scores<1, 40, 16>();
    factors_of_scores<16, 16, 16>();
}

// A projection makes the queries, in the order in which their product reads them or with a copy behind it.
TEST(scores_of_base_two, queries_from_a_product) {
    support::random_numbers random(12);
    const auto x = random.normal<float, 37, 24>();
    const auto w = random.normal<float, 24, 8>(), u = random.normal<float, 24, 8>();
    const auto b = random.normal<float, 8>();
    const tensor<float, 37, 8> q = detail::constant_evaluate(matmul(x, w) + b),
                               k = detail::constant_evaluate(matmul(x, u));
    reference::attention_options options;
    options.scale = 0.4;
    const auto expected = reference::attend(of(q), of(k), of(x), options).values;
    const auto project = [&](const auto& weights) { return matmul(x, weights) + b; };
    check(matmul(softmax(matmul(project(w), transpose(k)) * 0.4f), x), expected, 2e-5);
    check(matmul(softmax(matmul(project(pack(w)), transpose(k)) * 0.4f), x), expected, 2e-5);
}

// A value that is read as it is, too: as values, and in a sum.
TEST(scores_of_base_two, queries_that_others_read) {
    support::random_numbers random(13);
    const auto x = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 40, 8>();
    const tensor<float, 37, 8> y = detail::constant_evaluate(x + 1.0f);
    reference::attention_options options;
    options.scale = 0.4;
    check(let(x + 1.0f, [](const auto& v) { return matmul(softmax(matmul(v, transpose(v)) * 0.4f), v); }),
          reference::attend(of(y), of(y), of(y), options).values, 1e-5);
    const auto both = [&](const auto& v) { return matmul(softmax(matmul(v, transpose(k)) * 0.4f), k) + v; };
    check(let(x + 1.0f, both) - y, reference::attend(of(y), of(k), of(k), options).values, 1e-5);
}

// States hold the maxima of the expression's scores, whatever the softmax computes with. Without a key the maximum is
// the lowest number.
TEST(scores_of_base_two, maxima_of_states) {
    support::random_numbers random(14);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 67, 8>();
    const auto state = eval(attention_partial(q, k, k, scale(-1.5f), causal_at(-2)));
    for (std::size_t i = 0; i < 37; ++i) {
        std::vector<double> scores;
        for (std::size_t j = 0; j + 2 <= i && j < 67; ++j) {
            scores.push_back(0);
            for (std::size_t d = 0; d < 8; ++d) scores[j] += -1.5 * double(q(i, d)) * double(k(j, d));
        }
        if (scores.empty()) {
            EXPECT_EQ(state.maximum(i), std::numeric_limits<float>::lowest());
            EXPECT_EQ(state.sum(i), 0.0f);
            continue;
        }
        const double most = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (const double score : scores) sum += std::exp(score - most);
        EXPECT_NEAR(double(state.maximum(i)), most, 2e-6 * std::max(1.0, std::abs(most))) << i;
        EXPECT_NEAR(double(state.sum(i)), sum, 1e-5 * sum) << i;
    }
}

// What is minus infinity without a mask weighs nothing; infinite and undefined scores are what IEEE makes of them.
TEST(scores_of_base_two, infinite_scores) {
    tensor<float, 20, 4> q = full<float, 20, 4>(1.0f);
    tensor<float, 24, 4> k = full<float, 24, 4>(0.5f);
    for (std::size_t d = 0; d < 4; ++d) k(3, d) = -detail::infinity<float>;
    const auto weights = [&] { return eval(softmax(matmul(q, transpose(k)) * 0.5f)); };
    const auto w = weights();
    for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 24; ++j) EXPECT_NEAR(w(i, j), j == 3 ? 0.0f : 1.0f / 23, 1e-7f);
    if constexpr (!current_config::fast_math) {
        k(5, 0) = detail::quiet_nan<float>;
        EXPECT_TRUE(std::isnan(weights()(7, 0)));
    }
}

TEST(scores_of_base_two, doubles_and_other_elements) {
    support::random_numbers random(15);
    const auto q = random.normal<double, 37, 8>();
    const auto k = random.normal<double, 40, 8>();
    check(attention(q, k, k), reference::attend(of(q), of(k), of(k)).values, 1e-12);
    const tensor<bf16, 37, 8> narrow_q = detail::constant_evaluate(cast<bf16>(cast<float>(q)));
    const tensor<bf16, 40, 8> narrow_k = detail::constant_evaluate(cast<bf16>(cast<float>(k)));
    const tensor<float, 37, 8> wide_q = detail::constant_evaluate(cast<float>(narrow_q));
    const tensor<float, 40, 8> wide_k = detail::constant_evaluate(cast<float>(narrow_k));
    check(attention(narrow_q, narrow_k, wide_k), reference::attend(of(wide_q), of(wide_k), of(wide_k)).values, 1e-5);
}

}  // namespace
