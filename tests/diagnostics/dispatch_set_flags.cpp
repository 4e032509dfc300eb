// SPDX-License-Identifier: BSL-1.0
// A source is said to be compiled for a set, and its flags are others.
//
// expect: ashlar: dispatch: a dispatched source has other flags than those of its instruction set
//
// expect: compiled_for<
#ifdef ASHLAR_EXPECT_ERROR
#define ASHLAR_DISPATCH_SET avx512
#endif
#include <ashlar/core/dispatch.hpp>
