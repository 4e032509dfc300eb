// SPDX-License-Identifier: BSL-1.0
// One build of the functions. EXHAUSTIVE_VARIANT names it. Only the compiler's flags differ between builds.
#include "variant.hpp"

#include <ashlar/expr/elementwise/activations.hpp>
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

namespace {

using namespace ashlar;

template <class F>
void each(F f, const float* x, float* y, std::size_t count) {
    using L = lanes<float, lane_width<float>>;
    for (std::size_t i = 0; i < count; i += L::size) f(L::load(x + i)).store(y + i);
}

void compute(exhaustive::function which, const float* x, float* y, std::size_t count) {
    using exhaustive::function;
    switch (which) {
    case function::exp: return each([](auto v) { return exp(v); }, x, y, count);
    case function::exp_nonpositive: return each([](auto v) { return exp_nonpositive(v); }, x, y, count);
    case function::exp_beside_one:
        return each([](auto v) { return detail::exp_nonpositive_as<detail::exp_form::near_one>(v); }, x, y, count);
    case function::exp2_nonpositive: return each([](auto v) { return exp2_nonpositive(v); }, x, y, count);
    case function::log: return each([](auto v) { return log(v); }, x, y, count);
    case function::tanh: return each([](auto v) { return tanh(v); }, x, y, count);
    case function::erf: return each([](auto v) { return erf(v); }, x, y, count);
    case function::sigmoid: return each([](auto v) { return sigmoid(v); }, x, y, count);
    case function::silu: return each([](auto v) { return silu(v); }, x, y, count);
    case function::gelu: return each([](auto v) { return gelu(v); }, x, y, count);
    case function::gelu_tanh: return each([](auto v) { return gelu_tanh(v); }, x, y, count);
    case function::sqrt: return each([](auto v) { return sqrt(v); }, x, y, count);
    case function::rsqrt: return each([](auto v) { return rsqrt(v); }, x, y, count);
    case function::relu: return each([](auto v) { return relu(v); }, x, y, count);
    case function::sin: return each([](auto v) { return sin(v); }, x, y, count);
    case function::cos: return each([](auto v) { return cos(v); }, x, y, count);
    case function::softplus: return each([](auto v) { return softplus(v); }, x, y, count);
    case function::elu: return each([](auto v) { return elu(v); }, x, y, count);
    case function::mish: return each([](auto v) { return mish(v); }, x, y, count);
    case function::fast_exp: return each([](auto v) { return exp(v, fast); }, x, y, count);
    case function::fast_exp_nonpositive: return each([](auto v) { return exp_nonpositive(v, fast); }, x, y, count);
    case function::fast_exp2_nonpositive:
        return each([](auto v) { return detail::exp2_nonpositive_as<detail::exp_form::coarse>(v); }, x, y, count);
    case function::fast_tanh: return each([](auto v) { return tanh(v, fast); }, x, y, count);
    case function::fast_sigmoid: return each([](auto v) { return sigmoid(v, fast); }, x, y, count);
    case function::fast_silu: return each([](auto v) { return silu(v, fast); }, x, y, count);
    case function::fast_gelu: return each([](auto v) { return gelu(v, fast); }, x, y, count);
    case function::fast_gelu_tanh: return each([](auto v) { return gelu_tanh(v, fast); }, x, y, count);
    }
}

#if defined(__FMA__) || defined(__aarch64__)
constexpr bool fused = true;
#else
constexpr bool fused = false;
#endif

#define EXHAUSTIVE_TEXT(name) #name
#define EXHAUSTIVE_NAME(name) EXHAUSTIVE_TEXT(name)

}  // namespace

extern const exhaustive::variant EXHAUSTIVE_VARIANT;
const exhaustive::variant EXHAUSTIVE_VARIANT{EXHAUSTIVE_NAME(EXHAUSTIVE_VARIANT), fused, current_config::fast_math,
                                             &compute};
