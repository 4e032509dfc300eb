// SPDX-License-Identifier: BSL-1.0
// Scratch for a strided destination beyond the stack budget needs a workspace of that destination's size.
//
// expect: ashlar: evaluate: the scratch for a strided destination exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes_into<Destination, E>> or raise the budget
#include <ashlar/ashlar.hpp>

using namespace ashlar;

// Keys that are computed must exist as a whole: 512 * 256 floats.
void attend(tensor<float, 256, 512>& out, const tensor<float, 512, 256>& x, const tensor<float, 256, 256>& w) {
    const auto e = attention(x, matmul(x, w), x);
    auto y = transpose(out);
#ifdef ASHLAR_EXPECT_ERROR
    y = e;
#else
    static workspace<workspace_bytes_into<decltype(y), decltype(e)>> scratch;
    evaluate(y, e, scratch);
#endif
}
