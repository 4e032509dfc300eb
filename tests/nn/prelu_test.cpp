// SPDX-License-Identifier: BSL-1.0
// prelu against its formula.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;

TEST(prelu, one_slope) {
    static nn::prelu<{}> bend{};
    bend.weight = 0.25f;
    const auto x = support::random_numbers(1).normal<float, 2, 3, 4>();
    const auto y = eval(bend(x));
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(y.elements[i], x.elements[i] > 0 ? x.elements[i] : 0.25f * x.elements[i]);
}
TEST(prelu, channels) {
    static nn::prelu<{.channels = 3}> second{};
    static nn::prelu<{.channels = 3, .batch = false}> first{};
    static nn::prelu<{.channels = 3, .channels_last = true}> last{};
    second.weight = first.weight = last.weight = tensor<float, 3>{0.5f, -1.0f, 2.0f};
    const auto slope = [](float v, std::size_t c) { return v > 0 ? v : last.weight(c) * v; };
    const auto x = support::random_numbers(2).normal<float, 2, 3, 5>();
    const auto a = eval(second(x)), c = eval(second(3.0f * x));
    const auto b = eval(first(x[1]));
    const auto d = eval(last(transpose(x)));
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t t = 0; t < 5; ++t) {
                EXPECT_EQ(a(n, i, t), slope(x(n, i, t), i));
                EXPECT_EQ(c(n, i, t), slope(3.0f * x(n, i, t), i));
                EXPECT_EQ(d(n, t, i), slope(x(n, i, t), i));
                if (n == 1) {
                    EXPECT_EQ(b(i, t), slope(x(n, i, t), i));
                }
            }
}
static_assert(nn::parameter_count<nn::prelu<{.channels = 3}>> == 3);

constexpr nn::prelu<{}> constant{.weight = tensor<float, 1>{0.5f}};
static_assert(all(constant(tensor<float, 2>{-2, 3}) == tensor<float, 2>{-1, 3}));

}  // namespace
