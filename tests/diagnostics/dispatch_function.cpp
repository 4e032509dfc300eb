// SPDX-License-Identifier: BSL-1.0
// What a source gives for a dispatched function has other parameters than its declaration.
//
// expect: ashlar: dispatch: the function cannot be called as dispatched<...> declares it
//
// expect: dispatched_function<
#include <ashlar/core/dispatch.hpp>

extern ashlar::dispatched<float(const float*, int) noexcept> total;

#ifdef ASHLAR_EXPECT_ERROR
static float run(const float* values, long count) noexcept { return values[count - 1]; }
#else
static float run(const float* values, int count) noexcept { return values[count - 1]; }
#endif
ASHLAR_DISPATCH(total, run);
