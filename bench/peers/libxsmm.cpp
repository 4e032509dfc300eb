// SPDX-License-Identifier: BSL-1.0
// libxsmm's generated kernels for the products and a softmax written by hand between them, arranged as suits both:
// queries transposed once, scores with queries in lanes, the second product reading them as its transposed operand.
#include "softmax.hpp"

#include "bench/support/peer.hpp"

#include <libxsmm.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace ashlar::bench {
namespace {

constexpr int as_size(std::size_t n) { return static_cast<int>(n); }

/// A kernel of column-major c[m, n] = a[m, k] b[k, n] (+ c), b stored as n x k where transposed.
libxsmm_smmfunction generate(std::size_t m, std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc, bool transposed,
                             float beta) {
    const int a = as_size(lda), b = as_size(ldb), c = as_size(ldc);
    const float alpha = 1;
    const int flags = transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    return libxsmm_smmdispatch(as_size(m), as_size(n), as_size(k), &a, &b, &c, &alpha, &beta, &flags, nullptr);
}

/// Up to 64 queries against the keys that one of them keeps.
struct query_block {
    std::size_t begin, count, first, keys;
    libxsmm_smmfunction scores, values;
};

/// to[cols][stride] = scale * from[rows][cols] transposed, 16 rows at a time where there are so many.
void transpose(const float* from, std::size_t rows, std::size_t cols, float scale, float* to, std::size_t stride) {
    std::size_t r = 0;
    for (; r + 16 <= rows; r += 16)
        for (std::size_t c = 0; c < cols; ++c) {
            line column;
            for (int l = 0; l < 16; ++l) column[l] = from[(r + static_cast<std::size_t>(l)) * cols + c];
            store_line(to + c * stride + r, column * scale);
        }
    for (; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c) to[c * stride + r] = from[r * cols + c] * scale;
}

/// 16 x 16 floats by shuffles, four levels of interleaving.
[[gnu::always_inline]] inline void transpose_square(const float* from, std::size_t cols, float scale, float* to, std::size_t stride) {
    line rows[16], turned[16];
    for (std::size_t i = 0; i < 16; ++i) rows[i] = load_line(from + i * cols) * scale;
    constexpr auto interleave = [](line(&x)[16], line(&y)[16]) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < 8; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
    };
    interleave(rows, turned);
    interleave(turned, rows);
    interleave(rows, turned);
    interleave(turned, rows);
    for (std::size_t i = 0; i < 16; ++i) store_line(to + i * stride, rows[i]);
}

class attention_plan {
public:
    attention_plan(const problem& p) : p_(p) {
        const std::size_t d = p.cols;
        stride_ = (std::min<std::size_t>(p.rows, 64) + 15) / 16 * 16;
        for (std::size_t i = 0; i < p.rows; i += 64) {
            query_block b{};
            b.begin = i;
            b.count = std::min<std::size_t>(64, p.rows - i);
            b.first = p.first_key(i);
            b.keys = p.end_key(i + b.count - 1) - b.first;
            const std::size_t lanes = (b.count + 15) / 16 * 16;
            b.scores = generate(lanes, b.keys, d, stride_, d, stride_, false, 0);
            b.values = generate(d, b.count, b.keys, d, stride_, d, true, 0);
            blocks_.push_back(b);
        }
        turned_.resize(d * stride_);
        scores_.resize(p.inner * stride_);
    }
    bool complete() const {
        return std::all_of(blocks_.begin(), blocks_.end(), [](const query_block& b) { return b.scores && b.values; });
    }
    void run(const operands& o) {
        const std::size_t d = p_.cols;
        for (const query_block& b : blocks_) {
            turn(o.input<float>(0) + b.begin * d, b.count);
            b.scores(turned_.data(), o.input<float>(1) + b.first * d, scores_.data());
            if (p_.mask != mask_kind::full) exclude(b);
            alignas(64) float factors[64];
            for (std::size_t l = 0; l < b.count; l += 16) store_line(factors + l, 1.0f / hand::softmax_lanes(scores_.data() + l, b.keys, stride_));
            float* const out = o.result<float>() + b.begin * d;
            b.values(o.input<float>(2) + b.first * d, scores_.data(), out);
            for (std::size_t r = 0; r < b.count; ++r) hand::scale_row(out + r * d, d, factors[r]);
        }
    }

private:
    void turn(const float* q, std::size_t count) {
        const std::size_t d = p_.cols;
        const float scale = 1 / std::sqrt(static_cast<float>(d));
        if (count % 16 != 0 || d % 16 != 0) return transpose(q, count, d, scale, turned_.data(), stride_);
        for (std::size_t r = 0; r < count; r += 16)
            for (std::size_t c = 0; c < d; c += 16) transpose_square(q + r * d + c, d, scale, turned_.data() + c * stride_ + r, stride_);
    }
    /// Minus infinity where a query does not keep a key; only near the edges of the block.
    void exclude(const query_block& b) {
        for (std::size_t j = 0; j < b.keys; ++j) {
            const std::size_t key = b.first + j;
            if (p_.keeps(b.begin, key) && p_.keeps(b.begin + b.count - 1, key)) continue;
            for (std::size_t l = 0; l < b.count; l += 16) {
                const auto query = static_cast<std::int32_t>(b.begin + l);
                const hand::line_bits distance = hand::lane_numbers + (query - static_cast<std::int32_t>(key));
                const auto window = p_.mask == mask_kind::window ? static_cast<std::int32_t>(p_.window) : 1 << 30;
                const hand::line_bits keep = (distance >= 0) & (distance <= window);
                float* const at = scores_.data() + j * stride_ + l;
                const line lowest = line{} - 1e30f;
                store_line(at, keep ? load_line(at) : lowest);
            }
        }
    }

    problem p_;
    std::size_t stride_;
    std::vector<query_block> blocks_;
    std::vector<float> turned_, scores_;
};

runner attention(const problem& p, const operands& where) {
    auto plan = std::make_shared<attention_plan>(p);
    if (!plan->complete()) return {};
    if (p.chained)
        return [plan, where](std::size_t calls) {
            const operands_of_calls<true> of(where);
            for (std::size_t c = 0; c < calls; ++c) plan->run(of(c));
        };
    return [plan, where](std::size_t calls) {
        const operands_of_calls<false> of(where);
        for (std::size_t c = 0; c < calls; ++c) plan->run(of(c));
    };
}

/// Row-major c = a b is column-major c' = b' a'.
runner product(const problem& p, const operands& where) {
    if (p.transposed) return {};
    if (p.doubles) {
        const double beta = 0;
        const libxsmm_dmmfunction k =
            libxsmm_dmmdispatch(as_size(p.cols), as_size(p.rows), as_size(p.inner), nullptr, nullptr, nullptr, nullptr, &beta, nullptr, nullptr);
        if (!k) return {};
        return [k, where](std::size_t calls) {
            const operands_of_calls<false> of(where);
            for (std::size_t c = 0; c < calls; ++c) {
                const operands& o = of(c);
                k(o.input<double>(1), o.input<double>(0), o.result<double>());
            }
        };
    }
    const libxsmm_smmfunction k = generate(p.cols, p.rows, p.inner, p.cols, p.inner, p.cols, false, 0);
    if (!k) return {};
    return [k, where](std::size_t calls) {
        const operands_of_calls<false> of(where);
        for (std::size_t c = 0; c < calls; ++c) {
            const operands& o = of(c);
            k(o.input<float>(1), o.input<float>(0), o.result<float>());
        }
    };
}

}  // namespace

runner prepare_libxsmm(std::size_t case_index, const operands& where) {
    libxsmm_init();
    const problem& p = cases[case_index].what;
    if (p.op == operation::attention) return attention(p, where);
    if (p.op == operation::matmul) return product(p, where);
    return {};
}

}  // namespace ashlar::bench
