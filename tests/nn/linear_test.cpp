// SPDX-License-Identifier: BSL-1.0
// linear, norms, activations and prelu against loops over their state dicts.
#include <tests/nn/state.hpp>

#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/layers/activation.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/layers/prelu.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

inline constexpr axis<"seq", 7> seq;
inline constexpr axis<"embed", 24> embed;

using small = nn::linear<{.in = 24, .out = 5}>;
using plain = nn::linear<{.in = embed, .out = 5, .bias = false}, double>;
static_assert(std::is_aggregate_v<small> && std::is_trivially_copyable_v<small>);
static_assert(sizeof(small) >= (24 * 5 + 5) * sizeof(float) && sizeof(plain) == 24 * 5 * sizeof(double));
static_assert(std::is_same_v<small, nn::linear<{.in = embed, .out = std::size_t{5}}>>);
// Asked whether it takes an option, a module that takes none says no.
static_assert(std::is_invocable_v<const small&, const tensor<float, 3, 24>&>);
static_assert(!std::is_invocable_v<const small&, const tensor<float, 3, 24>&, bool>);

template <class M>
M& random_module() {
    static M m{};
    state::randomise(m);
    return m;
}

TEST(linear, is_the_product_with_the_transposed_weight) {
    support::random_numbers random(2);
    auto& m = random_module<small>();
    const auto d = state::of(m);
    EXPECT_EQ(d.at("weight").extents, (std::vector<std::size_t>{5, 24}));
    EXPECT_EQ(d.at("weight").values[3 * 24 + 2], static_cast<double>(m.weight(2, 3)));
    const auto x = random.normal<float, seq, embed>();
    support::check(m(x), state::product(of(x), d.at("weight"), &d.at("bias")));
    const auto batch = random.normal<float, 2, 3, 24>();
    support::check(m(batch), state::product(of(batch), d.at("weight"), &d.at("bias")));
    const auto y = random.normal<double, 7, 24>();
    auto& without = random_module<plain>();
    support::check(without(y), state::product(of(y), state::of(without).at("weight")));
    static_assert(std::is_same_v<shape_of<decltype(m(x))>, shape<seq, std::size_t{5}>>);
}

TEST(linear, one_vector) {
    auto& m = random_module<small>();
    const auto d = state::of(m);
    const auto x = support::random_numbers(3).normal<float, 24>();
    const reference::array expected = state::product({{1, 24}, of(x).values}, d.at("weight"), &d.at("bias"));
    support::check(m(x), {{5}, expected.values});
}

constexpr small counting = [] {
    small m{};
    for (std::size_t i = 0; i < 24; ++i) m.weight.elements[i * 5 + i % 5] = 1;
    m.bias = 2;
    return m;
}();
constexpr tensor<float, 1, 24> ones = full<float, 1, 24>(1);
constexpr tensor<float, 1, 5> counted = counting(ones);
static_assert(counted(0, 0) == 7 && counted(0, 3) == 7 && counted(0, 4) == 6);

struct norms {
    nn::layer_norm<{.size = embed}> norm_a;
    nn::layer_norm<{.size = 24, .eps = 0.25, .bias = false}> norm_b;
    nn::rms_norm<{.size = 24, .eps = 0.5}> norm_c;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("norm_a", self.norm_a);
        visit("norm_b", self.norm_b);
        visit("norm_c", self.norm_c);
    }
};

TEST(norms, against_loops) {
    const auto x = support::random_numbers(4).normal<float, seq, embed>(0.5, 2);
    auto& m = random_module<norms>();
    const auto d = state::of(m);
    EXPECT_EQ(d.size(), 4u);
    support::check(m.norm_a(x), state::layer_norm(d, "norm_a", of(x)));
    support::check(m.norm_b(x), state::layer_norm(d, "norm_b", of(x), 0.25));
    support::check(m.norm_c(x), state::rms_norm(d, "norm_c", of(x), 0.5));
}

TEST(activations, against_formulas) {
    const auto x = support::random_numbers(5).normal<float, 3, 17>(0, 2);
    const auto one = [&]<activation Kind>() {
        support::check(nn::activation_layer<Kind>{}(x + 1),
                       state::activate(Kind, reference::map(of(x), [](double e) { return e + 1; })));
    };
    const auto each = [&]<activation... Kinds>() { (one.operator()<Kinds>(), ...); };
    using enum activation;
    each.
    operator()<relu, gelu, gelu_tanh, silu, sigmoid, tanh, softplus, leaky_relu, elu, hard_sigmoid, hard_swish, mish>();
    EXPECT_EQ(eval(nn::activate<activation::identity>(x + 1))(2, 3), x(2, 3) + 1);
}

TEST(prelu, one_slope) {
    static nn::prelu<{}> bend{};
    bend.weight = 0.25f;
    const auto x = support::random_numbers(1).normal<float, 2, 3, 4>();
    const auto y = eval(bend(x));
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(y.elements[i], x.elements[i] > 0 ? x.elements[i] : 0.25f * x.elements[i]);
}
TEST(prelu, channels) {
    static nn::prelu<{.channels = 3}> second{};
    static nn::prelu<{.channels = 3, .batch = false}> first{};
    static nn::prelu<{.channels = 3, .channels_last = true}> last{};
    second.weight = first.weight = last.weight = tensor<float, 3>{0.5f, -1.0f, 2.0f};
    const auto slope = [](float v, std::size_t c) { return v > 0 ? v : last.weight(c) * v; };
    const auto x = support::random_numbers(2).normal<float, 2, 3, 5>();
    const auto a = eval(second(x)), c = eval(second(3.0f * x));
    const auto b = eval(first(x[1]));
    const auto d = eval(last(transpose(x)));
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t t = 0; t < 5; ++t) {
                EXPECT_EQ(a(n, i, t), slope(x(n, i, t), i));
                EXPECT_EQ(c(n, i, t), slope(3.0f * x(n, i, t), i));
                EXPECT_EQ(d(n, t, i), slope(x(n, i, t), i));
                if (n == 1) {
                    EXPECT_EQ(b(i, t), slope(x(n, i, t), i));
                }
            }
}
static_assert(nn::parameter_count<nn::prelu<{.channels = 3}>> == 3);

constexpr nn::prelu<{}> constant{.weight = tensor<float, 1>{0.5f}};
static_assert(all(constant(tensor<float, 2>{-2, 3}) == tensor<float, 2>{-1, 3}));

}  // namespace
