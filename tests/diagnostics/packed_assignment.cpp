// SPDX-License-Identifier: BSL-1.0
// A plain matrix does not become a packed one by assignment.
//
// expect: ashlar: packed: fill it by pack(w, x), from a weight [out, in] by pack(w, transpose(x))
#include <ashlar/ashlar.hpp>

void set(ashlar::packed<float, 64, 10>& weight, const ashlar::tensor<float, 10, 64>& w) {
#ifdef ASHLAR_EXPECT_ERROR
    weight = transpose(w);
#else
    pack(weight, transpose(w));
#endif
}
