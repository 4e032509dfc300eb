// SPDX-License-Identifier: BSL-1.0
// A view of a reference that may own a copy.
// expect: ashlar: eigen: a view of a temporary matrix would dangle; name the matrix first
#include <Eigen/Core>

#include <ashlar/interop/eigen.hpp>

namespace {

using read_only = Eigen::Ref<const Eigen::MatrixXf>;
Eigen::Matrix<float, 4, 4, Eigen::RowMajor> m;  // by rows, which a Ref copies
const read_only copy(m);
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of<4, 4>(read_only(m));
#else
auto x = ashlar::view_of<4, 4>(copy);
#endif

}  // namespace
