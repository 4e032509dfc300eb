// SPDX-License-Identifier: BSL-1.0
// rename with axes as arguments.
// expect: ashlar: rename: takes one tensor, view or expression, and the dimensions as template arguments; write rename<rows, columns>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
inline constexpr axis<"wide", 8> wide;

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = rename(a, 4, wide);
#else
    [[maybe_unused]] auto y = rename<4, wide>(a);
#endif
}
