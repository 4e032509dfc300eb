# SPDX-License-Identifier: BSL-1.0
"""Attention of com.microsoft that reads and writes a cache of keys and values, and its rotary positions."""
import numpy as np

from .attention import added_by, attend, heads_of, merged, rotate, total_of
from .registry import evaluates

UNCOVERED = {  # attributes of GroupQueryAttention with the value that they must have
    "smooth_softmax": 0, "qk_output": 0, "sliding_window_cache": 0, "k_quant_type": "NONE", "v_quant_type": "NONE"}


def rms_rows(x, scale, epsilon):
    wide = x.astype(np.float64)
    return (wide / np.sqrt((wide**2).mean(-1, keepdims=True) + epsilon) * scale).astype(x.dtype)


def split_packed(q, counts):
    """Queries, keys and values that lie after each other in each row: `counts` are their heads."""
    width = q.shape[-1] // sum(counts)
    return np.split(q, np.cumsum([n * width for n in counts[:2]]), -1)


def present_of(past, new, before, length):
    """A cache [batch, heads, length, width] with new rows after the first `before` of each entry of the batch.

    A past of this length keeps the entries behind the new rows, as one buffer for both does. Others are zero."""
    batch, heads, rows, width = new.shape
    present = np.zeros((batch, heads, length, width), new.dtype)
    for b in range(batch):
        first = int(before[b])
        if past is not None:
            kept = length if past.shape[2] == length else first
            present[b, :, :kept] = past[b, :, :kept]
        present[b, :, first:first + rows] = new[b]
    return present


@evaluates("com.microsoft.GroupQueryAttention")
def group_query_attention(node, q, k=None, v=None, past_key=None, past_value=None, lengths=None, total=None, cosines=None,
                          sines=None, places=None, bias=None, *rest):
    for name, usual in UNCOVERED.items():
        if node.attribute(name, usual) not in (usual, -1):
            raise NotImplementedError(name)
    sink, key_scale, value_scale, query_norm, key_norm = rest + (None,) * (5 - len(rest))
    if any(x is not None for x in (sink, key_scale, value_scale)):
        raise NotImplementedError("head_sink and caches of integers")
    counts = [node.attribute("num_heads"), node.attribute("kv_num_heads"), node.attribute("kv_num_heads")]
    if k is None:
        q, k, v = split_packed(q, counts)
    q, k, v = (heads_of(x, n) for x, n in zip((q, k, v), counts))
    rows, total = q.shape[2], int(np.reshape(total, ()))
    prompt = rows == total
    before = np.zeros(q.shape[0], np.int64) if prompt else lengths.reshape(-1).astype(np.int64) + 1 - rows
    if (before < 0).any():
        raise ValueError(f"its lengths, operand 5, must be at least {rows - 1}: give samples of them with --input")
    if query_norm is not None:
        epsilon = node.attribute("qk_norm_epsilon", 1e-6)
        q, k = rms_rows(q, query_norm, epsilon), rms_rows(k, key_norm, epsilon)
    if node.attribute("do_rotary", 0):
        if places is None or prompt:
            first = before if places is None else np.full(q.shape[0], places.reshape(-1)[0])
            places = first[:, None] + np.arange(rows)
        q, k = (rotate(x, cosines[places], sines[places], node.attribute("rotary_interleaved", 0)) for x in (q, k))
    length = max(0 if past_key is None else past_key.shape[2], total)
    k, v = (present_of(past, x, before, length) for past, x in ((past_key, k), (past_value, v)))
    query, key = before[:, None, None] + np.arange(rows)[:, None], np.arange(length)
    kept = key <= query
    if not node.attribute("causal", 1):
        kept = np.broadcast_to(key <= lengths.reshape(-1, 1, 1), kept.shape)
    window = node.attribute("local_window_size", -1)
    if window > 0:
        kept = kept & (key > query - window)
    if bias is not None:
        bias = np.pad(bias, [(0, 0)] * 3 + [(0, length - bias.shape[3])])
    scale = node.attribute("scale") or q.shape[-1] ** -0.5
    added = total_of(bias, added_by(kept[:, None], q.dtype))
    return merged(attend(q, k, v, scale, added, node.attribute("softcap", 0.0))), k, v


@evaluates("com.microsoft.RotaryEmbedding")
def rotary_embedding(node, x, places, cosines, sines):
    if node.attribute("is_packed_batching", 0) or node.attribute("scale", 1.0) != 1:
        raise NotImplementedError("is_packed_batching and scale")
    count = node.attribute("num_heads", 0) or x.shape[-1] // (2 * cosines.shape[-1])
    heads = heads_of(x, count)
    if places.size == 1:
        places = np.broadcast_to(places.reshape(1, 1) + np.arange(heads.shape[2]), (heads.shape[0], heads.shape[2]))
    y = rotate(heads, cosines[places], sines[places], node.attribute("interleaved", 0))
    return merged(y) if x.ndim == 3 else y
