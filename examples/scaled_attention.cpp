// SPDX-License-Identifier: BSL-1.0
// Scaled dot-product attention with trainable projections, for one query and then for all (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::self_attention;

namespace {

inline constexpr axis<"token", 6> token;
inline constexpr axis<"feature", 3> feature;  // d_in of the notebook
inline constexpr axis<"head", 2> head;        // d_out

// Views: tensors over memory that is there already. W_query, W_key and W_value are what training would find.
const auto inputs = borrowed<token, feature>(reference::inputs);
const auto w_query = borrowed<feature, head>(reference::w_query);
const auto w_key = borrowed<feature, head>(reference::w_key);
const auto w_value = borrowed<feature, head>(reference::w_value);

void one_query() {
    title("one query");
    const auto x_2 = inputs[1];
    const auto query_2 = matmul(x_2, w_query);  // what this token looks for, [head]
    const auto key_2 = matmul(x_2, w_key);      // what it is found by
    const auto value_2 = matmul(x_2, w_value);  // what it then has to say
    check_near("query", query_2, {0.4306f, 1.4551f}, printed);
    check_near("key", key_2, {0.4433f, 1.1419f}, printed);
    check_near("value", value_2, {0.3951f, 1.0037f}, printed);
    check_near("score of the token with itself", dot(query_2, key_2), 1.8524f, printed);

    // The keys and values of all tokens are needed, whichever token asks.
    const auto keys = matmul(inputs, w_key);
    const auto values = matmul(inputs, w_value);
    const auto scores = matmul(query_2, transpose(keys));
    check_near("scores", scores, {1.2705f, 1.8524f, 1.8111f, 1.0795f, 0.5577f, 1.5440f}, printed);

    // Long vectors have large dot products, and softmax of large scores is nearly all on one token, where there is
    // hardly a gradient left. Hence the division by the square root of their length, a constant of the type.
    const auto weights = softmax(scores * rsqrt_extent<head>);
    check_near("weights", weights, {0.1500f, 0.2264f, 0.2199f, 0.1311f, 0.0906f, 0.1820f}, printed);
    check_near("context vector", matmul(weights, values), {0.3061f, 0.8210f}, printed);
}

void all_queries() {
    title("all queries");
    const auto q = matmul(inputs, w_query);
    const auto k = matmul(inputs, w_key);
    const auto v = matmul(inputs, w_value);

    // Nothing has been computed yet: q, k, v and what follows are recipes, and each check below runs one.
    const auto weights = softmax(matmul(q, transpose(k)) * rsqrt_extent<head>);
    check_near("weights", weights, reference::projected_attention_weights, 1e-6);
    check_near("context vectors", matmul(weights, v), reference::projected_attention, 1e-6);

    // attention() writes the same recipe, scale included.
    check_near("attention(q, k, v)", attention(q, k, v), reference::projected_attention, 1e-6);
    check_near("attention_weights(q, k)", attention_weights(q, k), reference::projected_attention_weights, 1e-6);

    // The weights beside the result, from one evaluation: store writes what passes through it.
    tensor<float, token, token> shown;
    check_near("with store", matmul(store(shown, softmax(matmul(q, transpose(k)) * rsqrt_extent<head>)), v),
               reference::projected_attention, 1e-6);
    check_near("what it stored", shown, reference::projected_attention_weights, 1e-6);
}

}  // namespace

int main() {
    one_query();
    all_queries();
    return report();
}
