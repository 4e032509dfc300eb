// SPDX-License-Identifier: BSL-1.0
// The advice of debugging.md: expressions of each kind compile with -fsanitize=undefined, which makes some constant
// addresses no constants, and behave.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}
bool near(float a, float b) { return std::fabs(a - b) < 1e-5f; }

tensor<float, 37, 24> x, y;

void attend() {
    y = attention(x, x, x, causal);
    check(near(y(0, 3), x(0, 3)), "the first query sees the first key alone");
    y = attention(x, x, x, keys_below(1), scale(2.0f));
    check(near(y(36, 3), x(0, 3)), "one key");
}

void names_in_names() {
    y = let(x * 2.0f, [](const auto& a) {
        return let(a + 1.0f,
                   [&](const auto& b) { return let(b * b, [&](const auto& c) { return a * b + a + c + c * b; }); });
    });
    const float a = 2 * x(5, 7), b = a + 1;
    check(near(y(5, 7), a * b + a + b * b + b * b * b), "three names, one inside another");
    const tensor<float, 24> none{};
    y = layer_norm(softmax(x) + transpose(softmax(transpose(x))), none, none);
    check(y(0, 0) == 0, "a norm without weights");
}

nn::linear<{.in = 24, .out = 5}> line{};
nn::linear<{.in = 24, .out = 5}, float, bf16> narrow{};
nn::conv2d<{.in = 2, .out = 4, .kernel = 3, .padding = 1}> conv{};

void call_modules() {
    line.bias = 3;
    const tensor<float, 37, 5> z = line(x) + narrow(x);
    check(z(36, 4) == 3, "two modules");
    conv.bias = 1;
    const tensor<float, 2, 6, 7> image =
        generate<float, 2, 6, 7>([](auto i, auto j, auto k) { return float(i + j * k); });
    const tensor<float, 4, 6, 7> w = relu(conv(image));
    check(w(3, 5, 6) == 1, "a convolution");
}

}  // namespace

int main() {
    x = generate<float, 37, 24>([](auto i, auto j) { return float((i * 7 + j * 3) % 11) / 11 - 0.4f; });
    attend();
    names_in_names();
    call_modules();
    std::puts("as it should be");
}
