// SPDX-License-Identifier: BSL-1.0
// Queries and keys of different depths, of a part of attention.
// expect: ashlar: attention: q and k must have the same last axis
// expect: attention_depth<8
// expect: ::agrees
#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
const tensor<float, 5, 8> q{};
const tensor<float, 7, 8> k{};
const tensor<float, 7, 4> v{};
[[maybe_unused]] const tensor<float, 7, 4> narrow{};
#ifdef ASHLAR_EXPECT_ERROR
const attention_state<float, 5, 4> state = attention_partial(q, narrow, v);
#else
const attention_state<float, 5, 4> state = attention_partial(q, k, v);
#endif

}  // namespace
