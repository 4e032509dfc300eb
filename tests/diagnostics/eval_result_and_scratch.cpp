// SPDX-License-Identifier: BSL-1.0
// The result of eval and its scratch share the stack: each fits alone, both do not.
//
// expect: ashlar: eval: the result and its scratch exceed ASHLAR_STACK_BUDGET; evaluate into a destination of your own
#include <ashlar/ashlar.hpp>

void attend(ashlar::tensor<float, 768, 64>& y, const ashlar::tensor<float, 768, 64>& x) {
    const auto e = attention(x, x, x);
    constexpr std::size_t budget = 256 * 1024, scratch = ashlar::workspace_bytes<decltype(e)>;
    static_assert(sizeof y < budget && scratch < budget && sizeof y + scratch > budget);
#ifdef ASHLAR_EXPECT_ERROR
    y = eval(e);
#else
    evaluate(y, e);
#endif
}
