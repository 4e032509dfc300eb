// SPDX-License-Identifier: BSL-1.0
// OpenBLAS, one thread, for the products, with the softmax written by hand between them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <cblas.h>

#include "bench/support/peer.hpp"
#include "softmax.hpp"

namespace ashlar::bench {
namespace {

using size = blasint;
constexpr size as_size(std::size_t n) { return static_cast<size>(n); }

/// c[m][n] = alpha * a b + beta * c; ldb is of b as stored.
void product(std::size_t m, std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda, const float* b,
             std::size_t ldb, bool transposed, float beta, float* c, std::size_t ldc) {
    if (m == 1)
        cblas_sgemv(CblasRowMajor, transposed ? CblasNoTrans : CblasTrans, as_size(transposed ? n : k),
                    as_size(transposed ? k : n), alpha, b, as_size(ldb), a, 1, beta, c, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, as_size(m), as_size(n),
                    as_size(k), alpha, a, as_size(lda), b, as_size(ldb), beta, c, as_size(ldc));
}

void attention(const problem& p, const operands& o, std::vector<float>& scores) {
    const std::size_t d = p.cols, block = p.mask == mask_kind::full ? std::min<std::size_t>(p.rows, 128)
                                                                    : std::min<std::size_t>(p.rows, 64);
    const std::size_t stride = (p.inner + 15) / 16 * 16;
    scores.resize(block * stride);
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    for (std::size_t i = 0; i < p.rows; i += block) {
        const std::size_t count = std::min(block, p.rows - i);
        const std::size_t first = p.first_key(i), keys = p.end_key(i + count - 1) - first;
        product(count, keys, d, scale, o.input<float>(0) + i * d, d, o.input<float>(1) + first * d, d, true, 0,
                scores.data(), stride);
        float sums[128];
        for (std::size_t r = 0; r < count; ++r) {
            float* const row = scores.data() + r * stride;
            const std::size_t begin = p.first_key(i + r) - first, end = p.end_key(i + r) - first;
            std::fill(row, row + begin, 0.0f);
            sums[r] = hand::softmax_row(row + begin, end - begin);
            std::fill(row + end, row + keys, 0.0f);
        }
        float* const out = o.result<float>() + i * d;
        product(count, d, keys, 1, scores.data(), stride, o.input<float>(2) + first * d, d, false, 0, out, d);
        for (std::size_t r = 0; r < count; ++r) hand::scale_row(out + r * d, d, 1 / sums[r]);
    }
}

void feed_forward(const problem& p, const operands& o, std::vector<float>& rows) {
    rows.resize(p.rows * p.inner);
    product(p.rows, p.inner, p.cols, 1, o.input<float>(0), p.cols, o.input<float>(1), p.inner, false, 0, rows.data(),
            p.inner);
    hand::bias_gelu(rows.data(), o.input<float>(2), p.rows, p.inner);
    for (std::size_t i = 0; i < p.rows; ++i) std::copy_n(o.input<float>(4), p.cols, o.result<float>() + i * p.cols);
    product(p.rows, p.cols, p.inner, 1, rows.data(), p.inner, o.input<float>(3), p.cols, false, 1, o.result<float>(),
            p.cols);
}

template <bool Chained>
void solve(const problem& p, const operands& given, std::vector<float>& scratch, std::size_t calls) {
    const operands_of_calls<Chained> of(given);
    for (std::size_t c = 0; c < calls; ++c) {
        const operands& o = of(c);
        if (p.op == operation::attention)
            attention(p, o, scratch);
        else if (p.op == operation::feed_forward)
            feed_forward(p, o, scratch);
        else if (p.doubles)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, p.transposed ? CblasTrans : CblasNoTrans, as_size(p.rows),
                        as_size(p.cols), as_size(p.inner), 1, o.input<double>(0), as_size(p.inner), o.input<double>(1),
                        as_size(p.transposed ? p.inner : p.cols), 0, o.result<double>(), as_size(p.cols));
        else
            product(p.rows, p.cols, p.inner, 1, o.input<float>(0), p.inner, o.input<float>(1),
                    p.transposed ? p.inner : p.cols, p.transposed, 0, o.result<float>(), p.cols);
    }
}

}  // namespace

runner prepare_openblas(std::size_t case_index, const operands& where) {
    const problem& p = cases[case_index].what;
    if (p.op != operation::attention && p.op != operation::matmul && p.op != operation::feed_forward) return {};
    return [&p, where, scratch = std::make_shared<std::vector<float>>()](std::size_t calls) {
        p.chained ? solve<true>(p, where, *scratch, calls) : solve<false>(p, where, *scratch, calls);
    };
}

}  // namespace ashlar::bench
