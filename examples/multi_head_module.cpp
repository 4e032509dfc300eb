// SPDX-License-Identifier: BSL-1.0
// torch's MultiheadAttention written out, after a notebook: packed projections, one head or more, averaged weights.
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::torch_attention;

namespace {

/// torch.nn.MultiheadAttention(Width, Heads) with its parameters under their names.
template <std::size_t Width, std::size_t Heads>
struct multihead_attention {
    tensor<float, 3 * Width, Width> in_proj_weight;  // of queries, keys and values, one below the other
    tensor<float, 3 * Width> in_proj_bias;
    tensor<float, Width, Width> out_proj_weight;
    tensor<float, Width> out_proj_bias;

    /// Projection number `part` of x, cut into heads: [tokens, Width] to [Heads, tokens, Width / Heads].
    template <std::size_t Part>
    auto projected(const any_expression auto& x) const {
        const auto weight = split<0, 3>(in_proj_weight)[Part];  // views: nothing is copied
        const auto bias = split<0, 3>(in_proj_bias)[Part];
        constexpr std::size_t tokens = shape_of<decltype(x)>::extents[0];
        return permute<1, 0, 2>(reshape<tokens, Heads, Width / Heads>(matmul(x, transpose(weight)) + bias));
    }
    /// [queries, Width], the heads side by side and projected once more.
    auto operator()(const any_expression auto& query, const any_expression auto& key,
                    const any_expression auto& value) const {
        const auto heads = attention(projected<0>(query), projected<1>(key), projected<2>(value));
        const auto side_by_side = reshape<shape_of<decltype(query)>::extents[0], Width>(permute<1, 0, 2>(heads));
        return matmul(side_by_side, transpose(out_proj_weight)) + out_proj_bias;
    }
    /// [queries, keys], the average over the heads, as torch returns it.
    auto weights(const any_expression auto& query, const any_expression auto& key) const {
        return mean<0>(attention_weights(projected<0>(query), projected<1>(key)));
    }
};

template <std::size_t Heads>
multihead_attention<4, Heads> module() {
    return {borrowed(reference::mha_in_proj_weight), borrowed(reference::mha_in_proj_bias),
            borrowed(reference::mha_out_proj_weight), borrowed(reference::mha_out_proj_bias)};
}

}  // namespace

int main() {
    const auto v = borrowed(reference::v);
    const auto query = borrowed(reference::query);
    const auto keys = borrowed(reference::keys);

    title("one head");
    const auto one_head = module<1>();
    check_near("a single query", one_head(query, keys, v), reference::mha_single_query_output, 1e-6);
    check_near("its weights", one_head.weights(query, keys), reference::mha_single_query_weights, 1e-6);
    check_near("self-attention", one_head(v, v, v), reference::mha_heads1_output, 1e-6);
    check_near("its weights", one_head.weights(v, v), reference::mha_heads1_weights, 1e-6);

    // The same 80 parameters, cut into two heads: each attends in its own half of the features.
    title("two heads");
    const auto two_heads = module<2>();
    check_near("self-attention", two_heads(v, v, v), reference::mha_heads2_output, 1e-6);
    check_near("average of the heads' weights", two_heads.weights(v, v), reference::mha_heads2_weights, 1e-6);

    // Values of another width than queries and keys: only the value projection notices. These weights are printed in
    // the notebook, which has embed_dim = 2, kdim = 2, vdim = 4, and biases of zero.
    title("values wider than queries and keys");
    const auto narrow = borrowed(reference::narrow_keys);
    const auto q = matmul(narrow, transpose(borrowed(reference::narrow_q_proj_weight)));
    const auto k = matmul(narrow, transpose(borrowed(reference::narrow_k_proj_weight)));
    const auto values = matmul(v, transpose(borrowed(reference::narrow_v_proj_weight)));
    const auto out = matmul(attention(q, k, values), transpose(borrowed(reference::narrow_out_proj_weight)));
    check_near("kdim 2, vdim 4", out, reference::narrow_mha_output, 1e-6);
    return report();
}
