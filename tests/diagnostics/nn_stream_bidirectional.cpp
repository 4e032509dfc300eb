// SPDX-License-Identifier: BSL-1.0
// A second direction that begins at the last step.
//
// expect: ashlar: nn: stream: a bidirectional layer has no stream, since its second direction begins at the
//
// expect: streamed_direction<2>
#include <ashlar/nn.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<nn::lstm<{.in = 2, .hidden = 4, .bidirectional = true}>, 64> s;
#else
nn::stream<nn::lstm<{.in = 2, .hidden = 4}>, 64> s;
#endif
