// SPDX-License-Identifier: BSL-1.0
// The policy for functions of lower precision.
#pragma once

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// The type of `fast`.
/// Example: `fast`.
struct fast_t {};

/// Last argument of `exp`, `tanh`, `sigmoid`, `silu`, `gelu`, `gelu_tanh` and `softmax`, and an option of `attention`
/// and `attention_weights`: polynomials of lower degree in place of those that use the whole precision of float, with
/// errors of about 1e-4 where the function states no other. Enough where results become bfloat16 or half precision
/// numbers. It is part of the expression's type, and nothing takes it by default.
///
///     auto y = attention(q, k, v, causal, fast);
inline constexpr fast_t fast{};

}  // namespace ashlar
