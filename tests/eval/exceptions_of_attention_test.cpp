// SPDX-License-Identifier: BSL-1.0
// No floating-point exception comes from excluded scores, from rows that keep nothing or from lanes without a score.
#include <support/floating_point_exceptions.hpp>

using namespace ashlar;
using floating_point::numbers_between;

namespace {

/// Attention of T queries on N keys whose scores are all about 400.
template <std::size_t N, std::size_t Queries, std::size_t Width>
void attend() {
    static auto q = numbers_between<float, 2, Queries, Width>(9.0f, 10.0f);
    static auto k = numbers_between<float, 2, N, Width>(9.0f, 10.0f);
    static auto v = numbers_between<float, 2, N, Width>(-1.0f, 1.0f);
    static tensor<float, 2, Queries, Width> y;
    static tensor<bool, N> some = generate<bool, N>([](std::size_t i) { return i % 3 == 1; });
    static tensor<bool, N> none = full<bool, N>(false);
    EXPECT_QUIET(y = attention(q, k, v));
    EXPECT_QUIET(y = attention(q, k, v, causal));
    EXPECT_QUIET(y = attention(q, k, v, causal_at(-2)));
    EXPECT_QUIET(y = attention(q, k, v, keep(none)));
    EXPECT_QUIET(y = attention(q, k, v, causal && keep(some), softcap(30.0f)));
    EXPECT_QUIET(
        y = attention(q, k, v, score_mod([](auto s, auto query, auto key) { return s / (query + key + 1.0f); })));
    // Lanes without a query have the one bias and not the other.
    static const tensor<float, N> of_keys = full<float, N>(1e30f);
    static const tensor<float, Queries, 1> of_queries = full<float, Queries, 1>(-1e30f);
    EXPECT_QUIET(y = attention(q, k, v, bias(of_keys)));
    EXPECT_QUIET(y = attention(q, k, v, bias(of_queries)));
    static tensor<float, 2, Queries, N> weights;
    EXPECT_QUIET(weights = softmax(masked(matmul(q, transpose(k)), causal && keep(some))));
    EXPECT_QUIET(weights = log_softmax(masked(matmul(q, transpose(k)), keep(none))));
}
TEST(FloatingPointExceptions, OfAttentionOfAFewQueries) { attend<5, 4, 16>(); }
TEST(FloatingPointExceptions, OfAttentionOfThreeQueries) { attend<5, 3, 16>(); }
TEST(FloatingPointExceptions, OfAttentionOfManyQueries) { attend<37, 19, 5>(); }

/// The same with traps: the process would end by a signal.
TEST(FloatingPointExceptions, MayBeTrapped) {
#if defined(__GLIBC__) && defined(__x86_64__)
    constexpr std::size_t N = 37;
    static auto x = numbers_between<float, 3, N>(0.5f, 4.0f), z = x;
    static auto q = numbers_between<float, N, 16>(9.0f, 10.0f), y = q;
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    z = log(1.0f / x) + softmax(x);
    y = attention(q, q, q, causal_at(-1));
    fedisableexcept(FE_DIVBYZERO | FE_INVALID);
    EXPECT_GT(z(2, N - 1), -10.0f);
    EXPECT_EQ(y(0, 0), 0.0f);
#else
    GTEST_SKIP() << "no traps here";
#endif
}

}  // namespace
