// SPDX-License-Identifier: BSL-1.0
// oneDNN: matmul and softmax primitives created once, one thread; weights reordered beforehand to the format that the
// primitive asks for, activations and biases as its post-operations.
#include <cmath>
#include <memory>
#include <unordered_map>
#include <vector>

#include <dnnl.hpp>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

using dims = dnnl::memory::dims;
using tag = dnnl::memory::format_tag;
using arguments = std::unordered_map<int, dnnl::memory>;
constexpr auto f32 = dnnl::memory::data_type::f32;

const dnnl::engine& cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dims shape(std::size_t rows, std::size_t cols) {
    return {static_cast<dnnl::memory::dim>(rows), static_cast<dnnl::memory::dim>(cols)};
}

dnnl::memory::desc row_major(std::size_t rows, std::size_t cols) { return {shape(rows, cols), f32, tag::ab}; }

dnnl::memory over(const dnnl::memory::desc& d, const void* data) { return {d, cpu(), const_cast<void*>(data)}; }

/// Primitives with their arguments, in order.
struct plan {
    dnnl::stream stream{cpu()};
    std::vector<std::pair<dnnl::primitive, arguments>> steps;

    void run() {
        for (auto& [primitive, given] : steps) primitive.execute(stream, given);
        stream.wait();
    }
};

runner repeat(std::shared_ptr<plan> p) {
    return [p](std::size_t calls) {
        for (std::size_t c = 0; c < calls; ++c) p->run();
    };
}

runner attention(const problem& p, const operands& o) {
    if (p.mask != mask_kind::full || p.chained) return {};  // its softmax has no mask
    auto built = std::make_shared<plan>();
    const dnnl::memory::desc q = row_major(p.rows, p.cols), scores = row_major(p.rows, p.inner);
    const dnnl::memory::desc keys(shape(p.cols, p.inner), f32, tag::ba), values = row_major(p.inner, p.cols);
    const dnnl::memory score_memory(scores, cpu()), result = over(q, o.out);
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {1 / std::sqrt(static_cast<float>(p.cols))});
    const dnnl::matmul::primitive_desc first({q, keys, scores}, scaled, cpu()), second({scores, values, q}, cpu());
    const dnnl::softmax_forward::primitive_desc middle({dnnl::prop_kind::forward_inference, scores, 1}, cpu());
    built->steps.push_back(
        {dnnl::matmul(first),
         {{DNNL_ARG_SRC, over(q, o.in[0])}, {DNNL_ARG_WEIGHTS, over(keys, o.in[1])}, {DNNL_ARG_DST, score_memory}}});
    built->steps.push_back(
        {dnnl::softmax_forward(middle), {{DNNL_ARG_SRC, score_memory}, {DNNL_ARG_DST, score_memory}}});
    built->steps.push_back(
        {dnnl::matmul(second),
         {{DNNL_ARG_SRC, score_memory}, {DNNL_ARG_WEIGHTS, over(values, o.in[2])}, {DNNL_ARG_DST, result}}});
    return repeat(built);
}

/// Weights in the format of a primitive.
dnnl::memory reordered(dnnl::memory weights, const dnnl::memory::desc& wanted, dnnl::stream& stream) {
    if (weights.get_desc() == wanted) return weights;
    dnnl::memory packed(wanted, cpu());
    dnnl::reorder(weights, packed).execute(stream, weights, packed);
    stream.wait();
    return packed;
}

runner matmul(const problem& p, const operands& o) {
    if (p.doubles) return {};
    auto built = std::make_shared<plan>();
    const dnnl::memory::desc a = row_major(p.rows, p.inner), c = row_major(p.rows, p.cols);
    const dnnl::memory::desc b(shape(p.inner, p.cols), f32, p.transposed ? tag::ba : tag::ab);
    const dnnl::matmul::primitive_desc product({a, b, c}, cpu());
    built->steps.push_back(
        {dnnl::matmul(product),
         {{DNNL_ARG_SRC, over(a, o.in[0])}, {DNNL_ARG_WEIGHTS, over(b, o.in[1])}, {DNNL_ARG_DST, over(c, o.out)}}});
    return repeat(built);
}

runner feed_forward(const problem& p, const operands& o) {
    auto built = std::make_shared<plan>();
    const dnnl::memory::desc x = row_major(p.rows, p.cols), inner = row_major(p.rows, p.inner);
    const dnnl::memory::desc any1(shape(p.cols, p.inner), f32, tag::any), any2(shape(p.inner, p.cols), f32, tag::any);
    const dnnl::memory::desc b1 = row_major(1, p.inner), b2 = row_major(1, p.cols);
    dnnl::primitive_attr activated;
    dnnl::post_ops gelu;
    gelu.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
    activated.set_post_ops(gelu);
    const dnnl::matmul::primitive_desc first({x, any1, b1, inner}, activated, cpu()),
        second({inner, any2, b2, x}, cpu());
    const dnnl::memory w1 = reordered(over(row_major(p.cols, p.inner), o.in[1]), first.weights_desc(), built->stream);
    const dnnl::memory w2 = reordered(over(row_major(p.inner, p.cols), o.in[3]), second.weights_desc(), built->stream);
    const dnnl::memory middle(inner, cpu());
    built->steps.push_back({dnnl::matmul(first),
                            {{DNNL_ARG_SRC, over(x, o.in[0])},
                             {DNNL_ARG_WEIGHTS, w1},
                             {DNNL_ARG_BIAS, over(b1, o.in[2])},
                             {DNNL_ARG_DST, middle}}});
    built->steps.push_back({dnnl::matmul(second),
                            {{DNNL_ARG_SRC, middle},
                             {DNNL_ARG_WEIGHTS, w2},
                             {DNNL_ARG_BIAS, over(b2, o.in[4])},
                             {DNNL_ARG_DST, over(x, o.out)}}});
    return repeat(built);
}

runner softmax(const problem& p, const operands& o) {
    auto built = std::make_shared<plan>();
    const dnnl::memory::desc x = row_major(p.rows, p.cols);
    const dnnl::softmax_forward::primitive_desc rows({dnnl::prop_kind::forward_inference, x, 1}, cpu());
    built->steps.push_back(
        {dnnl::softmax_forward(rows), {{DNNL_ARG_SRC, over(x, o.in[0])}, {DNNL_ARG_DST, over(x, o.out)}}});
    return repeat(built);
}

runner layer_norm(const problem& p, const operands& o) {
    auto built = std::make_shared<plan>();
    const dnnl::memory::desc x = row_major(p.rows, p.cols);
    const dnnl::memory::desc vector({static_cast<dnnl::memory::dim>(p.cols)}, f32, tag::a);
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const dnnl::layer_normalization_forward::primitive_desc rows(
        {dnnl::prop_kind::forward_inference, x, static_cast<float>(norm_epsilon), flags}, cpu());
    built->steps.push_back({dnnl::layer_normalization_forward(rows),
                            {{DNNL_ARG_SRC, over(x, o.in[0])},
                             {DNNL_ARG_SCALE, over(vector, o.in[1])},
                             {DNNL_ARG_SHIFT, over(vector, o.in[2])},
                             {DNNL_ARG_DST, over(x, o.out)}}});
    return repeat(built);
}

}  // namespace

runner prepare_onednn(std::size_t case_index, const operands& where) {
    const problem& p = cases[case_index].what;
    switch (p.op) {
    case operation::attention: return attention(p, where);
    case operation::matmul: return matmul(p, where);
    case operation::feed_forward: return feed_forward(p, where);
    case operation::softmax: return softmax(p, where);
    case operation::layer_norm: return layer_norm(p, where);
    case operation::chain: return {};
    }
    return {};
}

}  // namespace ashlar::bench
