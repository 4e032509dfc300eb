// SPDX-License-Identifier: BSL-1.0
// Cycles of the functions of kernel/math.hpp for 16 floats in the first-level cache, for those who work on them.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <ashlar/expr/elementwise/activations.hpp>
#include <ashlar/kernel/math.hpp>

#include "support/peak.hpp"

namespace {

using namespace ashlar;
using ashlar::detail::exp_form;

constexpr std::size_t count = 1024;
alignas(64) float arguments[count], results[count];
const char* wanted = nullptr;

template <class F>
ASHLAR_NOINLINE void run(F f) {
    using L = lanes<float, lane_width<float>>;
    const float* x = arguments;
    float* y = results;
    __asm__ volatile("" : "+r"(x), "+r"(y) : : "memory");
    for (std::size_t i = 0; i < count; i += L::size) f(L::load(x + i)).store(y + i);
    __asm__ volatile("" : : "r"(y) : "memory");
}

/// The clock at which a round ran is that of the peak beside it, with two multiply-adds in a cycle.
template <class F>
void report(const char* name, double low, double high, F f) {
    if (wanted && !std::strstr(name, wanted)) return;
    for (std::size_t i = 0; i < count; ++i)
        arguments[i] = static_cast<float>(low + (high - low) * std::rand() / RAND_MAX);
    double best = 1, peak = 0;
    for (int t = 0; t < 200; ++t) {
        const double rate = bench::peak_flops<float>(1);
        peak = rate > peak ? rate : peak;
        constexpr int calls = 50;
        const double time = bench::seconds([&] {
                                for (int c = 0; c < calls; ++c) run(f);
                            }) /
                            calls;
        best = time < best ? time : best;
    }
    const double clock = peak / (4.0 * static_cast<double>(lane_width<float>));
    std::printf("%-28s %6.2f\n", name, best * clock * 16 / static_cast<double>(count));
}

}  // namespace

/// With an argument only the functions whose names contain it.
int main(int argc, char** argv) {
    if (argc > 1) wanted = argv[1];
    report("copy", -1, 1, [](auto x) { return x; });
    report("exp", -10, 10, [](auto x) { return exp(x); });
    report("exp of x <= 0", -10, 0, [](auto x) { return exp_nonpositive(x); });
    report("exp of a softmax", -10, 0, [](auto x) { return detail::exp_nonpositive_as<exp_form::near_one>(x); });
    report("2^x of x <= 0", -10, 0, [](auto x) { return exp2_nonpositive(x); });
    report("log", 0.01, 6, [](auto x) { return log(x); });
    report("tanh", -6, 6, [](auto x) { return tanh(x); });
    report("erf", -6, 6, [](auto x) { return erf(x); });
    report("sigmoid", -6, 6, [](auto x) { return sigmoid(x); });
    report("silu", -6, 6, [](auto x) { return silu(x); });
    report("gelu", -6, 6, [](auto x) { return gelu(x); });
    report("gelu_tanh", -6, 6, [](auto x) { return gelu_tanh(x); });
    report("sqrt", 0.01, 6, [](auto x) { return sqrt(x); });
    report("rsqrt", 0.01, 6, [](auto x) { return rsqrt(x); });
    report("sin", -10, 10, [](auto x) { return sin(x); });
    report("cos", -10, 10, [](auto x) { return cos(x); });
    report("softplus", -6, 6, [](auto x) { return softplus(x); });
    report("elu", -6, 6, [](auto x) { return elu(x); });
    report("mish", -6, 6, [](auto x) { return mish(x); });
    report("exp, fast", -10, 10, [](auto x) { return exp(x, fast); });
    report("exp of x <= 0, fast", -10, 0, [](auto x) { return exp_nonpositive(x, fast); });
    report("tanh, fast", -6, 6, [](auto x) { return tanh(x, fast); });
    report("sigmoid, fast", -6, 6, [](auto x) { return sigmoid(x, fast); });
    report("silu, fast", -6, 6, [](auto x) { return silu(x, fast); });
    report("gelu, fast", -6, 6, [](auto x) { return gelu(x, fast); });
    report("gelu_tanh, fast", -6, 6, [](auto x) { return gelu_tanh(x, fast); });
}
