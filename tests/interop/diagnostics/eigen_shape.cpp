// SPDX-License-Identifier: BSL-1.0
// A view whose dimensions are not those of the matrix' type.
// expect: ashlar: eigen: a view of a matrix has its rows and columns, that of a vector one axis or both
// expect: eigen_shape<
// expect: ::matches
#include <Eigen/Core>

#include <ashlar/interop/eigen.hpp>

namespace {

Eigen::Matrix<float, Eigen::Dynamic, 8> m(4, 8);
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of<8, 4>(m);
#else
auto x = ashlar::view_of<4, 8>(m);
#endif

}  // namespace
