// SPDX-License-Identifier: BSL-1.0
// A view of a matrix that ends with the statement.
// expect: ashlar: eigen: a view of a temporary matrix would dangle; name the matrix first
#include <Eigen/Core>

#include <ashlar/interop/eigen.hpp>

namespace {

Eigen::Matrix4f m;
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of(Eigen::Matrix4f(m));
#else
auto x = ashlar::view_of(m);
#endif

}  // namespace
