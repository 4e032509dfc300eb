// SPDX-License-Identifier: BSL-1.0
// Attention whose maximum scores are large, infinite, undefined or missing.
#include <cmath>

#include <tests/support/key_blocks.hpp>

namespace {

using namespace ashlar;
using reference::of;

inline constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));

/// Rows by turns: of a usual size, around a large number, at one too large, with two scores far from each other, and
/// alike.
template <class T, std::size_t Queries, std::size_t Keys>
struct unusual_scores {
    tensor<T, Queries, 4> q = support::random_numbers(Queries).normal<T, Queries, 4>();
    tensor<T, Keys, 4> k = support::random_numbers(Keys).normal<T, Keys, 4>();
    tensor<T, Keys, 5> v = support::random_numbers(3).normal<T, Keys, 5>();

    unusual_scores() {
        for (std::size_t j = 0; j < Keys; ++j) k(j, 3) = j % 3 == 0 ? T(1) : T(0.5);
        constexpr T largest[] = {T(0), T(3e6), T(-3e6), T(1e30), T(-1e30), T(5e18), T(-200), T(0)};
        for (std::size_t i = 0; i < Queries; ++i) {
            const std::size_t kind = (i / 2) % 8;
            if (kind != 0 || i % 5 == 4)
                for (std::size_t d = 0; d < 3; ++d) q(i, d) = T(0);
            q(i, 3) = sizeof(T) == 8 && std::abs(largest[kind]) > 1 ? largest[kind] * T(1e12) : largest[kind];
        }
    }
};

template <class T, std::size_t Queries, std::size_t Keys, class... Mask>
void attend(Mask... mask) {
    SCOPED_TRACE(testing::Message() << Queries << " queries, " << Keys << " keys of " << sizeof(T) << " bytes");
    static const unusual_scores<T, Queries, Keys> x;
    reference::attention_options options;
    options.scale = 0.5;
    if (sizeof...(mask) != 0)
        options.keep = [](const reference::index&, std::size_t i, std::size_t j) { return j + 2 <= i; };
    support::check(attention(x.q, x.k, x.v, mask...), reference::attend(of(x.q), of(x.k), of(x.v), options).values,
                   sizeof(T) == 8 ? 1e-11 : 1e-5);
}

TEST(unusual_maxima, of_any_size) {
    attend<float, 1, 33>();
    attend<float, 2 * w, 16>();
    attend<float, 2 * w + 3, 67>();
    attend<float, 2 * w + 3, 67>(causal_at(-2));
    attend<double, 37, 67>();
}

template <class Config, std::size_t Queries, std::size_t Keys>
void attend_in_blocks(const auto& mask) {
    SCOPED_TRACE(testing::Message() << Queries << " queries, " << Keys << " keys");
    static unusual_scores<float, Queries, Keys> x;
    // Maxima that grow: to a usual size from a low one, and to one too large.
    for (std::size_t j = 0; j < Keys; ++j) x.k(j, 3) = static_cast<float>(j + 1) / 64;
    support::key_blocks::check<Config>(attention(x.q, x.k, x.v, mask), 1e-5);
}

TEST(unusual_maxima, in_blocks_of_keys) {
    attend_in_blocks<support::key_blocks::small, 40, 61>(causal_at(-2));
    attend_in_blocks<support::key_blocks::small, 40, 61>(keys_below(56));
    attend_in_blocks<support::key_blocks::medium, 64, 240>(causal_at(-2));
}

// A row with infinite or undefined scores is undefined, and no other.
TEST(unusual_maxima, that_are_no_numbers) {
    if constexpr (current_config::fast_math) {
        GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    } else {
        constexpr std::size_t queries = 2 * w + 3, keys = 67;
        unusual_scores<float, queries, keys> x;
        const auto before = support::evaluated(attention(x.q, x.k, x.v));
        x.q(1, 3) = detail::infinity<float>;
        x.q(w, 3) = detail::quiet_nan<float>;
        x.q(queries - 1, 3) = -detail::infinity<float>;
        const auto after = support::evaluated(attention(x.q, x.k, x.v));
        for (std::size_t i = 0; i < queries; ++i)
            for (std::size_t d = 0; d < 5; ++d)
                if (i == 1 || i == w) {
                    EXPECT_TRUE(std::isnan(after(i, d))) << i;
                } else if (i + 1 == queries) {
                    // No score is finite: nothing is to be had, as with all keys masked.
                    EXPECT_EQ(after(i, d), 0.0f);
                } else {
                    EXPECT_EQ(after(i, d), before(i, d)) << i;
                }
    }
}

}  // namespace
