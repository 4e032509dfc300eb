// SPDX-License-Identifier: BSL-1.0
// A strided destination may need more than workspace_bytes<E>, and the copy that an overlap takes more than its own
// plan.
//
// expect: ashlar: evaluate: the workspace is too small for a strided destination; it needs workspace_bytes_into
#include <ashlar/ashlar.hpp>

using namespace ashlar;

// Into a transposed destination the product is written as it comes, but if that is x, it is computed row by row.
void multiply(tensor<float, 40, 40>& x, const tensor<float, 40, 40>& w) {
    const auto e = transpose(matmul(x, w));
    auto y = transpose(x);
#ifdef ASHLAR_EXPECT_ERROR
    workspace<64> scratch;
#else
    workspace<workspace_bytes_into<decltype(y), decltype(e)>> scratch;
#endif
    evaluate(y, e, scratch);
}
