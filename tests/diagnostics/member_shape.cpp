// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: shape.
// expect: ashlar: member: a shape is part of the type; write x.extents[0], x.rank
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = a.shape();
#else
    [[maybe_unused]] auto y = a.extents;
#endif
}
