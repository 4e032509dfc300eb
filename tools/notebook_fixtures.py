#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes examples/support/notebook_fixtures.hpp: PyTorch's reference values for the notebook examples."""

import copy
import math
import pathlib
import textwrap

import torch
from torch import nn
from torch.nn import functional as F

HEADER = pathlib.Path(__file__).resolve().parents[1] / "examples/support/notebook_fixtures.hpp"

PREAMBLE = f"""\
// SPDX-License-Identifier: BSL-1.0
// PyTorch's reference values for the notebook examples. Made by tools/notebook_fixtures.py with
// torch {torch.__version__}; do not edit. Results are computed in double from the float inputs, then rounded to float.
#pragma once

#include <cstddef>
#include <string_view>

// clang-format off
namespace fixtures {{

/// Entry (i, j) of matrix number m, for weights too large to store: in [0, 1), the same bits as in the script.
constexpr float uniform(std::size_t m, std::size_t i, std::size_t j) {{
    return static_cast<float>((m * 29 + i * 37 + j * 11) % 101) / 101.0f;
}}

/// The same about zero, in [-50 / divisor, 50 / divisor]. A linear layer m of [out, in] has
/// weight(o, i) = centred(m, o, i, divisor) and bias(o) = centred(m, o, in, divisor).
constexpr float centred(std::size_t m, std::size_t i, std::size_t j, float divisor) {{
    return (static_cast<float>((m * 29 + i * 37 + j * 11) % 101) - 50.0f) / divisor;
}}
"""


# Numbers: printed ones, those of the formulas, references.

def printed(text, *shape):
    """The numbers in a notebook's printout."""
    return torch.tensor([float(word) for word in text.split()]).reshape(shape)


def check_printed(values, text, tolerance=5.1e-5):
    """Fails unless the values round to what a notebook printed (four decimals)."""
    expected = printed(text, *values.shape)
    difference = (values - expected).abs().max().item()
    assert difference <= tolerance, f"{difference} away from the notebook:\n{values}\n{expected}"


def numerators(m, rows, columns):
    """The integers (m * 29 + i * 37 + j * 11) mod 101 as floats."""
    i, j = torch.arange(rows)[:, None], torch.arange(columns)
    return ((m * 29 + i * 37 + j * 11) % 101).float()


def uniform(m, rows, columns):
    """The header's uniform(m, i, j), as a matrix."""
    return numerators(m, rows, columns) / torch.full((), 101.0)


def centred(m, rows, columns, divisor):
    """The header's centred(m, i, j, divisor), as a matrix."""
    return (numerators(m, rows, columns) - 50) / torch.full((), float(divisor))


def formula_linear(m, inputs, outputs, divisor):
    """A linear layer whose bias is the formula's column after the last of the weights."""
    values = centred(m, outputs, inputs + 1, divisor)
    layer = nn.Linear(inputs, outputs)
    layer.weight.copy_(values[:, :inputs])
    layer.bias.copy_(values[:, inputs])
    return layer


def reference(function, *operands):
    """function(*operands) computed in double and rounded, after checking that float agrees."""
    exact = function(*(copy.deepcopy(operand).double() for operand in operands))
    single = function(*operands)
    if isinstance(exact, tuple):
        return tuple(rounded(*pair) for pair in zip(exact, single))
    return rounded(exact, single)


def rounded(exact, single):
    """The double result as float; fails where float alone is too far away to be tested against it."""
    difference = (exact - single).abs().max().item()
    assert difference <= 2e-6 * max(1.0, exact.abs().max().item()), f"ill-conditioned: {difference}"
    return exact.float()


def above_diagonal(n):
    """True where a query would see a later key."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def scaled_attention(query, key, value):
    """scaled_dot_product_attention, which torch 1.13 does not have yet."""
    return (query @ key.T / math.sqrt(query.shape[-1])).softmax(-1) @ value


# 000: attention and multi-head attention of torch

PRINTED_V = """
    0.5438 0.4920 0.5062 0.7719  0.8921 0.1793 0.9897 0.2171  0.6704 0.1244 0.3875 0.5464
    0.0434 0.7020 0.6974 0.7235  0.2376 0.3597 0.4516 0.1959  0.4017 0.7895 0.7583 0.5332
    0.3559 0.5919 0.8637 0.9000  0.7589 0.1631 0.3337 0.5555  0.2028 0.5569 0.7140 0.9758
    0.9424 0.7700 0.3442 0.8315"""

PRINTED_ATTENTION = """
    0.5106 0.4950 0.6128 0.6522  0.5310 0.4730 0.6230 0.6241  0.5236 0.4786 0.6080 0.6381
    0.4851 0.5067 0.6231 0.6584  0.5048 0.4853 0.6149 0.6348  0.5006 0.5020 0.6216 0.6505
    0.4965 0.5032 0.6233 0.6589  0.5273 0.4787 0.6059 0.6384  0.4912 0.5048 0.6212 0.6623
    0.5259 0.4990 0.6053 0.6555"""


def with_seeded_biases(attention):
    """The layer with biases that are not zero, so that forgetting one shows."""
    attention.in_proj_bias.copy_(torch.rand(attention.in_proj_bias.shape) - 0.5)
    attention.out_proj.bias.copy_(torch.rand(attention.out_proj.bias.shape) - 0.5)
    return attention


def with_heads(attention, heads):
    """A layer with the same weights and another number of heads."""
    other = nn.MultiheadAttention(attention.embed_dim, heads, batch_first=True)
    other.load_state_dict(attention.state_dict())
    return other


def printed_narrow_attention():
    """The layer of embed_dim 2, kdim 2, vdim 4 with the weights that the notebook prints."""
    attention = nn.MultiheadAttention(2, 1, kdim=2, vdim=4, batch_first=True)
    attention.q_proj_weight.copy_(printed("-0.9590 -0.5985  -1.0788 0.9830", 2, 2))
    attention.k_proj_weight.copy_(printed("0.7274 0.6879  -0.2112 -1.0682", 2, 2))
    attention.v_proj_weight.copy_(printed("-0.4838 -0.8043 -0.9592 -0.8510  0.4784 0.6115 -0.4377 0.4999", 2, 4))
    attention.out_proj.weight.copy_(printed("0.0376 0.3260  0.0134 -0.2884", 2, 2))
    return attention


def encoder_layer(attention):
    """A post-norm encoder layer of width 4, feed-forward 16, one head, in inference."""
    layer = nn.TransformerEncoderLayer(4, 1, dim_feedforward=16, batch_first=True)
    layer.self_attn.load_state_dict(attention.state_dict())
    layer.linear1, layer.linear2 = formula_linear(0, 4, 16, 100), formula_linear(1, 16, 4, 200)
    return layer.eval()


def torch_attention():
    """Notebook 000, "Examples": v and the narrow_* weights (no biases) are printed there, the rest is seeded
    (0; biases included). mha_* is one MultiheadAttention(4), used with one head and with two; *_weights are
    averaged over the heads. narrow_mha_output has narrow_keys as queries and keys, and v as values.
    encoder_layer has the attention mha_* with one head, linear1 = centred(0, ..., 100) [16, 4],
    linear2 = centred(1, ..., 200) [4, 16], norms with gamma 1, beta 0, eps 1e-5; encoder is four of it, all equal."""
    torch.manual_seed(0)
    v = printed(PRINTED_V, 10, 4)
    query, keys, narrow_query, narrow_keys = (torch.rand(*size) for size in ((1, 4), (10, 4), (1, 2), (10, 2)))
    mha = with_seeded_biases(nn.MultiheadAttention(4, 1, batch_first=True))
    narrow = printed_narrow_attention()
    layer = encoder_layer(mha)
    attended = reference(scaled_attention, v, v, v)
    check_printed(attended, PRINTED_ATTENTION, 1e-4)
    cross_output, cross_weights = reference(lambda m, *qkv: m(*qkv), mha, query, keys, v)
    heads1_output, heads1_weights = reference(lambda m, x: m(x, x, x), mha, v)
    heads2_output, heads2_weights = reference(lambda m, x: m(x, x, x), with_heads(mha, 2), v)
    return {
        "v": v,
        "self_attention_output": attended,
        "query": query,
        "keys": keys,
        "single_query_attention": reference(scaled_attention, query, keys, v),
        "narrow_query": narrow_query,
        "narrow_keys": narrow_keys,
        "narrow_attention": reference(scaled_attention, narrow_query, narrow_keys, v),
        "mha_in_proj_weight": mha.in_proj_weight,
        "mha_in_proj_bias": mha.in_proj_bias,
        "mha_out_proj_weight": mha.out_proj.weight,
        "mha_out_proj_bias": mha.out_proj.bias,
        "mha_single_query_output": cross_output,
        "mha_single_query_weights": cross_weights,
        "mha_heads1_output": heads1_output,
        "mha_heads1_weights": heads1_weights,
        "mha_heads2_output": heads2_output,
        "mha_heads2_weights": heads2_weights,
        "narrow_q_proj_weight": narrow.q_proj_weight,
        "narrow_k_proj_weight": narrow.k_proj_weight,
        "narrow_v_proj_weight": narrow.v_proj_weight,
        "narrow_out_proj_weight": narrow.out_proj.weight,
        "narrow_mha_output": reference(lambda m, k, x: m(k, k, x)[0], narrow, narrow_keys, v),
        "encoder_layer": reference(lambda m, x: m(x), layer, v),
        "encoder": reference(lambda m, x: m(x), nn.TransformerEncoder(layer, 4).eval(), v),
    }


# 001: a sentence through MultiheadAttention

WORDS = ["the", "train", "left", "the", "station", "on", "time"]

PRINTED_EMBEDDED = """
    -0.9724 -0.7550  0.2103 -0.3908  -0.1115 0.1204  -0.9724 -0.7550  -1.1969 0.2093  -0.3696 -0.2404
    0.3239 -0.1085"""

PRINTED_QUERY = """
    -0.1186 -0.1173 0.3271 -0.1302  0.1986 -0.1586 -0.3058 -0.1712  -0.0782 0.0552 0.1252 0.0595
    -0.1186 -0.1173 0.3271 -0.1302  -0.5014 0.2335 0.8855 0.2494  -0.0596 -0.0291 0.1441 -0.0327
    0.1519 -0.0804 -0.2616 -0.0862"""

PRINTED_KEY = """
    -0.0302 -0.2170 -0.0431 0.0982  0.0545 0.0276 0.1620 0.0140  -0.0214 -0.0177 -0.0620 -0.0019
    -0.0302 -0.2170 -0.0431 0.0982  -0.1358 -0.2274 -0.3668 0.0484  -0.0155 -0.0809 -0.0292 0.0344
    0.0412 0.0597 0.1136 -0.0098"""

PRINTED_VALUE_ROWS_0_TO_3 = """
    -0.0975 -0.7672 0.5785 0.3455  0.0227 0.0440 0.1115 0.0943  -0.0118 -0.0424 -0.0221 -0.0235
    -0.0975 -0.7672 0.5785 0.3455"""

PRINTED_OUTPUT = """
    0.0168 -0.0299 0.0095 -0.0084  0.0170 -0.0291 0.0093 -0.0086  0.0168 -0.0298 0.0095 -0.0085
    0.0168 -0.0299 0.0095 -0.0084  0.0165 -0.0309 0.0097 -0.0082  0.0168 -0.0298 0.0094 -0.0085
    0.0169 -0.0292 0.0093 -0.0086"""

PRINTED_WEIGHTS = """
    0.1429 0.1446 0.1425 0.1429 0.1400 0.1429 0.1441  0.1428 0.1404 0.1432 0.1428 0.1470 0.1427 0.1410
    0.1429 0.1438 0.1427 0.1429 0.1413 0.1429 0.1436  0.1429 0.1446 0.1425 0.1429 0.1400 0.1429 0.1441
    0.1428 0.1493 0.1418 0.1428 0.1326 0.1430 0.1476  0.1429 0.1437 0.1427 0.1429 0.1415 0.1429 0.1435
    0.1428 0.1409 0.1431 0.1428 0.1461 0.1428 0.1414"""

PRINTED_MASKED_OUTPUT = """
    0.0422 -0.0849 0.0276 -0.0172  0.0262 -0.0692 0.0236 -0.0038  0.0165 -0.0406 0.0136 -0.0039
    0.0230 -0.0517 0.0171 -0.0072  0.0208 -0.0342 0.0105 -0.0121  0.0199 -0.0317 0.0098 -0.0115
    0.0169 -0.0292 0.0093 -0.0086"""

PRINTED_MASKED_WEIGHTS = """
    1.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000  0.5043 0.4957 0.0000 0.0000 0.0000 0.0000 0.0000
    0.3327 0.3349 0.3324 0.0000 0.0000 0.0000 0.0000  0.2495 0.2523 0.2488 0.2495 0.0000 0.0000 0.0000
    0.2014 0.2104 0.1999 0.2014 0.1869 0.0000 0.0000  0.1668 0.1677 0.1666 0.1668 0.1652 0.1668 0.0000
    0.1428 0.1409 0.1431 0.1428 0.1461 0.1428 0.1414"""


def batch_of_one(attention, query, key, value, **options):
    """The layer applied as in the notebook, to [sequence, 1, embedding]; the axis of one is dropped again."""
    output, weights = attention(query[:, None], key[:, None], value[:, None], **options)
    return output[:, 0], weights[0]


def check_multi_head(embedded, query, key, value, plain, masked):
    """Everything that the notebook prints (of value it shows four rows)."""
    check_printed(embedded, PRINTED_EMBEDDED)
    check_printed(query, PRINTED_QUERY)
    check_printed(key, PRINTED_KEY)
    check_printed(value[:4], PRINTED_VALUE_ROWS_0_TO_3)
    check_printed(plain[0], PRINTED_OUTPUT)
    check_printed(plain[1], PRINTED_WEIGHTS)
    check_printed(masked[0], PRINTED_MASKED_OUTPUT)
    check_printed(masked[1], PRINTED_MASKED_WEIGHTS)


def multi_head():
    """Notebook 001, "Multi-Head Attention": all as printed there, from its own seeds; its batch axis of one is
    dropped. Weights are [out, in]; attention has two heads, *_weights are averaged over them. causal_* has the
    notebook's additive mask, one where a key is kept and minus infinity elsewhere."""
    vocabulary = sorted(set(WORDS))
    tokens = [vocabulary.index(word) for word in WORDS]
    torch.manual_seed(123)
    embedding = nn.Embedding(6, 2).weight
    torch.manual_seed(1)
    projections = [nn.Linear(2, 4, bias=False).weight for _ in range(3)]
    query, key, value = (reference(F.linear, embedding[tokens], weight) for weight in projections)
    torch.manual_seed(1)
    attention = nn.MultiheadAttention(4, 2)
    mask = torch.ones(7, 7).masked_fill(above_diagonal(7), -math.inf)
    plain = reference(batch_of_one, attention, query, key, value)
    causal = reference(lambda *o: batch_of_one(*o[:-1], attn_mask=o[-1]), attention, query, key, value, mask)
    check_multi_head(embedding[tokens], query, key, value, plain, causal)
    return {
        "vocabulary": vocabulary,
        "tokens": tokens,
        "embedding": embedding,
        "query_weight": projections[0],
        "key_weight": projections[1],
        "value_weight": projections[2],
        "query": query,
        "key": key,
        "value": value,
        "in_proj_weight": attention.in_proj_weight,
        "in_proj_bias": attention.in_proj_bias,
        "out_proj_weight": attention.out_proj.weight,
        "out_proj_bias": attention.out_proj.bias,
        "output": plain[0],
        "output_weights": plain[1],
        "causal_output": causal[0],
        "causal_weights": causal[1],
    }


# 002: attention with projections from the left, and a decoder layer

SENTENCE_TOKENS = [14062, 19814, 1096, 2874, 9866, 17985, 3681, 685]


def head(query, keys, values, causal_masking=False):
    """The notebook's attention head: no scale, and its mask comes after the softmax."""
    weights = (query @ keys.T).softmax(1)
    if causal_masking:
        weights = weights.masked_fill(above_diagonal(len(query)), 0)
    return weights @ values


def heads_of(first, n_heads):
    """u_q, u_k, u_v [n_heads, 8, 8] and w_out [n_heads * 32, 32] of a multi-head block."""
    u_q, u_k, u_v = (torch.stack([uniform(first + part * n_heads + h, 8, 8) for h in range(n_heads)])
                     for part in range(3))
    return u_q, u_k, u_v, uniform(first + 3 * n_heads, n_heads * 32, 32)


def multi_head_block(x_q, x_k, x_v, u_q, u_k, u_v, w_out):
    """The notebook's multi_head_attention, with given weights."""
    outputs = [head(u_q[h] @ x_q, u_k[h] @ x_k, u_v[h] @ x_v) for h in range(len(u_q))]
    return torch.cat(outputs, 1) @ w_out


def decoder_layer(x, linear_1, linear_2, *blocks):
    """The notebook's transformer_decoder_layer(x, x); both norms are over the whole tensor."""
    x1 = F.layer_norm(multi_head_block(x, x, x, *blocks[:4]) + x, x.shape)
    x2 = F.layer_norm(multi_head_block(x, x, x1, *blocks[4:]) + x1, x.shape)
    return F.relu(linear_2(linear_1(x2)))


def zero_filled(x, scale=1.0):
    """The notebook's causal weights: scores set to zero before the softmax, which does not mask."""
    return (x @ x.T * scale).masked_fill(above_diagonal(8), 0).softmax(1)


def masked_weights(x, scale=1.0):
    """Causal weights as they should be."""
    return (x @ x.T * scale).masked_fill(above_diagonal(8), -math.inf).softmax(1)


def transformer():
    """Notebook 002, "From Attention Mechanisms to Transformers": seeded (362, of 2000 the one whose row 3 attends
    most to other tokens, so that its context is not just the token again). x is the embedded sentence; weights
    are softmax(x x^T) with no scale. zero_filled_* is the notebook's mask (scores set to 0 before the softmax),
    causal_* the right one; unscaled the two differ by 1e-5 at most, hence *_scaled, by 1/sqrt(32) (0.1).
    projected is the head on u_q x, u_k x, u_v x; late_masked the same with the mask after the softmax.
    A block of n heads with first number f has u_q[h] = uniform(f + h, ...), u_k[h] = uniform(f + n + h, ...),
    u_v[h] = uniform(f + 2 n + h, ...), each 8x8, and w_out = uniform(f + 3 n, ...), 32 n x 32.
    multi_head_output: n = 3, f = 0. decoder_output: n = 2, f = 10 on (x, x, x), then n = 2, f = 17 on (x, x, x1),
    both norms over the whole 8x32 (eps 1e-5), linear_1 = centred(24, ..., 283) [64, 32],
    linear_2 = centred(25, ..., 400) [32, 64]."""
    torch.manual_seed(362)
    x = nn.Embedding(20000, 32).weight[SENTENCE_TOKENS].clone()
    u_q, u_k, u_v = (torch.rand(8, 8) for _ in range(3))
    linears = formula_linear(24, 32, 64, 283), formula_linear(25, 64, 32, 400)
    scale = 32 ** -0.5
    return {
        "x": x,
        "similarity": reference(lambda x: x @ x.T, x),
        "weights": reference(lambda x: (x @ x.T).softmax(1), x),
        "context_row_3": reference(lambda x: head(x, x, x)[3], x),
        "zero_filled_weights": reference(zero_filled, x),
        "zero_filled_weights_scaled": reference(lambda x: zero_filled(x, scale), x),
        "causal_weights": reference(masked_weights, x),
        "causal_weights_scaled": reference(lambda x: masked_weights(x, scale), x),
        "causal_context_row_3": reference(lambda x: (masked_weights(x) @ x)[3], x),
        "u_q": u_q,
        "u_k": u_k,
        "u_v": u_v,
        "projected": reference(lambda q, k, v, x: head(q @ x, k @ x, v @ x), u_q, u_k, u_v, x),
        "late_masked": reference(lambda q, k, v, x: head(q @ x, k @ x, v @ x, True), u_q, u_k, u_v, x),
        "multi_head_output": reference(multi_head_block, x, x, x, *heads_of(0, 3)),
        "decoder_output": reference(decoder_layer, x, *linears, *heads_of(10, 2), *heads_of(17, 2)),
    }


# 003: self-attention step by step

INPUTS = "0.43 0.15 0.89  0.55 0.87 0.66  0.57 0.85 0.64  0.22 0.58 0.33  0.77 0.25 0.10  0.05 0.80 0.55"

PRINTED_SCORES = """
    0.9995 0.9544 0.9422 0.4753 0.4576 0.6310  0.9544 1.4950 1.4754 0.8434 0.7070 1.0865
    0.9422 1.4754 1.4570 0.8296 0.7154 1.0605  0.4753 0.8434 0.8296 0.4937 0.3474 0.6565
    0.4576 0.7070 0.7154 0.3474 0.6654 0.2935  0.6310 1.0865 1.0605 0.6565 0.2935 0.9450"""

PRINTED_CONTEXTS = """
    0.4421 0.5931 0.5790  0.4419 0.6515 0.5683  0.4431 0.6496 0.5671  0.4304 0.6298 0.5510
    0.4671 0.5910 0.5266  0.4177 0.6503 0.5645"""

PRINTED_SELF_ATTENTION = """
    0.2996 0.8053  0.3061 0.8210  0.3058 0.8203  0.2948 0.7939  0.2927 0.7891  0.2990 0.8040"""


def projected_weights(x, w_query, w_key, mask=None):
    """Scaled attention weights of x, causal with a mask."""
    scores = x @ w_query @ (x @ w_key).T / math.sqrt(w_key.shape[-1])
    return (scores if mask is None else scores.masked_fill(mask, -math.inf)).softmax(-1)


def check_second_input(x, w_query, w_key, w_value):
    """The notebook's steps for its second input, x_2."""
    normalised = x @ x[1] / (x @ x[1]).sum()
    check_printed(normalised, "0.1455 0.2278 0.2249 0.1285 0.1077 0.1656")
    check_printed((x @ x[1]).softmax(0), "0.1385 0.2379 0.2333 0.1240 0.1082 0.1581")
    check_printed(x[1] @ w_query, "0.4306 1.4551")
    check_printed(x[1] @ w_key, "0.4433 1.1419")
    check_printed(x[1] @ w_value, "0.3951 1.0037")
    check_printed(x[1] @ w_query @ (x @ w_key).T, "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440")


def self_attention():
    """Notebook 003, "Coding attention mechanisms": from its own seed; weights are [in, out]. scores, weights and
    contexts are of the attention without parameters, projected_* with them, scaled by 1/sqrt(2). The notebook
    announces causal attention but does not show it: causal_* is PyTorch's result for the same weights."""
    x = printed(INPUTS, 6, 3)
    torch.manual_seed(123)
    w_query, w_key, w_value = (torch.rand(3, 2) for _ in range(3))
    mask = above_diagonal(6)
    weights = reference(projected_weights, x, w_query, w_key)
    causal = reference(lambda *o: projected_weights(*o, mask), x, w_query, w_key)
    scores = reference(lambda x: x @ x.T, x)
    contexts = reference(lambda x: (x @ x.T).softmax(-1) @ x, x)
    output = reference(lambda *o: projected_weights(*o[:3]) @ (o[0] @ o[3]), x, w_query, w_key, w_value)
    check_second_input(x, w_query, w_key, w_value)
    check_printed(scores, PRINTED_SCORES)
    check_printed(contexts, PRINTED_CONTEXTS)
    check_printed(weights[1], "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820")
    check_printed(output, PRINTED_SELF_ATTENTION)
    return {
        "inputs": x,
        "scores": scores,
        "weights": reference(lambda x: (x @ x.T).softmax(-1), x),
        "contexts": contexts,
        "w_query": w_query,
        "w_key": w_key,
        "w_value": w_value,
        "projected_attention_weights": weights,
        "projected_attention": output,
        "causal_attention_weights": causal,
        "causal_attention": reference(lambda *o: projected_weights(*o[:3], mask) @ (o[0] @ o[3]),
                                      x, w_query, w_key, w_value),
    }


# 004: a batch of one sentence through linear layers with biases

PRINTED_SENTENCE = """
    -0.2835 -0.1142 0.7625 1.8695 0.7673 0.8024 -1.4880 0.3132 0.6777 -1.2837
    1.4617 1.5022 0.7845 -0.5096 -1.3534 -2.0501 -0.5282 0.7364 -1.1479 0.9985
    -0.5725 1.4598 1.5003 1.2356 0.6263 0.9765 -2.4509 0.3613 0.2789 -0.9566
    0.4424 -0.8964 0.8295 -0.1787 -0.2392 0.2189 -0.1659 -0.4627 1.8268 0.1060
    0.2091 1.3789 -0.0426 1.7296 0.2907 -2.0111 -0.9097 -0.8147 1.0213 1.2564"""


def batched_weights(x, query, key):
    """The notebook's attention weights, [batch, query, key]."""
    return (torch.bmm(query(x), key(x).transpose(1, 2)) * query.out_features ** -0.5).softmax(-1)


def attention_study():
    """Notebook 004, "Studying the mechanism of self-attention": tokens is "How are you doing ?" in the vocabulary,
    embedded its printed embedding. Its linear layers are not printed; here Q = centred(0, ..., 158),
    K = centred(1, ..., 158), V = centred(2, ..., 158), each [10, 10] with a bias."""
    vocabulary = ["BOS", "EOS", "doing", "?", "you", "am", "i", "good", "are", "how", "and"]
    x = printed(PRINTED_SENTENCE, 1, 5, 10)
    query, key, value = (formula_linear(m, 10, 10, 158) for m in range(3))
    return {
        "vocabulary": vocabulary,
        "tokens": [vocabulary.index(word) for word in "how are you doing ?".split()],
        "embedded": x,
        "attention_weights": reference(batched_weights, x, query, key),
        "attention": reference(lambda x, q, k, v: torch.bmm(batched_weights(x, q, k), v(x)), x, query, key, value),
    }


# The header

def literal(value):
    """A C++ literal that reads back as the same float."""
    digits = f"{value:.9g}"
    return digits + ("f" if "." in digits or "e" in digits else ".0f")


def braces(values):
    """Nested initialisers."""
    parts = map(braces, values) if values.dim() > 1 else map(literal, values.tolist())
    return "{" + ", ".join(parts) + "}"


def filled(kind, name, extents, initialisers):
    """The definition of an array, its lines filled without regard to rows."""
    lines = textwrap.wrap(initialisers[1:-1], 116, break_on_hyphens=False)
    return f"inline constexpr {kind} {name}{extents} = {{\n    " + "\n    ".join(lines) + "\n};"


def definition(name, values):
    """The definition of an array of floats, words or integers."""
    if isinstance(values, torch.Tensor):
        return filled("float", name, "".join(f"[{extent}]" for extent in values.shape), braces(values))
    if isinstance(values[0], str):
        words = ", ".join(f'"{word}"' for word in values)
        return filled("std::string_view", name, f"[{len(values)}]", f"{{{words}}}")
    return filled("int", name, f"[{len(values)}]", f"{{{', '.join(map(str, values))}}}")


def namespace(section):
    """One notebook's namespace; its comment is the docstring of the function that computes it."""
    comment = "".join(f"// {line.strip()}\n" for line in section.__doc__.splitlines())
    body = "\n".join(definition(name, values) for name, values in section().items())
    return f"\n{comment}namespace {section.__name__} {{\n\n{body}\n\n}}  // namespace {section.__name__}\n"


@torch.no_grad()
def main():
    """Computes, checks and writes everything."""
    sections = torch_attention, multi_head, transformer, self_attention, attention_study
    HEADER.write_text(PREAMBLE + "".join(map(namespace, sections)) + "\n}  // namespace fixtures\n")


if __name__ == "__main__":
    main()
