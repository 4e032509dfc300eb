// SPDX-License-Identifier: BSL-1.0
// keys_below of memory without a shape.
//
// expect: ashlar: keys_below: takes an integer or an integer tensor; tensor_view<const int, 8>{memory} makes one of other memory
#include <array>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
std::array<int, 2> counts{};
const tensor<float, 2, 4, 8> scores{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keys_below(counts));
#else
auto y = masked(scores, keys_below(tensor_view<const int, 2>{counts}));
#endif
