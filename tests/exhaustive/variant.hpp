// SPDX-License-Identifier: BSL-1.0
// The functions of kernel/math.hpp as one build of them computes them: an instruction set, and -ffast-math or not.
#pragma once

#include <cstddef>

namespace exhaustive {

enum class function : unsigned char {
    exp,
    exp_nonpositive,
    exp_beside_one,
    exp2_nonpositive,
    log,
    tanh,
    erf,
    sigmoid,
    silu,
    gelu,
    gelu_tanh,
    sqrt,
    rsqrt,
    relu,
    sin,
    cos,
    softplus,
    elu,
    mish,
    fast_exp,
    fast_exp_nonpositive,
    fast_exp2_nonpositive,
    fast_tanh,
    fast_sigmoid,
    fast_silu,
    fast_gelu,
    fast_gelu_tanh,
};

struct variant {
    const char* name;
    bool fused;      // has multiply-adds that round once
    bool fast_math;  // promises nothing of infinities and NaN
    /// y[i] = f(x[i]) in the widest lanes; count is a multiple of 64.
    void (*compute)(function f, const float* x, float* y, std::size_t count);
};

}  // namespace exhaustive
