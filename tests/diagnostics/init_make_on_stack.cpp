// SPDX-License-Identifier: BSL-1.0
// A module by value that is too large for the stack.
//
// expect: ashlar: init: a module by value exceeds ASHLAR_STACK_BUDGET; make it static, and call reset_parameters(m, random)
//
// expect: module_on_stack<
#include <ashlar/nn.hpp>

using namespace ashlar;

using table = nn::embedding<{.entries = 4096, .size = 64}>;
static_assert(!fits_on_stack<table>);

void program(nn::init::generator& random) {
#ifdef ASHLAR_EXPECT_ERROR
    auto words = nn::init::make<table>(random);
#else
    static table words{};
    nn::init::reset_parameters(words, random);
#endif
}
