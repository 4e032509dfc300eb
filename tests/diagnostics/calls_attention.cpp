// SPDX-License-Identifier: BSL-1.0
// attention with a vector.
//
// expect: ashlar: attention: takes queries, keys and values, each a tensor, view or expression, and then options; write attention(q, k, v, causal), attention_weights(q, k, causal)
#include <vector>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(a, a, v);
#else
auto y = attention(a, a, ashlar::tensor_view<float, 4, 8>{v});
#endif
