// SPDX-License-Identifier: BSL-1.0
// Renaming to another extent.
//
// expect: ashlar: rename: there must be one dimension for each axis, of the same extent
//
// expect: renamed_extents<
#include <ashlar/expr/shape/shape_ops.hpp>

inline constexpr ashlar::axis<"seq", 4> seq;
inline constexpr ashlar::axis<"key", 4> key;
ashlar::tensor<float, seq, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = rename<3, key>(x);
#else
auto z = rename<key, 3>(x);
#endif
