// SPDX-License-Identifier: BSL-1.0
// Scratch beyond the stack budget needs a workspace.
//
// expect: ashlar: evaluate: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget
#include <ashlar/ashlar.hpp>

using namespace ashlar;

// Keys that are computed must exist as a whole: 512 * 256 floats.
void attend(tensor<float, 512, 256>& out, const tensor<float, 512, 256>& x, const tensor<float, 256, 256>& w) {
    auto e = attention(x, matmul(x, w), x);
#ifdef ASHLAR_EXPECT_ERROR
    out = e;
#else
    static workspace<workspace_bytes<decltype(e)>> scratch;
    evaluate(out, e, scratch);
#endif
}
