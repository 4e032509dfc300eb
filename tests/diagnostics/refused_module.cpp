// SPDX-License-Identifier: BSL-1.0
// Modules called with rows of another width, whose results are assigned: one error.
//
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
//
// expect: module_input<
//
// expect: ::fits
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

using layer = nn::linear<{.in = 8, .out = 4}>;

void call(tensor<float, 5, 4>& y, const layer& l, const tensor<float, 5, 7>& narrow, const tensor<float, 5, 8>& x) {
#ifdef ASHLAR_EXPECT_ERROR
    y = l(narrow) + 1.0f;
#else
    y = l(x) + 1.0f;
#endif
}
