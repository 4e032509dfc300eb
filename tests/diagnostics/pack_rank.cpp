// SPDX-License-Identifier: BSL-1.0
// Only a matrix can be packed.
//
// expect: ashlar: pack: only a matrix can be packed; reshape it to two axes or pack its parts
#include <ashlar/ashlar.hpp>

void pack_it(const ashlar::tensor<float, 4, 8, 8>& w) {
#ifdef ASHLAR_EXPECT_ERROR
    static_cast<void>(pack(w));
#else
    static_cast<void>(pack(reshape<32, 8>(w)));
#endif
}
