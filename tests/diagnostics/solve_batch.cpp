// SPDX-License-Identifier: BSL-1.0
// Batches that do not broadcast.
//
// expect: ashlar: solve: the batch axes, those before the last two, must broadcast; unsqueeze or rename one of them
//
// expect: matmul_batch_axes<
//
// expect: ::broadcast
#include <ashlar/linalg.hpp>

ashlar::tensor<float, 2, 3, 3> a;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 5, 3, 1> b;
#else
ashlar::tensor<float, 5, 1, 3, 1> b;
#endif
auto x = solve_spd(a, b);
