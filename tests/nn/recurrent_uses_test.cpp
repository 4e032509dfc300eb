// SPDX-License-Identifier: BSL-1.0
// Recurrent layers with states, scratch, limits and narrow weights, and within expressions.
#include <tests/support/recurrent.hpp>

#include <ashlar/nn/init/reset_parameters.hpp>
#include <ashlar/nn/inspect/counts.hpp>

namespace {

using namespace ashlar;
using support::expect_near;

TEST(recurrent_uses, memory) {
    using layer = nn::lstm<{.in = 9, .hidden = 9, .layers = 2}>;
    static layer m{};
    state::randomise(m);
    const auto x = support::random_numbers(6).normal<float, 2, 12, 9>();
    const reference::array expected = support::reference_recurrent<layer>(state::of(m), reference::of(x));
    static tensor<float, 2, 12, 9> y;
    static workspace<workspace_bytes<decltype(m(x * 1.0f))>> scratch;
    evaluate(y, m(x * 1.0f), scratch);
    expect_near(y, expected, 2e-6, "an expression, with scratch");
    y = x;
    y = m(y);
    expect_near(y, expected, 2e-6, "over the input");
    static layer::state<2> s;
    s.reset();
    const tensor<float, 2, 6, 9> first = slice<1, 0, 6>(x), second = slice<1, 6, 12>(x);
    const tensor<float, 2, 6, 9> before = m(first, s), after = m(second, s);
    y = concat<1>(before, after);
    expect_near(y, expected, 2e-6, "in two parts");
}

// Weights of 16 and 8 bits: as close to floats as their precision allows.
template <class Narrow, class Wide>
void check_narrow(double tolerance) {
    static Narrow m{};
    static Wide wide{};
    static_assert(sizeof(Narrow) < 3 * sizeof(Wide) / 4);
    nn::init::generator random(5), again(5);
    nn::init::reset_parameters(m, random);
    nn::init::reset_parameters(wide, again);
    const auto x = support::random_numbers(6).normal<float, 1, 8, Wide::in>();
    const tensor<float, 1, 8, Wide::out> y = m(x);
    support::expect_near(y, support::reference_recurrent<Wide>(state::of(wide), reference::of(x)), tolerance, "narrow");
    typename Narrow::template state<> s{};
    for (std::size_t t = 0; t < 8; ++t) {
        const tensor<float, Wide::out> step = m.step(row(x[0], t), s);
        for (std::size_t i = 0; i < Wide::out; ++i) ASSERT_NEAR(step(i), y(0, t, i), 1e-5) << t;
    }
}
TEST(recurrent_uses, narrow_weights) {
    constexpr nn::lstm_options lstm{.in = 20, .hidden = 24};
    constexpr nn::gru_options gru{.in = 20, .hidden = 24};
    check_narrow<nn::lstm<lstm, float, bf16>, nn::lstm<lstm>>(0.03);
    check_narrow<nn::gru<gru, float, std::int8_t>, nn::gru<gru>>(0.06);
}

TEST(recurrent_uses, names_are_those_of_pytorch) {
    static nn::lstm<{.in = 3, .hidden = 4, .layers = 2, .projection = 2, .bidirectional = true}> m{};
    std::string names;
    nn::for_each_parameter(m, [&](const auto& p) { names += std::string(p.name) + " "; });
    EXPECT_EQ(names,
              "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 "
              "weight_ih_l0_reverse weight_hh_l0_reverse bias_ih_l0_reverse bias_hh_l0_reverse weight_hr_l0_reverse "
              "weight_ih_l1 weight_hh_l1 bias_ih_l1 bias_hh_l1 weight_hr_l1 "
              "weight_ih_l1_reverse weight_hh_l1_reverse bias_ih_l1_reverse bias_hh_l1_reverse weight_hr_l1_reverse ");
}

// Steps beyond the limit do not run. The state is that after the last step that ran.
TEST(recurrent_uses, first_rows) {
    static nn::lstm<{.in = 5, .hidden = 9, .layers = 2}> m{};
    state::randomise(m);
    const auto x = support::random_numbers(6).normal<float, 12, 5>();
    static decltype(m)::state<> whole, part;
    whole.reset();
    part.reset();
    const tensor<float, 7, 9> expected = m(tensor_view<const float, 7, 5>(x.data()), whole);
    tensor<float, 12, 9> y;
    y = -3;
    static workspace<workspace_bytes<decltype(m(x, part))>> scratch;
    evaluate(y, m(x, part), scratch, rows_below(7));
    EXPECT_LT(eval(max(abs(slice<0, 0, 7>(y) - expected)))(), 1e-6f);
    EXPECT_TRUE(eval(all(part.h == whole.h))());
    EXPECT_TRUE(eval(all(part.c == whole.c))());
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(recurrent_uses_death, a_destination_in_the_state) {
    static nn::gru<{.in = 5, .hidden = 9}> m{};
    static decltype(m)::state<> s{};
    const tensor<float, 1, 5> x{};
    tensor_view<float, 1, 9> same(s.h.data());
    EXPECT_DEATH(same = m(x, s), "overlaps its state");
}
#endif

// A layer within an expression, and what the plan says of it.
TEST(recurrent_uses, is_an_operand) {
    static nn::gru<{.in = 5, .hidden = 9}> m{};
    state::randomise(m);
    const auto x = support::random_numbers(6).normal<float, 12, 5>();
    const tensor<float, 12, 9> y = m(x), z = softmax<-1>(m(x) * 2.0f), expected = softmax<-1>(y * 2.0f);
    EXPECT_LT(eval(max(abs(z - expected)))(), 1e-6f);
    // At least the multiply-adds of both products of each step.
    static_assert(flops<decltype(m(x))> >= 2 * 12 * 27 * (5 + 9));
    static_assert(workspace_bytes<decltype(m(x))> >= 12 * 27 * sizeof(float));
}

// A step writes h where the next one reads it: into the result, or with a batch into scratch and the result.
TEST(recurrent_uses, writes_h_once) {
    static nn::gru<{.in = 5, .hidden = 9}> m{};
    const tensor<float, 12, 5> alone{};
    const tensor<float, 2, 12, 5> batch{};
    EXPECT_FALSE(explain(m(alone)).contains("copy "));
    EXPECT_TRUE(explain(m(batch)).contains("copy "));
}

TEST(recurrent_uses, sizes) {
    using layer = nn::lstm<{.in = 40, .hidden = 64, .layers = 2}>;
    static_assert(layer::state_bytes == 2 * 2 * 64 * sizeof(float));
    static_assert(sizeof(layer::state<>) == layer::state_bytes);
    static_assert(layer::state<3>::bytes == 3 * layer::state_bytes);
    static_assert(nn::parameter_count<layer> == 4 * 64 * (40 + 64 + 2) + 4 * 64 * (64 + 64 + 2));
    static_assert(std::is_trivially_copyable_v<layer>);
}

// The same numbers in a constant expression.
constexpr auto constant_steps = [] {
    nn::rnn<{.in = 1, .hidden = 1, .activation = nn::activation::relu}> m{};
    m.first_cells[0].weight_ih.elements[0] = 2;
    m.first_cells[0].bias_ih(0) = 1;
    m.first_cells[0].recurrent.weight_hh.elements[0] = 10;
    m.first_cells[0].recurrent.bias_hh(0) = 0.5f;
    tensor<float, 3, 1> y = m(tensor<float, 3, 1>{{1}, {2}, {3}});
    return y;
}();
static_assert(constant_steps(0, 0) == 3.5f && constant_steps(1, 0) == 40.5f && constant_steps(2, 0) == 412.5f);

}  // namespace
