// SPDX-License-Identifier: BSL-1.0
// The expressions that are measured, each written as a user would.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/ashlar.hpp>

#include "bench/support/peer.hpp"

namespace ashlar::bench {

/// dst = e, with scratch of static storage where it would not be allowed on the stack.
template <class Destination, class E>
ASHLAR_ALWAYS_INLINE void assign(Destination& destination, const E& e) {
    if constexpr (workspace_bytes<E> <= current_config::stack_budget) {
        destination = e;
    } else {
        static workspace<workspace_bytes<E>> scratch;
        evaluate(destination, e, scratch);
    }
}

/// Solves a problem once.
template <problem P, class T>
ASHLAR_ALWAYS_INLINE void solve(const operands& o) {
    tensor_view<T, P.rows, P.cols> out(o.result<T>());
    if constexpr (P.op == operation::attention) {
        tensor_view<const T, P.rows, P.cols> q(o.input<T>(0));
        tensor_view<const T, P.inner, P.cols> k(o.input<T>(1)), v(o.input<T>(2));
        if constexpr (P.mask == mask_kind::full)
            assign(out, attention(q, k, v));
        else if constexpr (P.mask == mask_kind::causal)
            assign(out, attention(q, k, v, causal));
        else
            assign(out, attention(q, k, v, sliding_window<P.window, 0>));
    } else if constexpr (P.op == operation::matmul) {
        tensor_view<const T, P.rows, P.inner> a(o.input<T>(0));
        if constexpr (P.transposed) {
            tensor_view<const T, P.cols, P.inner> b(o.input<T>(1));
            assign(out, matmul(a, transpose(b)));
        } else {
            tensor_view<const T, P.inner, P.cols> b(o.input<T>(1));
            assign(out, matmul(a, b));
        }
    } else if constexpr (P.op == operation::feed_forward) {
        tensor_view<const T, P.rows, P.cols> x(o.input<T>(0));
        tensor_view<const T, P.cols, P.inner> w1(o.input<T>(1));
        tensor_view<const T, P.inner> b1(o.input<T>(2));
        tensor_view<const T, P.inner, P.cols> w2(o.input<T>(3));
        tensor_view<const T, P.cols> b2(o.input<T>(4));
        assign(out, matmul(gelu(matmul(x, w1) + b1), w2) + b2);
    } else if constexpr (P.op == operation::softmax) {
        tensor_view<const T, P.rows, P.cols> x(o.input<T>(0));
        assign(out, softmax(x));
    } else if constexpr (P.op == operation::layer_norm) {
        tensor_view<const T, P.rows, P.cols> x(o.input<T>(0));
        tensor_view<const T, P.cols> gamma(o.input<T>(1)), beta(o.input<T>(2));
        assign(out, layer_norm(x, gamma, beta, norm_epsilon));
    } else {
        tensor_view<const T, P.rows, P.cols> x(o.input<T>(0)), y(o.input<T>(1));
        assign(out, max(x * chain_scale + y, 0));
    }
}

template <problem P>
ASHLAR_NOINLINE void run_ours(const operands& given, std::size_t calls) {
    const operands_of_calls<P.chained> of(given);
    for (std::size_t c = 0; c < calls; ++c) solve<P, std::conditional_t<P.doubles, double, float>>(of(c));
}

/// The functions of the cases that Wanted(problem) takes; the cases are spread over files so that each compiles soon.
template <auto Wanted>
struct ours_table {
    template <problem P>
    static constexpr kernel kernel_for() {
        if constexpr (Wanted(P))
            return &run_ours<P>;
        else
            return nullptr;
    }
};

kernel ours_attention(std::size_t case_index);
kernel ours_masked(std::size_t case_index);
kernel ours_products(std::size_t case_index);
kernel ours_rows(std::size_t case_index);

/// Fills the cache of a case that has one.
runner prepare_cached(std::size_t case_index, const operands& where);

}  // namespace ashlar::bench
