// SPDX-License-Identifier: BSL-1.0
// A block of more rows than the stream has room for.
//
// expect: ashlar: nn: stream: a block must not have more rows than the capacity of the stream; raise
//
// expect: stream_capacity<128, 64>
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::lstm<{.in = 2, .hidden = 4}> listen{};
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<decltype(listen), 64> s{listen};
#else
nn::stream<decltype(listen), 128> s{listen};
#endif
tensor<float, 128, 2> x{};
tensor<float, 128, 4> y = s(x);
