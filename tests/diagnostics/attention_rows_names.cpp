// SPDX-License-Identifier: BSL-1.0
// Rows of keys and values under different names.
//
// expect: ashlar: attention: k and v must have the same rows
//
// expect: attention_rows<
//
// expect: "memory"
//
// expect: "seq"
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
inline constexpr axis<"memory", 7> memory;
inline constexpr axis<"seq", 7> seq;
const tensor<float, memory, 8> mk{};
const tensor<float, seq, 4> sv{};
const tensor<float, memory, 4> mv{};
const tensor<float, 5, 8> mq{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(mq, mk, sv);
#else
auto y = attention(mq, mk, mv);
#endif
