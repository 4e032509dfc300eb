// SPDX-License-Identifier: BSL-1.0
// ggml: one graph per case, planned once and computed on one thread; flash attention with its half-precision mask, and
// products whose weights are stored the way it wants them, transposed.
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <ggml-cpu.h>
#include <ggml.h>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

constexpr auto as_size(std::size_t n) { return static_cast<std::int64_t>(n); }

/// A graph over the caller's memory with what it needs to be computed.
class graph {
public:
    graph() : context_(ggml_init({1 << 20, nullptr, true})) {}
    ~graph() { ggml_free(context_); }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;

    ggml_tensor* matrix(const void* data, std::size_t rows, std::size_t cols, ggml_type type = GGML_TYPE_F32) {
        ggml_tensor* const t = ggml_new_tensor_2d(context_, type, as_size(cols), as_size(rows));
        t->data = const_cast<void*>(data);
        return t;
    }
    ggml_context* context() { return context_; }
    void finish(ggml_tensor* result, void* data) {
        result->data = data;
        graph_ = ggml_new_graph(context_);
        ggml_build_forward_expand(graph_, result);
        plan_ = ggml_graph_plan(graph_, 1, nullptr);
        work_.resize(plan_.work_size + 64);
        plan_.work_data = work_.data();
    }
    void run() { ggml_graph_compute(graph_, &plan_); }

    std::vector<ggml_fp16_t> mask;
    std::vector<float> weights;

private:
    ggml_context* context_;
    ggml_cgraph* graph_ = nullptr;
    ggml_cplan plan_{};
    std::vector<std::uint8_t> work_;
};

void attention(graph& g, const problem& p, const operands& o) {
    ggml_tensor* mask = nullptr;
    if (p.mask != mask_kind::full) {
        // Its mask has rows for a multiple of 64 queries in some releases; the rest is never read.
        g.mask.assign((p.rows + 63) / 64 * 64 * p.inner, ggml_fp32_to_fp16(0.0f));
        for (std::size_t i = 0; i < p.rows; ++i)
            for (std::size_t j = 0; j < p.inner; ++j)
                if (!p.keeps(i, j)) g.mask[i * p.inner + j] = ggml_fp32_to_fp16(-INFINITY);
        mask = g.matrix(g.mask.data(), (p.rows + 63) / 64 * 64, p.inner, GGML_TYPE_F16);
    }
    ggml_tensor* const q = g.matrix(o.in[0], p.rows, p.cols);
    ggml_tensor* const k = g.matrix(o.in[1], p.inner, p.cols);
    ggml_tensor* const v = g.matrix(o.in[2], p.inner, p.cols);
    g.finish(ggml_flash_attn_ext(g.context(), q, k, v, mask, 1 / std::sqrt(static_cast<float>(p.cols)), 0, 0), o.out);
}

void product(graph& g, const problem& p, const operands& o) {
    const float* weights = o.input<float>(1);
    if (!p.transposed) {
        g.weights.resize(p.inner * p.cols);
        for (std::size_t k = 0; k < p.inner; ++k)
            for (std::size_t j = 0; j < p.cols; ++j) g.weights[j * p.inner + k] = weights[k * p.cols + j];
        weights = g.weights.data();
    }
    g.finish(ggml_mul_mat(g.context(), g.matrix(weights, p.cols, p.inner), g.matrix(o.in[0], p.rows, p.inner)), o.out);
}

}  // namespace

runner prepare_ggml(std::size_t case_index, const operands& where) {
    const problem& p = cases[case_index].what;
    if (p.doubles || p.chained || (p.op != operation::attention && p.op != operation::matmul)) return {};
    ggml_cpu_init();
    auto g = std::make_shared<graph>();
    p.op == operation::attention ? attention(*g, p, where) : product(*g, p, where);
    return [g](std::size_t calls) {
        for (std::size_t c = 0; c < calls; ++c) g->run();
    };
}

}  // namespace ashlar::bench
