// SPDX-License-Identifier: BSL-1.0
// attention with a vector.
// expect: ashlar: attention: takes queries, keys and values, each a tensor, view or expression, and then options; write attention(q, k, v, causal), attention_weights(q, k, causal)
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
    std::vector<float> v(32);
    [[maybe_unused]] tensor_view<float, 4, 8> w{v};
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = attention(a, v, v);
#else
    [[maybe_unused]] auto y = attention(a, w, w);
#endif
}
