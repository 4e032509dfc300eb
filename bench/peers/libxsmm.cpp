// SPDX-License-Identifier: BSL-1.0
// libxsmm's generated kernels for the products and a softmax written by hand between them, arranged as suits both:
// queries transposed once, scores with queries in lanes, the second product reading them as its transposed operand.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <libxsmm.h>

#include "bench/support/peer.hpp"
#include "softmax.hpp"

namespace ashlar::bench {
namespace {

constexpr int as_size(std::size_t n) { return static_cast<int>(n); }

/// A kernel of column-major c[m, n] = a[m, k] b[k, n] (+ c), b stored as n x k where transposed.
libxsmm_smmfunction generate(std::size_t m, std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb,
                             std::size_t ldc, bool transposed, float beta) {
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

/// to[cols][stride] = scale * from[rows][cols] transposed, a register of rows at a time where there are so many.
void transpose(const float* from, std::size_t rows, std::size_t cols, float scale, float* to, std::size_t stride) {
    std::size_t r = 0;
    for (; r + vector_floats <= rows; r += vector_floats)
        for (std::size_t c = 0; c < cols; ++c) {
            vector column;
            for (std::size_t l = 0; l < vector_floats; ++l) column[l] = from[(r + l) * cols + c];
            store(to + c * stride + r) = column * scale;
        }
    for (; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c) to[c * stride + r] = from[r * cols + c] * scale;
}

/// The elements of both vectors by turns, from their lower halves or from their upper ones.
template <std::size_t First, std::size_t... I>
[[gnu::always_inline]] inline vector interleave_halves(vector a, vector b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, static_cast<int>(First + I / 2 + I % 2 * vector_floats)...);
}

/// A square of one register by as many, by shuffles: each level of interleaving halves what is still to be turned.
[[gnu::always_inline]] inline void transpose_square(const float* from, std::size_t cols, float scale, float* to,
                                                    std::size_t stride) {
    constexpr std::size_t n = vector_floats;
    vector rows[n], turned[n];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) rows[i] = load(from + i * cols) * scale;
#pragma GCC unroll 4
    for (std::size_t level = n; level > 1; level /= 2) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < n / 2; ++i) {
            turned[2 * i] = interleave_halves<0>(rows[i], rows[i + n / 2], std::make_index_sequence<n>{});
            turned[2 * i + 1] = interleave_halves<n / 2>(rows[i], rows[i + n / 2], std::make_index_sequence<n>{});
        }
#pragma GCC unroll 16
        for (std::size_t i = 0; i < n; ++i) rows[i] = turned[i];
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) store(to + i * stride) = rows[i];
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
            for (std::size_t l = 0; l < b.count; l += vector_floats)
                store(factors + l) = 1.0f / hand::softmax_lanes(scores_.data() + l, b.keys, stride_);
            float* const out = o.result<float>() + b.begin * d;
            b.values(o.input<float>(2) + b.first * d, scores_.data(), out);
            for (std::size_t r = 0; r < b.count; ++r) hand::scale_row(out + r * d, d, factors[r]);
        }
    }

private:
    void turn(const float* q, std::size_t count) {
        const std::size_t d = p_.cols;
        const float scale = 1 / std::sqrt(static_cast<float>(d));
        if (count % vector_floats != 0 || d % vector_floats != 0)
            return transpose(q, count, d, scale, turned_.data(), stride_);
        for (std::size_t r = 0; r < count; r += vector_floats)
            for (std::size_t c = 0; c < d; c += vector_floats)
                transpose_square(q + r * d + c, d, scale, turned_.data() + c * stride_ + r, stride_);
    }
    /// Minus infinity where a query does not keep a key; only near the edges of the block.
    void exclude(const query_block& b) {
        for (std::size_t j = 0; j < b.keys; ++j) {
            const std::size_t key = b.first + j;
            if (p_.keeps(b.begin, key) && p_.keeps(b.begin + b.count - 1, key)) continue;
            for (std::size_t l = 0; l < b.count; l += vector_floats) {
                const auto query = static_cast<std::int32_t>(b.begin + l);
                const hand::vector_bits distance = hand::lane_numbers() + (query - static_cast<std::int32_t>(key));
                const auto window = p_.mask == mask_kind::window ? static_cast<std::int32_t>(p_.window) : 1 << 30;
                const hand::vector_bits keep = (distance >= 0) & (distance <= window);
                float* const at = scores_.data() + j * stride_ + l;
                const vector lowest = vector{} - 1e30f;
                store(at) = keep ? load(at) : lowest;
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
        const libxsmm_dmmfunction k = libxsmm_dmmdispatch(as_size(p.cols), as_size(p.rows), as_size(p.inner), nullptr,
                                                          nullptr, nullptr, nullptr, &beta, nullptr, nullptr);
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
