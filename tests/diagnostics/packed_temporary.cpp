// SPDX-License-Identifier: BSL-1.0
// The memory of a temporary packed matrix.
//
// expect: ashlar: packed: the memory of a temporary would dangle; name it first
#include <ashlar/ashlar.hpp>

void read(const ashlar::tensor<float, 8, 16>& w) {
#ifdef ASHLAR_EXPECT_ERROR
    static_cast<void>(pack(w).data());
#else
    const auto p = pack(w);
    static_cast<void>(p.data());
#endif
}
