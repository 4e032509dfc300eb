// SPDX-License-Identifier: BSL-1.0
// Scratch of a stack of layers beyond the stack budget needs a workspace.
//
// expect: ashlar: nn: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

using encoder = nn::encoder<{.layer = {.embed = 128, .heads = 2}, .layers = 2}>;

void encode(tensor<float, 512, 128>& y, const tensor<float, 512, 128>& x, const encoder& e) {
#ifdef ASHLAR_EXPECT_ERROR
    y = e(x);
#else
    static workspace<workspace_bytes<decltype(e(x))>> scratch;
    evaluate(y, e(x), scratch);
#endif
}
