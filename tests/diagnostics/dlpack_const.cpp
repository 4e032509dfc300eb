// SPDX-License-Identifier: BSL-1.0
// Elements that are not to be written, in a structure that cannot tell so.
//
// expect: ashlar: dlpack: only a versioned array can be read-only; share one that is not const
//
// expect: dlpack_constness<
#include <memory>

#include <ashlar/interop/dlpack.hpp>

using namespace ashlar;
std::shared_ptr<const tensor<float, 4>> weights;
#ifdef ASHLAR_EXPECT_ERROR
auto* m = managed_dlpack(weights);
#else
auto* m = managed_dlpack<dlpack_managed_tensor_versioned>(weights);
#endif
