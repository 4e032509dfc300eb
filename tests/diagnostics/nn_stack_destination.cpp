// SPDX-License-Identifier: BSL-1.0
// A destination that is not dense takes a copy of the result, and the copy is on the stack.
//
// expect: ashlar: nn: the result for a strided destination exceeds what is left of ASHLAR_STACK_BUDGET; evaluate into a tensor or a dense view
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

using encoder = nn::encoder<{.layer = {.embed = 128, .heads = 2}, .layers = 2}>;
using call = decltype(std::declval<const encoder&>()(std::declval<const tensor<float, 600, 128>&>()));

void encode(tensor<float, 600, 256>& y, const tensor<float, 600, 128>& x, const encoder& e,
            workspace<workspace_bytes<call>>& scratch) {
#ifdef ASHLAR_EXPECT_ERROR
    evaluate(slice<1, 0, 128>(y), e(x), scratch);
#else
    static tensor<float, 600, 128> result;
    evaluate(result, e(x), scratch);
    slice<1, 0, 128>(y) = result;
#endif
}
