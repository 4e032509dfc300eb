// SPDX-License-Identifier: BSL-1.0
// An option of attention that is given twice, of a part of it.
// expect: ashlar: attention: an option can be given only once
// expect: option_count<
#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
const tensor<float, 5, 8> q{};
const tensor<float, 7, 8> k{};
const tensor<float, 7, 4> v{};
#ifdef ASHLAR_EXPECT_ERROR
const attention_state<float, 5, 4> state = attention_partial(q, k, v, causal, keys_below(3));
#else
const attention_state<float, 5, 4> state = attention_partial(q, k, v, causal&& keys_below(3));
#endif

}  // namespace
