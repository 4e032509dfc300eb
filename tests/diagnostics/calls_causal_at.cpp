// SPDX-License-Identifier: BSL-1.0
// causal_at of memory without a shape.
//
// expect: ashlar: causal_at: takes an integer or an integer tensor; tensor_view<const int, 8>{memory} makes one of other memory
#include <array>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
std::array<int, 2> counts{};
const tensor<float, 2, 4, 8> scores{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal_at(counts));
#else
auto y = masked(scores, causal_at(tensor_view<const int, 2>{counts}));
#endif
