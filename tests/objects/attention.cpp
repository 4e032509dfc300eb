// SPDX-License-Identifier: BSL-1.0
// Attention of every kind in functions of their own: the object must need nothing but memcpy and memset.
#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr axis<"seq", 32> seq;
constexpr axis<"model", 48> model;
constexpr axis<"head", 24> head;

template <class T>
using rows = tensor<T, seq, head>;

}  // namespace

namespace objects {

void full(rows<float>& out, const rows<float>& q, const rows<float>& k, const rows<float>& v) noexcept {
    evaluate(out, attention(q, k, v));
}

rows<float> causal_rows(const rows<float>& q, const rows<float>& k, const rows<float>& v) noexcept {
    return attention(q, k, v, causal);
}

tensor<double, 7, 5> in_double(const tensor<double, 7, 5>& x) noexcept {
    return attention(x, x, x, sliding_window<3, 1>, scale(0.25));
}

rows<float> masked_by_tensors(const rows<float>& q, const rows<float>& k, const rows<float>& v,
                              const tensor<bool, seq, seq>& pairs, const tensor<bool, seq>& padding,
                              std::size_t length) noexcept {
    return attention(q, k, v, keep(pairs) && ignore(padding) && keys_below(length));
}

/// The destination may be one of the operands: the path that copies.
void in_place(rows<float>& x) noexcept { x = attention(x, x, x); }

struct block {
    tensor<float, model, head> query, key, value;
    tensor<float, head, model> output;
    tensor<float, model, 96> up;
    tensor<float, 96, model> down;
    tensor<float, model> gamma, beta;
};

tensor<float, seq, model> encoder(const tensor<float, seq, model>& x, const block& w) noexcept {
    const auto attended = matmul(attention(matmul(x, w.query), matmul(x, w.key), matmul(x, w.value)), w.output);
    return let(layer_norm(x + attended, w.gamma, w.beta, 1e-5f),
               [&w](const auto& y) { return y + matmul(gelu(matmul(y, w.up)), w.down); });
}

}  // namespace objects
