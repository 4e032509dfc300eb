// SPDX-License-Identifier: BSL-1.0
// What a source gives for a dispatched function may throw, and its declaration says that it does not.
// expect: ashlar: dispatch: the function cannot be called as dispatched<...> declares it
// expect: dispatched_function<
#include <ashlar/core/dispatch.hpp>

extern ashlar::dispatched<float(float) noexcept> doubled;

#ifdef ASHLAR_EXPECT_ERROR
static float run(float value) { return 2 * value; }
#else
static float run(float value) noexcept { return 2 * value; }
#endif
ASHLAR_DISPATCH(doubled, run);
