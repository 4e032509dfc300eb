// SPDX-License-Identifier: BSL-1.0
// A function of two arguments.
//
// expect: ashlar: attention: the function of score_mod must take (score, query, key)
//
// expect: score_mod_result<void, float>::is_a_score
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, score_mod([](float s, float distance) { return s - distance; }));
#else
auto y = attention(q, k, v, score_mod([](float s, float query, float key) { return s - (query - key); }));
#endif
