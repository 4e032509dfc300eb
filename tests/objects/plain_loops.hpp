// SPDX-License-Identifier: BSL-1.0
// Attention and an encoder layer as plain loops over arrays: what users write without a library.
#pragma once

/// Weights row by row, [in][out].
struct plain_layer {
    float query[32][32], key[32][32], value[32][32], out[32][32], up[32][64], down[64][32];
    float query_bias[32], key_bias[32], value_bias[32], out_bias[32], up_bias[64], down_bias[32];
    float norm1[32], norm1_bias[32], norm2[32], norm2_bias[32];
};

/// The same as attend, attend_causally and encode.
void plain_attend(float* out, const float* q, const float* k, const float* v) noexcept;
void plain_attend_causally(float* out, const float* q, const float* k, const float* v) noexcept;
void plain_encode(float* out, const plain_layer& l, const float* x) noexcept;
