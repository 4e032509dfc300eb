// SPDX-License-Identifier: BSL-1.0
// Several heads side by side, and a decoder layer made of them (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::transformer;

namespace {

inline constexpr axis<"word", 8> word;
inline constexpr axis<"embedding", 32> embedding;
const auto x = borrowed<word, embedding>(reference::x);

/// The notebook's multi-head attention: unscaled heads that project from the left, concatenated and projected back.
template <std::size_t Heads>
struct multi_head_attention {
    tensor<float, Heads, word, word> u_q, u_k, u_v;
    tensor<float, Heads * 32, embedding> w_out;

    // All heads at once: [Heads, word, word] by [word, embedding] gives [Heads, word, embedding], since leading axes
    // are batch axes. Then the heads of a word are brought side by side. Lazy: the result is a recipe.
    auto operator()(const any_expression auto& x_q, const any_expression auto& x_k,
                    const any_expression auto& x_v) const {
        const auto heads = attention(matmul(u_q, x_q), matmul(u_k, x_k), matmul(u_v, x_v), scale(1.0f));
        return matmul(reshape<word, Heads * 32>(permute<1, 0, 2>(heads)), w_out);
    }
};

/// Weights by the formula of the fixtures: matrices number `first` and up.
template <std::size_t Heads>
multi_head_attention<Heads> numbered(std::size_t first) {
    const auto part = [&](std::size_t p) {
        return generate<float, Heads, word, word>(
            [=](auto h, auto i, auto j) { return fixtures::uniform(first + p * Heads + h, i, j); });
    };
    return {part(0), part(1), part(2), generate<float, Heads * 32, embedding>([=](auto i, auto j) {
                return fixtures::uniform(first + 3 * Heads, i, j);
            })};
}

/// A linear layer as PyTorch has it, x by transpose(weight) plus bias.
template <std::size_t In, std::size_t Out>
struct linear {
    tensor<float, Out, In> weight;
    tensor<float, Out> bias;

    auto operator()(const any_expression auto& input) const { return matmul(input, transpose(weight)) + bias; }

    static linear numbered(std::size_t m, float divisor) {
        return {generate<float, Out, In>([=](auto o, auto i) { return fixtures::centred(m, o, i, divisor); }),
                generate<float, Out>([=](auto o) { return fixtures::centred(m, o, In, divisor); })};
    }
};

/// layer_norm over the whole tensor instead of each row, as in the notebook.
auto norm_of_all(const any_expression auto& e) { return reshape<word, embedding>(layer_norm(reshape<-1>(e))); }

void three_heads() {
    title("three heads");
    const auto block = numbered<3>(0);

    // One by one and concatenated, as the notebook has it ...
    const auto head = [&](std::size_t h) {
        return attention(matmul(block.u_q[h], x), matmul(block.u_k[h], x), matmul(block.u_v[h], x), scale(1.0f));
    };
    check_near("concat<1> of three heads", matmul(concat<1>(head(0), head(1), head(2)), block.w_out),
               reference::multi_head_output, 2e-3);
    // ... or all at once.
    check_near("batched", block(x, x, x), reference::multi_head_output, 2e-3);
}

void decoder_layer() {
    title("decoder layer");
    const auto first = numbered<2>(10), second = numbered<2>(17);
    const auto linear_1 = linear<32, 64>::numbered(24, 283);
    const auto linear_2 = linear<64, 32>::numbered(25, 400);

    const auto x1 = eval(norm_of_all(first(x, x, x) + x));
    const auto x2 = eval(norm_of_all(second(x, x, x1) + x1));
    check_near("mean of the normed tensor", mean(x1), 0.0f, 1e-5);
    check_near("variance of it", variance(x1), 1.0f, 1e-4);

    // Both layers and the activation are one loop over words: the 64 hidden numbers of a word never leave the cache.
    check_near("decoder_layer(x, x)", relu(linear_2(linear_1(x2))), reference::decoder_output, 1e-4);
}

}  // namespace

int main() {
    three_heads();
    decoder_layer();
    return report();
}
