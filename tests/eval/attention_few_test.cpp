// SPDX-License-Identifier: BSL-1.0
// Attention of few queries: several keys share a register.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
void attend() {
    SCOPED_TRACE(testing::Message() << Queries << " queries " << Keys << " keys " << Depth << " deep " << Values);
    support::random_numbers random(3);
    const auto q = random.normal<float, Queries, Depth>();
    const auto k = random.normal<float, Keys, Depth>();
    auto v = random.normal<float, Keys, Values>();
    check(attention(q, k, v));
    if constexpr (Keys > Queries)
        for (std::size_t i = 0; i < Values; ++i) v(Keys - 1, i) = nan;
    check(attention(q, k, v, causal));
}

TEST(attention_of_few, queries) {
    attend<3, 33, 8, 17>();
    attend<7, 37, 4, 9>();
    attend<8, 8, 8, 16>();
}

TEST(attention_of_few, windows) {
    support::random_numbers random(6);
    const auto q = random.normal<float, 7, 4>();
    const auto k = random.normal<float, 37, 4>();
    check(attention(q, k, k, sliding_window<2, 1>));
}

/// Whatever is added to all scores of a row changes none of its weights. Lanes beyond the rows, to which nothing is
/// added, are none of them.
TEST(attention_of_few, additions_to_scores) {
    support::random_numbers random(5);
    const auto q = random.normal<float, 2, 24>();
    const auto k = random.normal<float, 33, 24>();
    const auto v = random.normal<float, 33, 5>();
    for (const float level : {-200.0f, 200.0f, -1e30f, 1e30f}) {
        SCOPED_TRACE(level);
        tensor<float, 2, 33> all = random.normal<float, 2, 33>();
        for (float& x : all) x += level;
        constexpr double tolerance = 1e-4;  // of scores of some hundred
        check(attention(q, k, v, bias(all)), tolerance);
        check(attention(q, k, v, bias(full<float, 2, 1>(level)), causal), tolerance);
        check(attention_weights(q, k, bias(full<float, 33>(level))), tolerance);
        const tensor<float, 2, 5> parts = finish(eval(attention_partial(q, k, v, bias(all))));
        reference::expect_near(parts, reference::of(detail::constant_evaluate(attention(q, k, v, bias(all)))),
                               tolerance, 1e-3);
        const auto few = random.normal<float, 4, 4>();
        check(attention(few, few, few, bias(full<float, 4, 4>(level))), tolerance);
    }
}

TEST(attention_of_few, grouped_additions_to_scores) {
    support::random_numbers random(8);
    const auto q = random.normal<float, 2, 4, 3, 8>();
    const auto k = random.normal<float, 2, 2, 9, 8>();
    for (const float level : {-200.0f, 1e30f}) {
        check(attention(q, k, k, bias(full<float, 3, 9>(level))), 1e-4);
        check(attention(q, k, k, bias(full<float, 4, 1, 9>(level))), 1e-4);
    }
}

TEST(attention_of_few, factors_of_scores) {
    support::random_numbers random(7);
    const auto q = random.normal<float, 3, 8>(2, 3);
    const auto k = random.normal<float, 12, 8>(-3, -2);
    check(matmul(softmax(matmul(q, transpose(k)) * full<float, 3, 12>(100.0f)), k), 1e-3);
    const auto p = random.normal<double, 3, 8>();
    const auto r = random.normal<double, 12, 8>();
    check(attention(p, r, r, bias(full<double, 3, 12>(-2000.0))), 1e-11);
}

}  // namespace
