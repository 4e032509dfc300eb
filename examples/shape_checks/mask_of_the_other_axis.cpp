// SPDX-License-Identifier: BSL-1.0
// A padding mask over queries and keys, exchanged.
// expect: ashlar: mask: the mask's tensor must broadcast to the scores, numbers of keys_below and causal_at to their batch axes; unsqueeze or rename its axes
// expect: "source"
// expect: "target"
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"target", 24> target;
inline constexpr axis<"source", 40> source;
inline constexpr axis<"head", 32> head;

tensor<float, target, head> attend(const tensor<float, target, head>& q, const tensor<float, source, head>& k,
                                   const tensor<float, source, head>& v, const tensor<bool, target, source>& padding) {
#ifdef ASHLAR_EXPECT_ERROR
    return attention(q, k, v, keep(transpose(padding)));
#else
    return attention(q, k, v, keep(padding));
#endif
}
