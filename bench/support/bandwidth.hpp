// SPDX-License-Identifier: BSL-1.0
// The least that a streaming problem can cost: moving its operands and result once, without computing anything.
#pragma once

#include <cstddef>
#include <cstring>

#include "problem.hpp"

namespace ashlar::bench {

/// Bytes of the widest register that the flags of this build allow: a wider vector would go through memory.
#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif
// Aligned as registers are: one that is not would be copied by way of the stack, by g++ with AVX2.
using vector = float __attribute__((vector_size(register_bytes)));
inline constexpr std::size_t vector_floats = register_bytes / sizeof(float);

// Copied, as clang forgets that a reference need not be aligned.
[[gnu::always_inline]] inline vector load(const float* from) {
    vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
struct stored_vector {
    float* to;
    [[gnu::always_inline]] void operator=(vector value) const { __builtin_memcpy(to, &value, sizeof value); }
};
[[gnu::always_inline]] inline stored_vector store(float* to) { return {to}; }

/// Reads n floats in order with eight independent sums; returns what depends on all of them.
[[gnu::noinline]] inline float read_all(const float* from, std::size_t n) {
    vector sum[8] = {};
    std::size_t i = 0;
    for (; i + 8 * vector_floats <= n; i += 8 * vector_floats)
#pragma GCC unroll 8
        for (std::size_t s = 0; s < 8; ++s) sum[s] += load(from + i + s * vector_floats);
    for (; i + vector_floats <= n; i += vector_floats) sum[0] += load(from + i);
    for (std::size_t s = 1; s < 8; ++s) sum[0] += sum[s];
    float rest = 0;
    for (; i < n; ++i) rest += from[i];
    return sum[0][0] + sum[0][vector_floats - 1] + rest;
}

/// Reads one or two arrays of n floats and writes one.
[[gnu::noinline]] inline void copy_all(float* to, const float* from, const float* second, std::size_t n) {
    std::size_t i = 0;
    if (second) {
        for (; i + 4 * vector_floats <= n; i += 4 * vector_floats)
#pragma GCC unroll 4
            for (std::size_t s = 0; s < 4; ++s)
                store(to + i + s * vector_floats) =
                    load(from + i + s * vector_floats) + load(second + i + s * vector_floats);
    } else {
        for (; i + 4 * vector_floats <= n; i += 4 * vector_floats)
#pragma GCC unroll 4
            for (std::size_t s = 0; s < 4; ++s) store(to + i + s * vector_floats) = load(from + i + s * vector_floats);
    }
    for (; i < n; ++i) to[i] = second ? from[i] + second[i] : from[i];
}

/// Moves what a streaming f32 problem has to move, once per call: a decode reads keys and values, rows are read and
/// written. The result is not one of the problem's: it goes to `spare`.
inline void move_data(const problem& what, const operands& given, std::size_t calls) {
    [[maybe_unused]] static volatile float sink;
    const operands_of_calls<false> of(given);
    for (std::size_t c = 0; c < calls; ++c) {
        const operands& o = of(c);
        if (what.op == operation::attention) {
            sink = read_all(o.input<float>(1), what.inner * what.cols);
            sink = read_all(o.input<float>(2), what.inner * what.cols);
        } else {
            const float* const second = what.op == operation::chain ? o.input<float>(1) : nullptr;
            copy_all(static_cast<float*>(o.spare), o.input<float>(0), second, what.result_size());
        }
    }
}

}  // namespace ashlar::bench
