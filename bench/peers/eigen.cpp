// SPDX-License-Identifier: BSL-1.0
// Eigen with fixed sizes over the caller's memory (Map), noalias products and array expressions; what is too large for
// its stack limit lives in static matrices, as its pages advise.
#define EIGEN_STACK_ALLOCATION_LIMIT 0
#define EIGEN_DONT_PARALLELIZE
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

template <class T, std::size_t Rows, std::size_t Cols>
using matrix =
    Eigen::Matrix<T, static_cast<int>(Rows), static_cast<int>(Cols), Cols == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <class T, std::size_t Rows, std::size_t Cols>
using input = Eigen::Map<const matrix<T, Rows, Cols>, Eigen::Aligned64>;
template <class T, std::size_t Rows, std::size_t Cols>
using output = Eigen::Map<matrix<T, Rows, Cols>, Eigen::Aligned64>;
/// Whatever rows do not start at cache lines.
template <class T, std::size_t Rows, std::size_t Cols>
using block_input = Eigen::Map<const matrix<T, Rows, Cols>>;

/// exp(x - max) of each row; returns the rows' sums.
template <class Scores>
auto exponentials(Scores& scores) {
    scores.colwise() -= scores.rowwise().maxCoeff().eval();
    scores = scores.array().exp();
    return scores.rowwise().sum().eval();
}

template <problem P, class T>
void full_attention(const operands& o) {
    const input<T, P.rows, P.cols> q(o.input<T>(0));
    const input<T, P.inner, P.cols> k(o.input<T>(1)), v(o.input<T>(2));
    output<T, P.rows, P.cols> out(o.result<T>());
    static matrix<T, P.rows, P.inner> scores;
    scores.noalias() = q * k.transpose();
    scores *= 1 / std::sqrt(T(P.cols));
    if constexpr (P.mask != mask_kind::full)
        for (std::size_t i = 0; i < P.rows; ++i) {
            const auto row = static_cast<int>(i), first = static_cast<int>(P.first_key(i)),
                       end = static_cast<int>(P.end_key(i));
            scores.row(row).head(first).setConstant(-INFINITY);
            scores.row(row).tail(static_cast<int>(P.inner) - end).setConstant(-INFINITY);
        }
    const auto sums = exponentials(scores);
    out.noalias() = scores * v;
    out.array().colwise() /= sums.array();
}

/// Masked attention by blocks of queries against the keys that any of them keeps.
template <problem P, class T>
void masked_attention(const operands& o) {
    constexpr std::size_t block = P.rows < 64 ? P.rows : 64;
    static_assert(P.rows % block == 0);
    static matrix<T, block, P.inner> room;
    for (std::size_t i = 0; i < P.rows; i += block) {
        const auto first = static_cast<Eigen::Index>(P.first_key(i));
        const auto count = static_cast<Eigen::Index>(P.end_key(i + block - 1)) - first;
        const block_input<T, block, P.cols> q(o.input<T>(0) + i * P.cols);
        const block_input<T, P.inner, P.cols> k(o.input<T>(1)), v(o.input<T>(2));
        Eigen::Map<matrix<T, block, P.cols>> out(o.result<T>() + i * P.cols);
        auto scores = room.leftCols(count);
        scores.noalias() = q * k.middleRows(first, count).transpose();
        scores *= 1 / std::sqrt(T(P.cols));
        for (std::size_t r = 0; r < block; ++r) {
            auto row = scores.row(static_cast<Eigen::Index>(r));
            row.head(static_cast<Eigen::Index>(P.first_key(i + r)) - first).setConstant(-INFINITY);
            row.tail(first + count - static_cast<Eigen::Index>(P.end_key(i + r))).setConstant(-INFINITY);
        }
        const auto sums = exponentials(scores);
        out.noalias() = scores * v.middleRows(first, count);
        out.array().colwise() /= sums.array();
    }
}

template <problem P>
void feed_forward(const operands& o) {
    const input<float, P.rows, P.cols> x(o.input<float>(0));
    const input<float, P.cols, P.inner> w1(o.input<float>(1));
    const input<float, 1, P.inner> b1(o.input<float>(2));
    const input<float, P.inner, P.cols> w2(o.input<float>(3));
    const input<float, 1, P.cols> b2(o.input<float>(4));
    output<float, P.rows, P.cols> out(o.result<float>());
    static matrix<float, P.rows, P.inner> hidden_rows;
    hidden_rows.noalias() = x * w1;
    hidden_rows.rowwise() += b1;
    hidden_rows = hidden_rows.array() * 0.5f * (1.0f + (hidden_rows.array() * 0.70710678f).erf());
    out.noalias() = hidden_rows * w2;
    out.rowwise() += b2;
}

template <problem P, class T>
void solve(const operands& o) {
    if constexpr (P.op == operation::attention && P.mask == mask_kind::full) {
        full_attention<P, T>(o);
    } else if constexpr (P.op == operation::attention) {
        masked_attention<P, T>(o);
    } else if constexpr (P.op == operation::matmul) {
        const input<T, P.rows, P.inner> a(o.input<T>(0));
        output<T, P.rows, P.cols> out(o.result<T>());
        if constexpr (P.transposed)
            out.noalias() = a * input<T, P.cols, P.inner>(o.input<T>(1)).transpose();
        else
            out.noalias() = a * input<T, P.inner, P.cols>(o.input<T>(1));
    } else if constexpr (P.op == operation::feed_forward) {
        feed_forward<P>(o);
    } else {
        const input<T, P.rows, P.cols> x(o.input<T>(0));
        output<T, P.rows, P.cols> out(o.result<T>());
        if constexpr (P.op == operation::softmax) {
            out = x;
            const auto sums = exponentials(out);
            out.array().colwise() /= sums.array();
        } else if constexpr (P.op == operation::layer_norm) {
            const input<T, 1, P.cols> gamma(o.input<T>(1)), beta(o.input<T>(2));
            for (int i = 0; i < static_cast<int>(P.rows); ++i) {
                const auto centred = (x.row(i).array() - x.row(i).mean()).eval();
                const T factor = 1 / std::sqrt(centred.square().mean() + T(norm_epsilon));
                out.row(i) = centred * factor * gamma.array() + beta.array();
            }
        } else {
            const input<T, P.rows, P.cols> y(o.input<T>(1));
            out = (x.array() * T(chain_scale) + y.array()).max(T(0));
        }
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

runner prepare_eigen(std::size_t case_index, const operands& where) {
    static constexpr auto kernels = kernels_for_cases<table>();
    return run_kernel(kernels[case_index], where);
}

}  // namespace ashlar::bench
