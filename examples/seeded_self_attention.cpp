// SPDX-License-Identifier: BSL-1.0
// A PyTorch notebook without PyTorch: self-attention from seeds, its variant with linear layers, and causal ones.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/check.hpp"

using namespace ashlar;
using namespace examples;

namespace {

inline constexpr axis<"token", 6> token;
inline constexpr axis<"feature", 3> feature;  // d_in
inline constexpr axis<"head", 2> head;        // d_out

constexpr tensor<float, token, feature> inputs{{0.43f, 0.15f, 0.89f},   // your     (x1)
                                               {0.55f, 0.87f, 0.66f},   // journey  (x2)
                                               {0.57f, 0.85f, 0.64f},   // starts   (x3)
                                               {0.22f, 0.58f, 0.33f},   // with     (x4)
                                               {0.77f, 0.25f, 0.10f},   // one      (x5)
                                               {0.05f, 0.80f, 0.55f}};  // step     (x6)

/// The notebook's class: three parameters, each made by torch.rand.
struct self_attention {
    tensor<float, feature, head> w_query, w_key, w_value;

    explicit constexpr self_attention(nn::init::generator& random)
        : w_query(nn::init::rand<float, feature, head>(random)),
          w_key(nn::init::rand<float, feature, head>(random)),
          w_value(nn::init::rand<float, feature, head>(random)) {}

    constexpr auto operator()(const auto& x, const auto&... options) const {
        return attention(matmul(x, w_query), matmul(x, w_key), matmul(x, w_value), options...);
    }
};

/// The same with nn.Linear, whose weights begin smaller and lie about zero.
struct linear_self_attention {
    using projection = nn::linear<{.in = feature, .out = head, .bias = false}>;
    projection w_query, w_key, w_value;

    constexpr auto operator()(const auto& x, const auto&... options) const {
        return attention(w_query(x), w_key(x), w_value(x), options...);
    }
    constexpr auto weights(const auto& x, const auto&... options) const {
        return attention_weights(w_query(x), w_key(x), options...);
    }
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("W_query", self.w_query);
        visit("W_key", self.w_key);
        visit("W_value", self.w_value);
    }
};

void one_query() {
    title("x_2");
    nn::init::generator random(123);  // torch.manual_seed(123)
    const self_attention sa(random);
    const auto x_2 = inputs[1];
    const auto query_2 = eval(matmul(x_2, sa.w_query));
    check_near("query_2", query_2, {0.4306f, 1.4551f}, printed);
    check_near("key_2", matmul(x_2, sa.w_key), {0.4433f, 1.1419f}, printed);
    check_near("value_2", matmul(x_2, sa.w_value), {0.3951f, 1.0037f}, printed);
    const auto keys = eval(matmul(inputs, sa.w_key)), values = eval(matmul(inputs, sa.w_value));
    check_near("attn_score_22", dot(query_2, keys[1]), 1.8524f, printed);
    const auto scores = eval(matmul(keys, query_2));
    check_near("attn_scores_2", scores, {1.2705f, 1.8524f, 1.8111f, 1.0795f, 0.5577f, 1.5440f}, printed);
    const auto weights = softmax(scores * rsqrt_extent<head>);
    check_near("attn_weights_2", weights, {0.1500f, 0.2264f, 0.2199f, 0.1311f, 0.0906f, 0.1820f}, printed);
    check_near("context_vec_2", matmul(weights, values), {0.3061f, 0.8210f}, printed);
}

void all_queries() {
    title("SelfAttention");
    nn::init::generator random(123);
    const self_attention sa(random);
    check_near("sa(inputs)", sa(inputs),
               {{0.2996f, 0.8053f},
                {0.3061f, 0.8210f},
                {0.3058f, 0.8203f},
                {0.2948f, 0.7939f},
                {0.2927f, 0.7891f},
                {0.2990f, 0.8040f}},
               printed);

    // The generator is ordinary code, so the compiler can run all of it.
    constexpr auto context = [] {
        nn::init::generator seeded(123);
        const self_attention constant(seeded);
        return eval(constant(inputs));
    }();
    static_assert(context(0, 0) > 0.29955f && context(0, 0) < 0.29965f);
    check_near("the same at compile time", context, eval(sa(inputs)), 1e-6);
}

// The numbers from here on are PyTorch's for the same seeds; the notebook only announces these variants.
void linear_layers() {
    title("SelfAttention with nn.Linear, manual_seed(789)");
    nn::init::generator random(789);
    const auto sa = nn::init::make<linear_self_attention>(random);
    check_near("sa(inputs)", sa(inputs),
               {{-0.0739f, 0.0713f},
                {-0.0748f, 0.0703f},
                {-0.0749f, 0.0702f},
                {-0.0760f, 0.0685f},
                {-0.0763f, 0.0679f},
                {-0.0754f, 0.0693f}},
               printed);
    check_near("causal weights", sa.weights(inputs, causal),
               {{1.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f},
                {0.5517f, 0.4483f, 0.0000f, 0.0000f, 0.0000f, 0.0000f},
                {0.3800f, 0.3097f, 0.3103f, 0.0000f, 0.0000f, 0.0000f},
                {0.2758f, 0.2460f, 0.2462f, 0.2319f, 0.0000f, 0.0000f},
                {0.2175f, 0.1983f, 0.1984f, 0.1888f, 0.1971f, 0.0000f},
                {0.1935f, 0.1663f, 0.1666f, 0.1542f, 0.1666f, 0.1529f}},
               printed);
    check_near("causal context vectors", sa(inputs, causal),
               {{-0.0872f, 0.0286f},
                {-0.0991f, 0.0501f},
                {-0.0999f, 0.0633f},
                {-0.0983f, 0.0489f},
                {-0.0514f, 0.1098f},
                {-0.0754f, 0.0693f}},
               printed);

    title("causal, manual_seed(123)");
    random.manual_seed(123);
    const auto ca = nn::init::make<linear_self_attention>(random);
    check_near("ca(inputs)", ca(inputs, causal),
               {{-0.4519f, 0.2216f},
                {-0.5874f, 0.0058f},
                {-0.6300f, -0.0632f},
                {-0.5675f, -0.0843f},
                {-0.5526f, -0.0981f},
                {-0.5299f, -0.1081f}},
               printed);
}

}  // namespace

int main() {
    one_query();
    all_queries();
    linear_layers();
    return report();
}
