// SPDX-License-Identifier: BSL-1.0
// The flags of the program around dispatched sources include more instructions than the smallest set.
//
// expect: ashlar: dispatch: this source is compiled for more than the least dispatched instruction set
//
// expect: compiled_for<
#ifdef ASHLAR_EXPECT_ERROR
#define ASHLAR_DISPATCH_LEAST base
#endif
#include <ashlar/core/dispatch.hpp>
