// SPDX-License-Identifier: BSL-1.0
// A sentence from words to multi-head attention, plain and causal (after a PyTorch notebook).
#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::multi_head;

namespace {

inline constexpr axis<"word", 7> word;              // the train left the station on time
inline constexpr axis<"vocabulary", 6> vocabulary;  // six different ones
inline constexpr axis<"embedding", 2> embedding;
inline constexpr axis<"feature", 4> feature;  // head_dim of the notebook, shared by two heads
inline constexpr axis<"heads", 2> heads;

constexpr std::string_view sentence[] = {"the", "train", "left", "the", "station", "on", "time"};

/// Each word's position in the (sorted) vocabulary.
tensor<int, word> tokens() {
    return generate<int, word>([](std::size_t i) {
        const auto& words = reference::vocabulary;
        return static_cast<int>(std::find(std::begin(words), std::end(words), sentence[i]) - std::begin(words));
    });
}

/// Row blocks of torch's in_proj_weight and in_proj_bias: of queries, keys and values.
const auto in_weights = borrowed<3, feature, feature>(reference::in_proj_weight);
const auto in_biases = borrowed<3, feature>(reference::in_proj_bias);

/// [word, feature] projected and cut into heads: [heads, word, 2].
auto cut_into_heads(const any_expression auto& x, std::size_t part) {
    const auto projected = matmul(x, transpose(in_weights[part])) + in_biases[part];
    return permute<1, 0, 2>(reshape<word, heads, 2>(projected));
}

/// Heads side by side again, and the last projection.
auto joined(const any_expression auto& per_head) {
    const auto side_by_side = reshape<word, feature>(permute<1, 0, 2>(per_head));
    return matmul(side_by_side, transpose(borrowed<feature, feature>(reference::out_proj_weight))) +
           borrowed<feature>(reference::out_proj_bias);
}

}  // namespace

int main() {
    title("embedding");
    const auto ids = tokens();
    check("tokens", std::equal(ids.begin(), ids.end(), std::begin(reference::tokens)));
    const auto table = borrowed<vocabulary, embedding>(reference::embedding);
    const auto x = take<vocabulary>(table, ids);  // the rows of the table that the tokens choose
    check_near("take<vocabulary>(table, tokens)", row(x, 0), {-0.9724f, -0.7550f}, printed);

    title("projections");
    // torch keeps weights as [out, in], hence transpose. Evaluated here because each is used three times below.
    const auto query = eval(matmul(x, transpose(borrowed<feature, embedding>(reference::query_weight))));
    const auto key = eval(matmul(x, transpose(borrowed<feature, embedding>(reference::key_weight))));
    const auto value = eval(matmul(x, transpose(borrowed<feature, embedding>(reference::value_weight))));
    check_near("query", query, reference::query, 1e-6);
    check_near("key", key, reference::key, 1e-6);
    check_near("value", value, reference::value, 1e-6);

    title("two heads");
    const auto q = cut_into_heads(query, 0), k = cut_into_heads(key, 1), v = cut_into_heads(value, 2);
    check_near("output", joined(attention(q, k, v)), reference::output, 1e-6);
    check_near("weights, averaged over heads", mean<heads>(attention_weights(q, k)), reference::output_weights, 1e-6);

    // The notebook's mask is a matrix that is added to the scores: one where a key may be seen, else minus infinity.
    // Adding one to all that remains changes nothing in a softmax, so it works, and is the same as the type `causal`,
    // which costs no memory and skips what it excludes.
    title("causal");
    const auto mask = generate<float, word, word>(
        [](auto i, auto j) { return j <= i ? 1.0f : -std::numeric_limits<float>::infinity(); });
    check_near("output with bias(mask)", joined(attention(q, k, v, bias(mask))), reference::causal_output, 1e-6);
    check_near("output with causal", joined(attention(q, k, v, causal)), reference::causal_output, 1e-6);
    check_near("weights with causal", mean<heads>(attention_weights(q, k, causal)), reference::causal_weights, 1e-6);
    return report();
}
