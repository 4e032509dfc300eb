// SPDX-License-Identifier: BSL-1.0
// A map of a view in which elements repeat.
// expect: ashlar: eigen: strides must be positive; make a tensor of it
#include <ashlar/ashlar.hpp>
#include <ashlar/interop/eigen.hpp>

namespace {

using namespace ashlar;
tensor<float, 4> row;
#ifdef ASHLAR_EXPECT_ERROR
auto m = eigen_of(broadcast_to<3, 4>(row));
#else
tensor<float, 3, 4> rows = broadcast_to<3, 4>(row);
auto m = eigen_of(rows);
#endif

}  // namespace
