// SPDX-License-Identifier: BSL-1.0
// Lanes that no register holds as a batch of xsimd.
//
// expect: ashlar: xsimd: a batch has as many elements as the lanes have; write xsimd::batch(v), of operands whose elements have one size
#include <ashlar/ashlar.hpp>
#include <ashlar/kernel/xsimd.hpp>

using namespace ashlar;

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    constexpr std::size_t width = 3;
#else
    constexpr std::size_t width = lane_width<float>;
#endif
    const auto y = xsimd::sqrt(xsimd::batch(lanes<float, width>(2.0f)));
}
