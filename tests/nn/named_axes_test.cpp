// SPDX-License-Identifier: BSL-1.0
// Modules of double between named axes, and their layout in memory.
#include <cstring>

#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder.hpp>

namespace {

using namespace ashlar;
using reference::of;

inline constexpr axis<"seq", 9> seq;
inline constexpr axis<"embed", 8> embed;
inline constexpr axis<"other", 8> other;

using layer = nn::encoder_layer<{.embed = embed, .heads = 2, .hidden = 12, .norm_first = true}>;
using named = tensor<float, seq, embed>;

TEST(named_axes, stay) {
    static layer m{};
    state::randomise(m);
    const auto x = support::random_numbers(2).normal<float, seq, embed>();
    auto owned = m(support::random_numbers(2).normal<float, seq, embed>(), causal);  // nothing dangles
    static_assert(std::is_same_v<shape_of<decltype(owned)>, shape<seq, embed>>);
    static_assert(std::is_same_v<shape_of<decltype(m.self_attn(x))>, shape<seq, std::size_t{8}>>);
    support::check(
        owned,
        state::encoder_layer(state::of(m), "", {{8, 2, 2}, nn::activation::relu, true}, of(x), state::keeps_causal),
        4e-6);
}

// Widths that are equal but named otherwise are the same width: weights have no names.
static_assert(std::is_same_v<layer, nn::encoder_layer<{.embed = other, .heads = 2, .hidden = 12, .norm_first = true}>>);
static_assert(
    std::is_same_v<shape_of<decltype(std::declval<const layer&>()(std::declval<const named&>()))>, shape<seq, embed>>);

TEST(doubles, agree_to_their_own_precision) {
    using stack =
        nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 12}, .layers = 2, .final_norm = true}, double>;
    // A model in memory is used in place, however it came there.
    static stack made{};
    state::randomise(made);
    alignas(64) static std::byte memory[sizeof(stack)];
    std::memcpy(memory, &made, sizeof made);
    const auto& m = *reinterpret_cast<const stack*>(memory);
    const auto x = support::random_numbers(3).normal<double, 6, 8>();
    const auto d = state::of(m);
    auto expected = of(x);
    for (const char* i : {"layers.0.", "layers.1."})
        expected = state::encoder_layer(d, i, {{8, 2, 2}, nn::activation::relu, false}, expected);
    reference::expect_near(eval(m(x)), state::layer_norm(d, "norm", expected), 1e-12);
}

}  // namespace
