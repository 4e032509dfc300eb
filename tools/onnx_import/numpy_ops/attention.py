# SPDX-License-Identifier: BSL-1.0
"""Attention of com.microsoft, and the look-ups before it."""
import numpy as np

from .reductions import skip_layer_normalization, softmax_along
from .registry import evaluates


def heads_of(x, heads):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


def attend(q, k, v, scale, bias):
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * scale
    y = np.matmul(softmax_along(scores if bias is None else scores + bias, (-1,)), v)
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


@evaluates("com.microsoft.Attention")
def attention(node, x, weights, bias=None, mask=None, past=None, extra=None):
    heads = node.attribute("num_heads")
    if past is not None or node.attribute("qkv_hidden_sizes") or node.attribute("do_rotary"):
        raise NotImplementedError("past, qkv_hidden_sizes and do_rotary")
    product = x @ weights + (0 if bias is None else bias)
    q, k, v = (heads_of(part, heads) for part in np.split(product, 3, -1))
    total = mask_bias(node, mask, q.shape[0], q.shape[2], k.shape[2], x.dtype)
    if node.attribute("unidirectional", 0):
        causal = np.where(np.tri(q.shape[2], k.shape[2], dtype=bool), 0, -np.inf).astype(x.dtype)
        total = causal if total is None else total + causal
    if extra is not None:
        total = extra if total is None else total + extra
    return attend(q, k, v, x.dtype.type(node.attribute("scale") or q.shape[-1] ** -0.5), total).astype(x.dtype)


def mask_bias(node, mask, batch, queries, keys, dtype):
    """An integer mask as numbers that are added to the scores."""
    if mask is None:
        return None
    low = dtype.type(node.attribute("mask_filter_value", -10000.0))
    if mask.ndim == 1:
        kept = np.arange(keys) < mask[:batch, None]
        return np.where(kept, 0, low).astype(dtype)[:, None, None]
    added = np.where(mask > 0, dtype.type(0), low).astype(dtype)
    return added[:, None, None] if mask.ndim == 2 else added[:, None] if mask.ndim == 3 else added


@evaluates("com.microsoft.EmbedLayerNormalization")
def embed_layer_normalization(node, ids, segments, words, positions, types, gamma, beta, mask=None, places=None):
    x = words[ids] + positions[np.arange(ids.shape[1])]
    skip = np.zeros_like(x) if types is None else types[segments]
    y = skip_layer_normalization(node, x, skip, gamma, beta)[0]
    return y, (np.zeros(ids.shape[0], np.int32) if mask is None else mask.sum(1, dtype=np.int32))
