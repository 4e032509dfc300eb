// SPDX-License-Identifier: BSL-1.0
// A view of a lazy expression of Eigen.
// expect: ashlar: eigen: no memory of numbers; m.eval() has it
#include <Eigen/Core>

#include <ashlar/interop/eigen.hpp>

namespace {

Eigen::Matrix4f m;
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of(m + m);
#else
const Eigen::Matrix4f sum = m + m;
auto x = ashlar::view_of(sum);
#endif

}  // namespace
