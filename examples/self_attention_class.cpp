// SPDX-License-Identifier: BSL-1.0
// A self-attention layer as a struct with a call operator, and the causal variant of it (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::self_attention;

namespace {

inline constexpr axis<"token", 6> token;
inline constexpr axis<"feature", 3> feature;
inline constexpr axis<"head", 2> head;

/// The layer of the notebook: three weight matrices, and how to apply them. It is an aggregate without padding, so
/// sizeof is the parameters' and nothing else.
template <auto In, auto Out>
struct self_attention {
    tensor<float, In, Out> w_query, w_key, w_value;

    /// [tokens, In] to [tokens, Out], for any number of tokens. Options are those of attention: a mask, a scale, ...
    constexpr auto operator()(const any_expression auto& x, const auto&... options) const noexcept {
        return eval(attention(matmul(x, w_query), matmul(x, w_key), matmul(x, w_value), options...));
    }
};

}  // namespace

int main() {
    const auto inputs = borrowed<token, feature>(reference::inputs);
    const self_attention<feature, head> layer{borrowed<feature, head>(reference::w_query),
                                              borrowed<feature, head>(reference::w_key),
                                              borrowed<feature, head>(reference::w_value)};
    static_assert(sizeof layer == 3 * 3 * 2 * sizeof(float));

    title("self-attention");
    check_near("layer(inputs)", layer(inputs),
               {{0.2996f, 0.8053f},
                {0.3061f, 0.8210f},
                {0.3058f, 0.8203f},
                {0.2948f, 0.7939f},
                {0.2927f, 0.7891f},
                {0.2990f, 0.8040f}},
               printed);
    check_near("all digits", layer(inputs), reference::projected_attention, 1e-6);

    // A language model must not see the words that it is to predict: token i attends to tokens 0 to i only. The mask is
    // a type, so the keys after a query are not even computed.
    title("causal self-attention");
    check_near("layer(inputs, causal)", layer(inputs, causal), reference::causal_attention, 1e-6);
    check_near("its weights", attention_weights(matmul(inputs, layer.w_query), matmul(inputs, layer.w_key), causal),
               reference::causal_attention_weights, 1e-6);

    // The first token sees itself alone, so its context is its value.
    check_near("first token", row(layer(inputs, causal), 0), eval(matmul(inputs[0], layer.w_value)), 1e-6);

    // Other masks work alike: here each token and the one before it.
    const auto neighbours = layer(inputs, sliding_window<1, 0>);
    const auto first_two = layer(slice<token, 0, 2>(inputs), causal);
    check_near("a window of two, second token", row(neighbours, 1), eval(row(first_two, 1)), 1e-6);
    return report();
}
