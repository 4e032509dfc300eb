// SPDX-License-Identifier: BSL-1.0
// A tensor made of another library's matrix.
// expect: ashlar: view: a foreign matrix may be column-major; transpose(tensor_view<float, 3, 2>{m.data()})
#include <ashlar/ashlar.hpp>

using namespace ashlar;
struct matrix {
    float values[6]{};
    float* data() { return values; }
    const float* data() const { return values; }
    long size() const { return 6; }
    long rows() const { return 2; }
    long cols() const { return 3; }
};

void program() {
    matrix m;
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] tensor<float, 2, 3> t = m;
#else
    [[maybe_unused]] tensor<float, 2, 3> t = transpose(tensor_view<float, 3, 2>{m.data()});
#endif
}
