// SPDX-License-Identifier: BSL-1.0
// torch's TransformerEncoderLayer, and an encoder of four of them (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::torch_attention;

namespace {

// A sequence of ten tokens of width 4; the feed-forward part is four times as wide.
inline constexpr axis<"token", 10> token;
inline constexpr axis<"width", 4> width;
inline constexpr axis<"hidden", 16> hidden;

/// A linear layer as PyTorch has it: weight is [out, in].
template <auto In, auto Out>
struct linear {
    tensor<float, Out, In> weight;
    tensor<float, Out> bias;

    auto operator()(const any_expression auto& x) const { return matmul(x, transpose(weight)) + bias; }

    /// Number m of the formula in the fixtures.
    static linear numbered(std::size_t m, float divisor) {
        return {generate<float, Out, In>([=](auto o, auto i) { return fixtures::centred(m, o, i, divisor); }),
                generate<float, Out>([=](auto o) { return fixtures::centred(m, o, In.extent, divisor); })};
    }
};

/// TransformerEncoderLayer(d_model = 4, nhead = 1, dim_feedforward = 16) without dropout: attention and a feed-forward
/// network, each added to what it read and normalised. The norms have gamma 1 and beta 0, as before training.
struct encoder_layer {
    linear<width, width> query, key, value, out;
    linear<width, hidden> up;
    linear<hidden, width> down;

    tensor<float, token, width> operator()(const tensor<float, token, width>& x) const noexcept {
        const auto attended = layer_norm(x + out(attention(query(x), key(x), value(x))));
        // `let` names what is used twice: it is computed once, and stays where it is used.
        return let(attended, [this](const auto& y) { return layer_norm(y + down(relu(up(y)))); });
    }
};

/// Part `n` of three of the packed projection of queries, keys and values.
linear<width, width> projection(std::size_t n) {
    const auto weights = borrowed<3, width, width>(reference::mha_in_proj_weight);
    const auto biases = borrowed<3, width>(reference::mha_in_proj_bias);
    return {weights[n], biases[n]};
}

}  // namespace

int main() {
    const linear<width, width> out{borrowed<width, width>(reference::mha_out_proj_weight),
                                   borrowed<width>(reference::mha_out_proj_bias)};
    const encoder_layer layer{projection(0),
                              projection(1),
                              projection(2),
                              out,
                              linear<width, hidden>::numbered(0, 100),
                              linear<hidden, width>::numbered(1, 200)};

    title("encoder layer");
    tensor<float, token, width> x = borrowed<token, width>(reference::v);
    check_near("layer(v)", layer(x), reference::encoder_layer, 1e-5);

    title("encoder of four equal layers");
    for (int i = 0; i < 4; ++i) x = layer(x);
    check_near("layer(layer(layer(layer(v))))", x, reference::encoder, 2e-5);
    return report();
}
