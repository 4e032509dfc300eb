// SPDX-License-Identifier: BSL-1.0
// Keys of the source with values of the target.
// expect: ashlar: attention: k and v must have the same rows, a value for each key; are they swapped?
// expect: "source"
// expect: "target"
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"target", 24> target;
inline constexpr axis<"source", 24> source;
inline constexpr axis<"head", 32> head;

tensor<float, target, head> attend(const tensor<float, target, head>& q, const tensor<float, source, head>& k,
                                   const tensor<float, source, head>& v, const tensor<float, target, head>& own) {
#ifdef ASHLAR_EXPECT_ERROR
    return attention(q, k, own);
#else
    static_cast<void>(own);
    return attention(q, k, v);
#endif
}
