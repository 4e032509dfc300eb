// SPDX-License-Identifier: BSL-1.0
// Stages of each kind, with last tiles, ragged columns, masks and fusions: each is to be one function, or none.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

template <std::size_t Rows, std::size_t Columns>
using matrix = tensor<float, Rows, Columns>;

void causal_attention(matrix<65, 24>& y, const matrix<65, 24>& x) noexcept { y = attention(x, x, x, causal); }
void few_queries(matrix<5, 16>& y, const matrix<5, 16>& q, const matrix<33, 16>& k) noexcept {
    y = attention(q, k, k, sliding_window<3, 1>);
}
void one_query(matrix<1, 36>& y, const matrix<1, 36>& q, const matrix<70, 36>& k, std::size_t n) noexcept {
    y = attention(q, k, k, keys_below(n));
}
void chain(matrix<33, 37>& y, const matrix<33, 37>& a, const matrix<33, 37>& b) noexcept {
    y = gelu(a * 2.0f + b) / (1.0f + exp(-b));
}
void rows(matrix<33, 37>& y, const matrix<33, 37>& x) noexcept { y = softmax(layer_norm(x) * 0.5f); }
void folds(tensor<float, 37>& y, const matrix<33, 37>& x) noexcept { y = sum<0>(x * x) + variance<0>(x); }
void products(matrix<19, 20>& y, const matrix<19, 30>& a, const matrix<20, 30>& b,
              const packed<float, 30, 20>& w) noexcept {
    y = relu(matmul(a, transpose(b))) + matmul(a, w);
}
void layer(matrix<33, 32>& y, const nn::encoder_layer<{.embed = 32, .heads = 4, .hidden = 80}>& l,
           const matrix<33, 32>& x) noexcept {
    y = l(x);
}
