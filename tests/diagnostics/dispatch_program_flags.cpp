// SPDX-License-Identifier: BSL-1.0
// The program around dispatched sources is compiled for more than what they begin with.
// expect: ashlar: dispatch: this source is compiled for more than the least dispatched instruction set
// expect: compiled_for<
#ifdef ASHLAR_EXPECT_ERROR
#define ASHLAR_DISPATCH_LEAST base
#endif
#include <ashlar/core/dispatch.hpp>
