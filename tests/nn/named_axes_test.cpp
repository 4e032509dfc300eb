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

using layer = nn::encoder_layer<{.embed = embed, .heads = 2, .hidden = 12}>;
using named = tensor<float, seq, embed>;
static_assert(
    std::is_same_v<shape_of<decltype(std::declval<const layer&>()(std::declval<const named&>()))>, shape<seq, embed>>);
static_assert(std::is_same_v<shape_of<decltype(std::declval<const layer&>().self_attn(std::declval<const named&>()))>,
                             shape<seq, std::size_t{8}>>);
// Widths that are equal but named otherwise are the same width: weights have no names.
static_assert(std::is_same_v<layer, nn::encoder_layer<{.embed = other, .heads = 2, .hidden = 12}>>);

TEST(named_axes, stay_and_doubles_agree_to_their_own_precision) {
    using stack =
        nn::encoder<{.layer = {.embed = embed, .heads = 2, .hidden = 12}, .layers = 2, .final_norm = true}, double>;
    // A model in memory is used in place, however it came there.
    static stack made{};
    state::randomise(made);
    alignas(64) static std::byte memory[sizeof(stack)];
    std::memcpy(memory, &made, sizeof made);
    const auto& m = *reinterpret_cast<const stack*>(memory);
    const auto x = support::random_numbers(2).normal<double, seq, embed>();
    auto owned = m(support::random_numbers(2).normal<double, seq, embed>(), causal);  // nothing dangles
    static_assert(std::is_same_v<shape_of<decltype(owned)>, shape<seq, embed>>);
    const auto d = state::of(m);
    auto expected = of(x);
    for (const char* i : {"layers.0.", "layers.1."})
        expected = state::encoder_layer(d, i, {{8, 2, 2}, nn::activation::relu, false}, expected, state::keeps_causal);
    reference::expect_near(eval(owned), state::layer_norm(d, "norm", expected), 1e-12);
}

}  // namespace
