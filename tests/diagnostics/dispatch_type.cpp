// SPDX-License-Identifier: BSL-1.0
// A dispatched function that is declared by the type of a pointer.
//
// expect: ashlar: dispatch: dispatched takes the type of a function
#include <ashlar/core/dispatch.hpp>

#ifdef ASHLAR_EXPECT_ERROR
extern ashlar::dispatched<float (*)(float) noexcept> doubled;
#else
extern ashlar::dispatched<float(float) noexcept> doubled;
#endif
float twice(float value) { return doubled(value); }
