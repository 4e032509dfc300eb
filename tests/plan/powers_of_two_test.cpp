// SPDX-License-Identifier: BSL-1.0
// Softmax in powers of two: where the factor of the scores is applied, and when the base stays e.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::score_factor;
using support::x;

/// What the stages of a plan do with the factor of scores.
struct factors {
    bool powers = false;  // some softmax takes powers of two
    std::size_t in_scores = 0, in_rows = 0, taken_out = 0, scaled = 0;
};

template <class Config>
constexpr factors find_factors(const auto& e) {
    const auto& code = support::code_of<Config, decltype(e)>;
    factors found;
    for (std::size_t s = 0; s < code.stage_count; ++s) {
        const detail::plan_stage& stage = code.stages[s];
        found.powers = found.powers || stage.powers_of_two;
        found.in_scores += stage.factor == score_factor::in_scores;
        found.in_rows += stage.factor == score_factor::in_rows;
        found.taken_out += stage.factor == score_factor::taken_out;
        found.scaled += stage.scaling != detail::no_node;
    }
    return found;
}
/// The factor is in the left operand.
template <class Config = avx512>
bool is_in_rows(const auto& e) {
    const factors f = find_factors<Config>(e);
    return f.powers && f.in_rows == 1 && f.taken_out == 1 && f.in_scores == 0;
}
template <class Config = avx512>
bool is_in_scores(const auto& e) {
    const factors f = find_factors<Config>(e);
    return f.powers && f.in_rows == 0 && f.taken_out == 0 && f.in_scores == 1 && f.scaled == 1;
}
template <class Config = avx512>
bool stays(const auto& e) {
    const factors f = find_factors<Config>(e);
    return !f.powers && f.in_rows + f.taken_out + f.in_scores + f.scaled == 0;
}

auto scores() { return matmul(x<64, 16>(), transpose(x<80, 16>())); }

TEST(powers_of_two, factor_in_the_left_operand) {
    const auto e = attention(x<64, 16>(), x<80, 16>(), x<80, 24>());
    EXPECT_TRUE(is_in_rows<avx512>(e));
    EXPECT_TRUE(is_in_rows<avx2>(e));
    EXPECT_TRUE(is_in_rows<aarch64>(e));
    EXPECT_TRUE(is_in_rows(softmax(scores() * 0.3f)));
    EXPECT_TRUE(is_in_rows(softmax(masked(scores() * 0.3f, causal))));
    EXPECT_TRUE(is_in_rows(softmax(scores()))) << "log2(e) alone";
    EXPECT_TRUE(is_in_rows(attention(x<64, 16>(), x<64, 16>(), x<64, 16>(), causal)))
        << "as many keys as elements of one";
    static packed<float, 48, 16> w;
    EXPECT_TRUE(is_in_rows(matmul(softmax(matmul(matmul(x<64, 48>(), w), transpose(x<80, 16>())) * 0.3f), x<80, 16>())))
        << "a projection makes the queries";
}

TEST(powers_of_two, factor_in_the_scores) {
    EXPECT_TRUE(is_in_scores(attention(x<64, 80>(), x<64, 80>(), x<64, 16>()))) << "fewer keys than elements of one";
    EXPECT_TRUE(is_in_scores(attention(x<1, 64>(), x<80, 64>(), x<80, 64>()))) << "nothing is copied";
    EXPECT_TRUE(is_in_scores<scalar>(attention(x<1, 64>(), x<80, 64>(), x<80, 64>())));
    // Scores with another reader stay as they are.
    const auto itself = let(x<64, 16>() + 1.0f, [](const auto& v) {
        return matmul(softmax(matmul(v, transpose(v)) * 0.25f), x<64, 16>());
    });
    const auto twice = let(x<64, 16>() + 1.0f, [](const auto& v) {
        return matmul(softmax(matmul(v, transpose(x<80, 16>())) * 0.25f), x<80, 16>()) + v;
    });
    EXPECT_TRUE(is_in_rows(itself)) << "of a copy";
    EXPECT_TRUE(is_in_scores(twice)) << "the sum reads the copy as well";
}

TEST(powers_of_two, scores_that_are_more_than_scaled) {
    EXPECT_TRUE(stays(attention(x<64, 16>(), x<80, 16>(), x<80, 16>(), softcap(2.0f))));
    EXPECT_TRUE(stays(attention(x<64, 16>(), x<80, 16>(), x<80, 16>(), bias(x<64, 80>()))));
    EXPECT_TRUE(stays(softmax(0.3f / scores())));
    EXPECT_TRUE(stays(softmax(scores() * x<64, 80>())));
    EXPECT_TRUE(stays(softmax(x<64, 80>() * 0.3f))) << "no product writes them";
    EXPECT_TRUE(stays(softmax(matmul(x<64, 80>(), x<80, 64>())))) << "one factor more would be one operation more";
}

TEST(powers_of_two, scores_that_others_read) {
    static tensor<float, 64, 80> kept;
    EXPECT_TRUE(stays(softmax(store(kept, scores() * 0.3f))));
    EXPECT_TRUE(stays(let(scores() * 0.3f, [](const auto& s) { return softmax(s) + s; })));
    EXPECT_TRUE(stays(log_softmax(scores() * 0.3f)));
}

TEST(powers_of_two, are_explained) {
    const auto says = [](const auto& e, std::string_view what) { return support::shows<current_config>(e, what); };
    const auto rows = attention(x<64, 16>(), x<80, 16>(), x<80, 24>());
    if (find_factors<current_config>(rows).in_rows != 0) {
        EXPECT_TRUE(says(rows, " = a * s * log2(e)")) << explain(rows).c_str();
        EXPECT_TRUE(says(softmax(scores() / 3.0f), " = a / s * log2(e)"));
        EXPECT_TRUE(says(softmax(scores()), " = a * log2(e)"));
        EXPECT_FALSE(says(rows, "then * s"));
    }
    EXPECT_TRUE(says(attention(x<1, 64>(), x<80, 64>(), x<80, 64>()), "then * s * log2(e)"));
    EXPECT_TRUE(says(rows, " = exp2("));
    EXPECT_TRUE(says(attention(x<64, 16>(), x<80, 16>(), x<80, 16>(), softcap(2.0f)), " = exp("));
}

}  // namespace
