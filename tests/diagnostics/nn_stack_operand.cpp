// SPDX-License-Identifier: BSL-1.0
// A stack of layers as an operand is evaluated on the stack, and these are too many rows for that. Operations hold
// their operands by `hold`, whose call here spares the lines that lead there.
//
// expect: ashlar: nn: layers that are an operand are evaluated on the stack, when the expression is built, and exceed ASHLAR_STACK_BUDGET; evaluate them into a tensor of yours, with a workspace, and use that
//
// expect: result_on_stack<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

using encoder = nn::encoder<{.layer = {.embed = 128, .heads = 2}, .layers = 2}>;

void encode(tensor<float, 128>& y, const tensor<float, 512, 128>& x, const encoder& e) {
    static workspace<workspace_bytes<decltype(e(x))>> scratch;
    static tensor<float, 512, 128> h;
#ifdef ASHLAR_EXPECT_ERROR
    auto operand = detail::hold(e(x));
#else
    auto operand = detail::hold(h);
#endif
    evaluate(h, e(x), scratch);
    y = mean<0>(operand);
}
