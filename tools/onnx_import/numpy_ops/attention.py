# SPDX-License-Identifier: BSL-1.0
"""Attention, rotary positions, products with weights of few bits, and the look-ups of com.microsoft."""
import numpy as np

from .reductions import skip_layer_normalization, softmax_along
from .registry import evaluates


def heads_of(x, heads):
    """[batch, rows, heads * width] as [batch, heads, rows, width]; of four axes as it is."""
    return x if x.ndim == 4 else x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


def merged(y):
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


def attend(q, k, v, scale, added=None, softcap=0):
    """softmax(q k^T scale + added) v over [batch, heads, rows, width]; heads of k and v may be fewer."""
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * q.dtype.type(scale)
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    scores = scores if added is None else scores + added
    return np.matmul(softmax_along(scores, (-1,)), v).astype(v.dtype)


def added_by(mask, dtype):
    """What a mask adds to scores: bools keep where they are true, numbers are added."""
    return np.where(mask, 0, -np.inf).astype(dtype) if mask.dtype == bool else mask


def causal(queries, keys, dtype):
    return added_by(np.tri(queries, keys, dtype=bool), dtype)


def total_of(*parts):
    given = [part for part in parts if part is not None]
    return sum(given[1:], given[0]) if given else None


@evaluates("Attention")
def onnx_attention(node, q, k, v, mask=None, past_key=None, past_value=None, *rest):
    if any(x is not None for x in rest):
        raise NotImplementedError("lengths of keys")
    three = q.ndim == 3
    q, k, v = heads_of(q, node.attribute("q_num_heads")), *(heads_of(x, node.attribute("kv_num_heads")) for x in (k, v))
    if past_key is not None:
        k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    parts = [None if mask is None else added_by(mask, q.dtype),
             causal(q.shape[2], k.shape[2], q.dtype) if node.attribute("is_causal", 0) else None]
    y = attend(q, k, v, node.attribute("scale") or q.shape[-1] ** -0.5, total_of(*parts), node.attribute("softcap", 0))
    return merged(y) if three else y, k, v


@evaluates("com.microsoft.Attention")
def attention(node, x, weights, bias=None, mask=None, past=None, extra=None, *rest):
    if node.attribute("do_rotary") or node.attribute("past_present_share_buffer") or any(x is not None for x in rest):
        raise NotImplementedError("do_rotary and past_present_share_buffer")
    product = node.multiply(x, weights) + (0 if bias is None else bias)
    sizes = node.attribute("qkv_hidden_sizes") or [product.shape[-1] // 3] * 3
    past = (None, None) if past is None else past
    y, k, v = attend_rows(node, np.split(product, np.cumsum(sizes)[:2], -1), mask, extra, past)
    return (y, np.stack([k, v])) if k.shape == v.shape else y


def split_joined(q, k, v, *_):
    """Queries, keys and values where the operands join them as an axis [batch, rows, heads, parts, width]."""
    if q.ndim == 5:
        q, k, v = (q[:, :, :, i].reshape(*q.shape[:2], -1) for i in range(3))
    elif k.ndim == 5:
        k, v = (k[:, :, :, i].reshape(*k.shape[:2], -1) for i in range(2))
    return q, k, v


@evaluates("com.microsoft.MultiHeadAttention")
def multi_head_attention(node, q, k=None, v=None, bias=None, mask=None, extra=None, past_key=None, past_value=None, *rest):
    if any(x is not None for x in rest):
        raise NotImplementedError("a past that shares its buffer with the present")
    q, k, v = split_joined(q, k, v)
    if bias is not None:
        width = q.shape[-1]
        q = q + bias[:width]
        k, v = (x + part if x.ndim == 3 else x for x, part in zip((k, v), np.split(bias[width:], [width])))
    return attend_rows(node, (q, k, v), mask, extra, (past_key, past_value))


def attend_rows(node, parts, mask, extra, past=(None, None)):
    """Attention of rows [batch, rows, heads * width] by the attributes of com.microsoft; with all keys and values."""
    q, k, v = (heads_of(x, node.attribute("num_heads")) for x in parts)
    k, v = (x if old is None else np.concatenate([old, x], 2) for x, old in zip((k, v), past))
    band = np.tri(q.shape[2], k.shape[2], k.shape[2] - q.shape[2], dtype=bool)
    added = [mask_bias(node, mask, q.shape[0], k.shape[2], q.dtype),
             added_by(band, q.dtype) if node.attribute("unidirectional", 0) else None, extra]
    return merged(attend(q, k, v, node.attribute("scale") or q.shape[-1] ** -0.5, total_of(*added))), k, v


def mask_bias(node, mask, batch, keys, dtype):
    """An integer mask as numbers that are added to the scores."""
    if mask is None:
        return None
    low = dtype.type(node.attribute("mask_filter_value", -10000.0))
    if mask.ndim == 1:
        kept = np.arange(keys) < mask[:batch, None]
        return np.where(kept, 0, low).astype(dtype)[:, None, None]
    added = np.where(mask > 0, dtype.type(0), low).astype(dtype)
    return added[:, None, None] if mask.ndim == 2 else added[:, None] if mask.ndim == 3 else added


def rotate(x, cosines, sines, interleaved):
    """Rotates the first entries of rows [batch, heads, rows, width]; cosines and sines are [batch, rows, pairs]."""
    cosines, sines, pairs = cosines[:, None], sines[:, None], cosines.shape[-1]
    if interleaved:
        a, b = x[..., :2 * pairs:2], x[..., 1:2 * pairs:2]
        y = np.stack([a * cosines - b * sines, a * sines + b * cosines], -1).reshape(*x.shape[:-1], 2 * pairs)
    else:
        a, b = x[..., :pairs], x[..., pairs:2 * pairs]
        y = np.concatenate([a * cosines - b * sines, a * sines + b * cosines], -1)
    return np.concatenate([y, x[..., 2 * pairs:]], -1).astype(x.dtype)


@evaluates("RotaryEmbedding")
def rotary_embedding(node, x, cosines, sines, places=None):
    if places is not None:
        cosines, sines = cosines[places], sines[places]
    y = rotate(heads_of(x, node.attribute("num_heads")), cosines, sines, node.attribute("interleaved", 0))
    return merged(y) if x.ndim == 3 else y


def dequantized_blocks(node, packed, scales, zeros=None):
    """The matrix [N, K] of weights in blocks of few bits, low ones first."""
    rows, depth, bits, block = (node.attribute(name) for name in ("N", "K", "bits", "block_size"))
    if bits not in (None, 4, 8):
        raise NotImplementedError(f"weights of {bits} bits")

    def unpacked(x):
        x = x.reshape(rows, -1)
        return x if bits == 8 else np.stack([x & 15, x >> 4], -1).reshape(rows, -1)

    numbers, blocks = unpacked(packed), -(-depth // block)
    scales = scales.reshape(rows, blocks)
    if zeros is None:
        zeros = np.full((rows, blocks), 128 if bits == 8 else 8, scales.dtype)
    elif zeros.dtype == np.uint8:
        zeros = unpacked(zeros)[:, :blocks]
    else:
        zeros = zeros.reshape(rows, blocks)
    numbers = numbers.reshape(rows, blocks, block).astype(np.float64) - zeros[..., None]
    return (numbers * scales[..., None]).reshape(rows, -1)[:, :depth].astype(scales.dtype)


@evaluates("com.microsoft.MatMulNBits")
def matmul_n_bits(node, x, packed, scales, zeros=None, order=None, bias=None):
    if order is not None:
        raise NotImplementedError("g_idx")
    matrix = dequantized_blocks(node, packed, scales, zeros).T
    y = (node.multiply(x, matrix) if node.product else x.astype(np.float64) @ matrix).astype(x.dtype)
    return y if bias is None else y + bias


@evaluates("com.microsoft.EmbedLayerNormalization")
def embed_layer_normalization(node, ids, segments, words, positions, types, gamma, beta, mask=None, places=None):
    x = words[ids] + positions[np.arange(ids.shape[1]) if places is None else places]
    x = x if segments is None else x + types[segments]
    y = skip_layer_normalization(node, x, np.zeros_like(x), gamma, beta)[0]
    return y, (np.zeros(ids.shape[0], np.int32) if mask is None else (mask == 1).sum(1, dtype=np.int32)), x
