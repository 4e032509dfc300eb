// SPDX-License-Identifier: BSL-1.0
// ALiBi: slopes as published, and attention with them against loops.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/positions/alibi.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

constexpr auto eight = nn::alibi_slopes<float, 8>();
static_assert(eight(0) == 0.5f && eight(1) == 0.25f && eight(7) == 1.0f / 256);
constexpr auto one = nn::alibi_slopes<double, 1>();
static_assert(one(0) == 1.0 / 256);

/// get_slopes of the authors' code.
std::vector<double> published(std::size_t heads) {
    const auto power_of_two = [](std::size_t n) {
        std::vector<double> slopes;
        const double start = std::pow(2.0, -std::pow(2.0, -(std::log2(static_cast<double>(n)) - 3)));
        for (std::size_t i = 0; i < n; ++i) slopes.push_back(start * std::pow(start, static_cast<double>(i)));
        return slopes;
    };
    std::size_t closest = 1;
    while (closest * 2 <= heads) closest *= 2;
    std::vector<double> slopes = power_of_two(closest);
    const std::vector<double> more = power_of_two(2 * closest);
    for (std::size_t i = 0; slopes.size() < heads; i += 2) slopes.push_back(more[i]);
    return slopes;
}

template <std::size_t Heads>
void check_slopes() {
    const auto slopes = nn::alibi_slopes<float, Heads>();
    const std::vector<double> expected = published(Heads);
    for (std::size_t h = 0; h < Heads; ++h) EXPECT_EQ(slopes(h), static_cast<float>(expected[h])) << Heads << " " << h;
}

}  // namespace

TEST(alibi, slopes) {
    check_slopes<1>();
    check_slopes<3>();
    check_slopes<16>();
    check_slopes<40>();
}

TEST(alibi, attention) {
    support::random_numbers random(7);
    const auto q = random.normal<float, 4, 6, 8>();
    const auto k = random.normal<float, 4, 21, 8>(), v = random.normal<float, 4, 21, 8>();
    constexpr auto slopes = nn::alibi_slopes<float, 4>();
    reference::attention_options options;
    options.bias = reference::make({4, 6, 21});
    for (std::size_t h = 0; h < 4; ++h)
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 21; ++j)
                options.bias.values[(h * 6 + i) * 21 + j] =
                    published(4)[h] * (static_cast<double>(j) - static_cast<double>(i + 15));
    options.keep = [](const reference::index&, std::size_t i, std::size_t j) { return j <= i + 15; };
    const reference::array expected =
        reference::attend(reference::of(q), reference::of(k), reference::of(v), options).values;
    const auto e = attention(q, k, v, causal_at<15>(), bias(nn::alibi<6, 21>(slopes, 15)));
    reference::expect_near(eval(e), expected);
    // Grouped queries: the heads of a group are adjacent.
    const auto pairs = reshape<2, 2>(slopes);
    const auto grouped_k = slice<0, 0, 4, 2>(k), grouped_v = slice<0, 0, 4, 2>(v);
    const auto g = attention(reshape<2, 2, 6, 8>(q), unsqueeze<1>(grouped_k), unsqueeze<1>(grouped_v), causal_at<15>(),
                             bias(nn::alibi<6, 21>(pairs, 15)));
    const reference::array grouped =
        reference::attend(reference::of(q), reference::of(grouped_k), reference::of(grouped_v), options).values;
    reference::expect_near(reference::array{{4, 6, 8}, reference::of(eval(g)).values}, grouped);
}

TEST(alibi, one_head) {
    support::random_numbers random(8);
    const auto q = random.normal<float, 5, 8>();
    const auto k = random.normal<float, 9, 8>(), v = random.normal<float, 9, 8>();
    reference::attention_options options;
    options.score_mod = [](double s, std::size_t i, std::size_t j) {
        return s + 0.25 * (static_cast<double>(j) - static_cast<double>(i + 4));
    };
    const reference::array expected =
        reference::attend(reference::of(q), reference::of(k), reference::of(v), options).values;
    reference::expect_near(eval(attention(q, k, v, nn::alibi_score_mod(0.25f, 4))), expected);
}
