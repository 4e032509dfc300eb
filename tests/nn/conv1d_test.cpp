// SPDX-License-Identifier: BSL-1.0
// conv1d against loops over PyTorch's definition, with weights in PyTorch's layout.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::fill;

TEST(conv1d, one_axis) {
    support::channels_last<{.in = 3, .out = 5, .kernel = 3, .channels_last = true}, 3>();
    support::channels_last<{.in = 5, .out = 8, .kernel = 1, .stride = 3, .padding = 1, .channels_last = true}, 9>();
    support::one_axis<{.in = 7, .out = 13, .kernel = 4, .stride = 2, .padding = 2, .bias = false}, 31>();
    support::one_axis<{.in = 1, .out = 17, .kernel = 29, .stride = 8}, 101>();
    support::one_axis<{.in = 5, .out = 8, .kernel = 1}, 9>();
}

// A chain: the second layer reads the first one's result. Nothing is allocated beyond workspace_bytes.
TEST(conv1d, stem) {
    static nn::conv1d<{.in = 8, .out = 12, .kernel = 3, .padding = 1}> first{};
    static nn::conv1d<{.in = 12, .out = 12, .kernel = 3, .stride = 2, .padding = 1}> second{};
    const support::state one = fill(first, 1), two = fill(second, 2);
    const auto x = support::random_numbers(3).normal<float, 8, 40>();
    const auto gelu_of = [](const reference::array& y) { return reference::map(y, reference::gelu); };
    const auto middle =
        gelu_of(support::convolved(support::as(reference::of(x), {1, 8, 40}), one, {.kernel = 3, .padding = 1}, 1));
    const auto y =
        support::as(gelu_of(support::convolved(middle, two, {.kernel = 3, .stride = 2, .padding = 1}, 1)), {12, 20});
    check(gelu(second(gelu(first(x)))), y, 1e-5);
    check(transpose(gelu(second(gelu(first(x))))), reference::transpose(y), 1e-5);
}

constexpr auto constant = [] {
    nn::conv1d<{.in = 1, .out = 1, .kernel = 2}> m{};
    m.weight.elements[0] = 1;
    m.weight.elements[1] = 10;
    m.bias = 0.5f;
    return m;
}();
static_assert(all(constant(tensor<float, 1, 4>{{1, 2, 3, 4}}) == tensor<float, 1, 3>{{21.5f, 32.5f, 43.5f}}));
static_assert(nn::parameter_count<nn::conv1d<{.in = 6, .out = 9, .kernel = 3, .groups = 3}>> == 9 * 2 * 3 + 9);
static_assert(std::is_trivially_copyable_v<nn::conv1d<{.in = 6, .out = 9, .kernel = 3}>>);

}  // namespace
