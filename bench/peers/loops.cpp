// SPDX-License-Identifier: BSL-1.0
// Raw loops over arrays of constant extents as a user would write them, left to the compiler at -O3.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

template <problem P, class T>
void attention(const T* q, const T* k, const T* v, T* out) {
    const T scale = 1 / std::sqrt(T(P.cols));
    T scores[P.inner];
    for (std::size_t i = 0; i < P.rows; ++i) {
        const std::size_t first = P.first_key(i), end = P.end_key(i);
        T largest = -INFINITY;
        for (std::size_t j = first; j < end; ++j) {
            T sum = 0;
            for (std::size_t d = 0; d < P.cols; ++d) sum += q[i * P.cols + d] * k[j * P.cols + d];
            scores[j] = sum * scale;
            largest = std::max(largest, scores[j]);
        }
        T sum = 0;
        for (std::size_t j = first; j < end; ++j) sum += scores[j] = std::exp(scores[j] - largest);
        T row[P.cols] = {};
        for (std::size_t j = first; j < end; ++j)
            for (std::size_t d = 0; d < P.cols; ++d) row[d] += scores[j] * v[j * P.cols + d];
        for (std::size_t d = 0; d < P.cols; ++d) out[i * P.cols + d] = row[d] / sum;
    }
}

/// c[M][N] = start[N] + a[M][K] b[K][N], in the order that vectorises.
template <std::size_t M, std::size_t N, std::size_t K, class T>
void product(const T* a, const T* b, const T* start, T* c) {
    for (std::size_t i = 0; i < M; ++i) {
        for (std::size_t j = 0; j < N; ++j) c[i * N + j] = start ? start[j] : T(0);
        for (std::size_t p = 0; p < K; ++p)
            for (std::size_t j = 0; j < N; ++j) c[i * N + j] += a[i * K + p] * b[p * N + j];
    }
}

template <std::size_t M, std::size_t N, std::size_t K, class T>
void transposed_product(const T* a, const T* b, T* c) {
    for (std::size_t i = 0; i < M; ++i)
        for (std::size_t j = 0; j < N; ++j) {
            T sum = 0;
            for (std::size_t p = 0; p < K; ++p) sum += a[i * K + p] * b[j * K + p];
            c[i * N + j] = sum;
        }
}

template <problem P>
void feed_forward(const float* x, const float* w1, const float* b1, const float* w2, const float* b2, float* out) {
    static float hidden_rows[P.rows * P.inner];
    product<P.rows, P.inner, P.cols>(x, w1, b1, hidden_rows);
    for (float& h : hidden_rows) h = h / 2 * (1 + std::erf(h * 0.70710678f));
    product<P.rows, P.cols, P.inner>(hidden_rows, w2, b2, out);
}

template <problem P>
void softmax(const float* x, float* out) {
    for (std::size_t i = 0; i < P.rows; ++i, x += P.cols, out += P.cols) {
        float largest = x[0], sum = 0;
        for (std::size_t j = 1; j < P.cols; ++j) largest = std::max(largest, x[j]);
        for (std::size_t j = 0; j < P.cols; ++j) sum += out[j] = std::exp(x[j] - largest);
        for (std::size_t j = 0; j < P.cols; ++j) out[j] /= sum;
    }
}

template <problem P>
void layer_norm(const float* x, const float* gamma, const float* beta, float* out) {
    for (std::size_t i = 0; i < P.rows; ++i, x += P.cols, out += P.cols) {
        float mean = 0, variance = 0;
        for (std::size_t j = 0; j < P.cols; ++j) mean += x[j];
        mean /= float(P.cols);
        for (std::size_t j = 0; j < P.cols; ++j) variance += (x[j] - mean) * (x[j] - mean);
        const float factor = 1 / std::sqrt(variance / float(P.cols) + float(norm_epsilon));
        for (std::size_t j = 0; j < P.cols; ++j) out[j] = (x[j] - mean) * factor * gamma[j] + beta[j];
    }
}

template <problem P, class T>
void solve(const operands& o) {
    if constexpr (P.op == operation::attention)
        attention<P>(o.input<T>(0), o.input<T>(1), o.input<T>(2), o.result<T>());
    else if constexpr (P.op == operation::matmul && P.transposed)
        transposed_product<P.rows, P.cols, P.inner>(o.input<T>(0), o.input<T>(1), o.result<T>());
    else if constexpr (P.op == operation::matmul)
        product<P.rows, P.cols, P.inner>(o.input<T>(0), o.input<T>(1), static_cast<const T*>(nullptr), o.result<T>());
    else if constexpr (P.op == operation::feed_forward)
        feed_forward<P>(o.input<T>(0), o.input<T>(1), o.input<T>(2), o.input<T>(3), o.input<T>(4), o.result<T>());
    else if constexpr (P.op == operation::softmax)
        softmax<P>(o.input<T>(0), o.result<T>());
    else if constexpr (P.op == operation::layer_norm)
        layer_norm<P>(o.input<T>(0), o.input<T>(1), o.input<T>(2), o.result<T>());
    else {
        const T *x = o.input<T>(0), *y = o.input<T>(1);
        T* out = o.result<T>();
        for (std::size_t j = 0; j < P.result_size(); ++j) out[j] = std::max(x[j] * T(chain_scale) + y[j], T(0));
    }
}

struct table {
    template <problem P>
    static constexpr kernel kernel_for() {
        return [](const operands& given, std::size_t calls) {
            const operands_of_calls<P.chained> of(given);
            for (std::size_t c = 0; c < calls; ++c) solve<P, std::conditional_t<P.doubles, double, float>>(of(c));
        };
    }
};

}  // namespace

runner prepare_loops(std::size_t case_index, const operands& where) {
    static constexpr auto kernels = kernels_for_cases<table>();
    return run_kernel(kernels[case_index], where);
}

}  // namespace ashlar::bench
