// SPDX-License-Identifier: BSL-1.0
// A view of a matrix whose type does not tell the shape.
// expect: ashlar: eigen: its type does not tell the shape; write view_of<4, 8>(m)
#include <Eigen/Core>

#include <ashlar/interop/eigen.hpp>

namespace {

Eigen::MatrixXf m(4, 8);
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of(m);
#else
auto x = ashlar::view_of<4, 8>(m);
#endif

}  // namespace
