// SPDX-License-Identifier: BSL-1.0
// A matrix of another library that is assigned a tensor.
//
// expect: ashlar: member: other matrices view its memory; write Eigen::Map<RowMajor>(x.data(), 4, 8)
#include <cstddef>

#include <ashlar/ashlar.hpp>

struct matrix {
    float* elements;
    std::size_t rows() const { return 4; }
    std::size_t cols() const { return 8; }
};
static ashlar::tensor<float, 4, 8> a{};

void program(matrix& m) {
#ifdef ASHLAR_EXPECT_ERROR
    m = a;
#else
    m = {a.data()};
#endif
}
