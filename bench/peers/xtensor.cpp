// SPDX-License-Identifier: BSL-1.0
// xtensor for what it has without its BLAS companion: row maps and elementwise chains, lazily over fixed-shape tensors
// with noalias assignment, as its pages advise.
#include <array>

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

auto input(const operands& o, std::size_t i, std::size_t rows, std::size_t cols) {
    return xt::adapt(o.input<float>(i), rows * cols, xt::no_ownership(), std::array<std::size_t, 2>{rows, cols});
}

void solve(const problem& p, const operands& o) {
    const auto x = input(o, 0, p.rows, p.cols);
    auto out =
        xt::adapt(o.result<float>(), p.rows * p.cols, xt::no_ownership(), std::array<std::size_t, 2>{p.rows, p.cols});
    if (p.op == operation::softmax) {
        const xt::xtensor<float, 2> largest = xt::amax(x, {1}, xt::keep_dims);
        xt::noalias(out) = xt::exp(x - largest);
        const xt::xtensor<float, 2> sums = xt::sum<float>(out, {1}, xt::keep_dims);
        out /= sums;
    } else if (p.op == operation::layer_norm) {
        const float n = static_cast<float>(p.cols);
        const auto gamma = input(o, 1, 1, p.cols), beta = input(o, 2, 1, p.cols);
        const xt::xtensor<float, 2> mean = xt::sum<float>(x, {1}, xt::keep_dims) / n;
        const xt::xtensor<float, 2> centred = x - mean;
        const xt::xtensor<float, 2> factor = 1.0f / xt::sqrt(xt::sum<float>(centred * centred, {1}, xt::keep_dims) / n +
                                                             static_cast<float>(norm_epsilon));
        xt::noalias(out) = centred * factor * gamma + beta;
    } else {
        const auto y = input(o, 1, p.rows, p.cols);
        xt::noalias(out) = xt::maximum(x * static_cast<float>(chain_scale) + y, 0.0f);
    }
}

}  // namespace

runner prepare_xtensor(std::size_t case_index, const operands& where) {
    const problem& p = cases[case_index].what;
    if (p.op != operation::softmax && p.op != operation::layer_norm && p.op != operation::chain) return {};
    return [&p, where](std::size_t calls) {
        const operands_of_calls<false> of(where);
        for (std::size_t c = 0; c < calls; ++c) solve(p, of(c));
    };
}

}  // namespace ashlar::bench
