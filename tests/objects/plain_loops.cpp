// SPDX-License-Identifier: BSL-1.0
// The loops, with the C library's exponential and the processor's square root.
#include "plain_loops.hpp"

#include <cmath>

namespace {

/// One head: rows of q, k, v and out are `stride` apart.
template <int Width, bool Causal>
void attend_head(float* out, const float* q, const float* k, const float* v, int stride, float scale) {
    constexpr int rows = 16;
    float scores[rows];
    for (int i = 0; i < rows; ++i) {
        const int keys = Causal ? i + 1 : rows;
        float most = -INFINITY, sum = 0;
        for (int j = 0; j < keys; ++j) {
            float s = 0;
            for (int d = 0; d < Width; ++d) s += q[i * stride + d] * k[j * stride + d];
            scores[j] = s * scale;
            if (scores[j] > most) most = scores[j];
        }
        for (int j = 0; j < keys; ++j) {
            scores[j] = std::exp(scores[j] - most);
            sum += scores[j];
        }
        const float factor = 1.0f / sum;
        for (int d = 0; d < Width; ++d) {
            float s = 0;
            for (int j = 0; j < keys; ++j) s += scores[j] * v[j * stride + d];
            out[i * stride + d] = s * factor;
        }
    }
}

template <int In, int Out, bool Relu = false>
void project(float (*y)[Out], const float (*x)[In], const float (*w)[Out], const float* bias) {
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < Out; ++j) {
            float s = bias[j];
            for (int k = 0; k < In; ++k) s += x[i][k] * w[k][j];
            y[i][j] = Relu && s < 0 ? 0 : s;
        }
}

void add_and_normalise(float (*y)[32], const float (*x)[32], const float* weight, const float* bias) {
    for (int i = 0; i < 16; ++i) {
        float mean = 0, square = 0;
        for (int j = 0; j < 32; ++j) {
            y[i][j] += x[i][j];
            mean += y[i][j];
        }
        mean /= 32;
        for (int j = 0; j < 32; ++j) square += (y[i][j] - mean) * (y[i][j] - mean);
        const float factor = 1.0f / std::sqrt(square / 32 + 1e-5f);
        for (int j = 0; j < 32; ++j) y[i][j] = (y[i][j] - mean) * factor * weight[j] + bias[j];
    }
}

}  // namespace

void plain_attend(float* out, const float* q, const float* k, const float* v) noexcept {
    attend_head<16, false>(out, q, k, v, 16, 0.25f);
}

void plain_attend_causally(float* out, const float* q, const float* k, const float* v) noexcept {
    attend_head<16, true>(out, q, k, v, 16, 0.25f);
}

void plain_encode(float* out, const plain_layer& l, const float* x) noexcept {
    using rows = float(*)[32];
    using const_rows = const float(*)[32];
    float q[16][32], k[16][32], v[16][32], heads[16][32], between[16][32], hidden[16][64];
    project<32, 32>(q, const_rows(x), l.query, l.query_bias);
    project<32, 32>(k, const_rows(x), l.key, l.key_bias);
    project<32, 32>(v, const_rows(x), l.value, l.value_bias);
    for (int h = 0; h < 32; h += 8) attend_head<8, false>(heads[0] + h, q[0] + h, k[0] + h, v[0] + h, 32, 0.35355339f);
    project<32, 32>(between, heads, l.out, l.out_bias);
    add_and_normalise(between, const_rows(x), l.norm1, l.norm1_bias);
    project<32, 64, true>(hidden, between, l.up, l.up_bias);
    project<64, 32>(rows(out), hidden, l.down, l.down_bias);
    add_and_normalise(rows(out), between, l.norm2, l.norm2_bias);
}
