// SPDX-License-Identifier: BSL-1.0
// A tensor made of another library's matrix.
//
// expect: ashlar: view: a foreign matrix may be column-major; transpose(tensor_view<float, 3, 2>{m.data()})
#include <ashlar/ashlar.hpp>

struct matrix {
    float values[6]{};
    float* data() { return values; }
    const float* data() const { return values; }
    long size() const { return 6; }
    long rows() const { return 2; }
    long cols() const { return 3; }
};

matrix m;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2, 3> t = m;
#else
ashlar::tensor<float, 2, 3> t = transpose(ashlar::tensor_view<float, 3, 2>{m.data()});
#endif
