# SPDX-License-Identifier: BSL-1.0
"""Models of one operator of com.microsoft, each with a reference that follows the operator's definition entry by entry.

The references share nothing with tools/onnx_import: check_cases compares both."""
import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT32, INT64, UINT8, INT8 = (TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.UINT8, TensorProto.INT8)
KINDS = {"float32": FLOAT, "int32": INT32, "int64": INT64, "uint8": UINT8, "int8": INT8}


class Case:
    """An operator: `operands` are arrays, pairs ("constant", array), or None; `outputs` are shapes, dtypes or None."""

    def __init__(self, op, operands, reference, outputs=1, domain="com.microsoft", **attributes):
        self.reference, self.inputs, self.operands = reference, {}, []
        names, declared, weights = [], [], []
        for i, operand in enumerate(operands):
            constant = isinstance(operand, tuple)
            array = operand[1] if constant else operand
            self.operands.append(array)
            names.append("" if array is None else f"x{i}")
            if array is None:
                continue
            if constant:
                weights.append(numpy_helper.from_array(array, names[-1]))
            else:
                self.inputs[names[-1]] = array
                declared.append(helper.make_tensor_value_info(names[-1], KINDS[array.dtype.name], array.shape))
        self.expected = reference(*self.operands, **attributes)
        self.expected = self.expected if isinstance(self.expected, tuple) else (self.expected,)
        results = [f"y{i}" if y is not None else "" for i, y in enumerate(self.expected)]
        node = helper.make_node(op, names, results, name=op, domain=domain, **attributes)
        made = [helper.make_tensor_value_info(n, KINDS[y.dtype.name], y.shape) for n, y in zip(results, self.expected)
                if y is not None]
        graph = helper.make_graph([node], op, declared, made, weights)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
        self.model.ir_version = 8


def split_heads(x, count):
    batch, rows, width = x.shape
    y = np.zeros((batch, count, rows, width // count), x.dtype)
    for h in range(count):
        y[:, h] = x[:, :, h * (width // count):(h + 1) * (width // count)]
    return y


def turned(row, position, cosines, sines, interleaved):
    """One row of one head, rotated by the angles of a position."""
    y, pairs = row.astype(np.float64), cosines.shape[1]
    for p in range(pairs):
        i, j = (2 * p, 2 * p + 1) if interleaved else (p, p + pairs)
        c, s = float(cosines[position, p]), float(sines[position, p])
        y[i], y[j] = row[i] * c - row[j] * s, row[j] * c + row[i] * s
    return y


def attended(q, k, v, kept, scale, bias=None, softcap=0.0):
    """Attention of one head, query by query; `kept(i)` lists the keys of a query."""
    y = np.zeros((q.shape[0], v.shape[1]))
    for i in range(q.shape[0]):
        keys = kept(i)
        scores = [scale * float(np.dot(q[i].astype(np.float64), k[j].astype(np.float64))) for j in keys]
        scores = [softcap * math.tanh(x / softcap) if softcap else x for x in scores]
        scores = [x + (0 if bias is None else float(bias[i, j])) for x, j in zip(scores, keys)]
        weights = [math.exp(x - max(scores)) for x in scores]
        for w, j in zip(weights, keys):
            y[i] += w / sum(weights) * v[j]
    return y


def group_query(q, k, v, past_k, past_v, lengths, total, cosines=None, sines=None, places=None, bias=None, *norms, num_heads,
                kv_num_heads, do_rotary=0, rotary_interleaved=0, local_window_size=-1, scale=None, softcap=0.0, causal=1):
    if k is None:
        width = q.shape[2] // (num_heads + 2 * kv_num_heads)
        q, k, v = (q[:, :, a * width:b * width] for a, b in ((0, num_heads), (num_heads, num_heads + kv_num_heads),
                                                              (num_heads + kv_num_heads, num_heads + 2 * kv_num_heads)))
    batch, rows, _ = q.shape
    total = int(total.reshape(-1)[0])
    q, k, v = split_heads(q, num_heads), split_heads(k, kv_num_heads), split_heads(v, kv_num_heads)
    width = q.shape[3]
    length = max(total, 0 if past_k is None else past_k.shape[2])
    present_k, present_v = (np.zeros((batch, kv_num_heads, length, width), np.float32) for _ in range(2))
    y = np.zeros((batch, rows, num_heads * width), np.float32)
    for b in range(batch):
        before = 0 if rows == total else int(lengths.reshape(-1)[b]) + 1 - rows

        def position(s):
            if places is None:
                return before + s
            return int(places.reshape(-1)[0]) + s if rows == total else int(places[b, s])

        def prepared(row, s, norm):
            if norm is not None:
                row = row / math.sqrt(np.mean(row.astype(np.float64) ** 2) + 1e-6) * norm
            return turned(row, position(s), cosines, sines, rotary_interleaved) if do_rotary else row

        for present, past, new, norm in ((present_k, past_k, k, norms[-1] if norms else None), (present_v, past_v, v, None)):
            for g in range(kv_num_heads):
                for j in range(length):
                    if past is not None and j < past.shape[2] and (j < before or past.shape[2] == length):
                        present[b, g, j] = past[b, g, j]
                for s in range(rows):
                    row = new[b, g, s]
                    present[b, g, before + s] = prepared(row, s, norm) if present is present_k else row
        for h in range(num_heads):
            g = h // (num_heads // kv_num_heads)
            queries = np.stack([prepared(q[b, h, s], s, norms[-2] if norms else None) for s in range(rows)])
            added = None if bias is None else bias[b % bias.shape[0], h % bias.shape[1]]

            def kept(i):
                if not causal:
                    return list(range(int(lengths.reshape(-1)[b]) + 1))
                first = 0 if local_window_size < 0 else max(0, before + i + 1 - local_window_size)
                return list(range(first, before + i + 1))

            y[b, :, h * width:(h + 1) * width] = attended(queries, present_k[b, g], present_v[b, g], kept,
                                                          scale or 1 / math.sqrt(width), added, softcap)
    return y, present_k, present_v


def rotary(x, places, cosines, sines, interleaved=0, num_heads=0, rotary_embedding_dim=0):
    count = num_heads or x.shape[-1] // (2 * cosines.shape[1])
    heads = split_heads(x, count) if x.ndim == 3 else x
    y = np.zeros(heads.shape, np.float32)
    for b in range(heads.shape[0]):
        for h in range(heads.shape[1]):
            for s in range(heads.shape[2]):
                position = int(places.reshape(-1)[0]) + s if places.size == 1 else int(places[b, s])
                y[b, h, s] = turned(heads[b, h, s], position, cosines, sines, interleaved)
    if x.ndim == 4:
        return y
    return np.concatenate([y[:, h] for h in range(count)], -1)


def normed(row, gamma, beta, epsilon, centred=True):
    row = row.astype(np.float64)
    mean = row.mean() if centred else 0.0
    y = (row - mean) / math.sqrt(((row - mean) ** 2).mean() + epsilon) * gamma
    return y if beta is None else y + beta


def embedding(ids, segments, words, positions, types, gamma, beta, mask=None, places=None, epsilon=1e-12):
    batch, rows = ids.shape
    total, y = np.zeros((2, batch, rows, words.shape[1]), np.float32)
    for b in range(batch):
        for s in range(rows):
            row = words[ids[b, s]] + positions[s if places is None else places[b % places.shape[0], s]]
            total[b, s] = row if segments is None else row + types[segments[b, s]]
            y[b, s] = normed(total[b, s], gamma, beta, epsilon)
    counts = [0 if mask is None else int((mask[b] == 1).sum()) for b in range(batch)]
    return y, np.array(counts, np.int32), total


def rms(x, scale, axis, epsilon):
    y = np.zeros_like(x)
    for place in np.ndindex(x.shape[:axis]):
        y[place] = x[place] / np.sqrt((x[place].astype(np.float64)**2).mean() + epsilon) * scale
    return y


def skip_rms(x, skip, gamma, bias=None, epsilon=1e-12):
    total = x + skip + (0 if bias is None else bias)
    y = np.zeros_like(x)
    for place in np.ndindex(x.shape[:-1]):
        y[place] = normed(total[place], gamma, None, epsilon, centred=False)
    return y, None, None, total


def of_parts(q, k, v, mask, bias, scale, band):
    """Attention of heads with all keys; `band(i)` is the end of the keys of a query."""
    batch, count, rows, width = q.shape
    y = np.zeros((batch, rows, count * v.shape[3]), np.float32)
    for b in range(batch):
        for h in range(count):

            def kept(i):
                keys = range(band(i))
                if mask is None:
                    return list(keys)
                if mask.ndim == 1:
                    return [j for j in keys if j < mask[b]]
                row = mask[b] if mask.ndim == 2 else mask[b, i]
                return [j for j in keys if row[j] > 0]

            added = None if bias is None else bias[b % bias.shape[0], h % bias.shape[1]]
            y[b, :, h * v.shape[3]:(h + 1) * v.shape[3]] = attended(q[b, h], k[b, h], v[b, h], kept,
                                                                    scale or 1 / math.sqrt(width), added)
    return y


def attention(x, weights, bias, mask=None, past=None, extra=None, *, num_heads, unidirectional=0, qkv_hidden_sizes=None,
              scale=None):
    product = (x.astype(np.float64) @ weights + bias).astype(np.float32)
    sizes = qkv_hidden_sizes or [product.shape[2] // 3] * 3
    q, k, v = (split_heads(product[:, :, sum(sizes[:i]):sum(sizes[:i + 1])], num_heads) for i in range(3))
    if past is not None:
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    before = k.shape[2] - q.shape[2]
    y = of_parts(q, k, v, mask, extra, scale, lambda i: before + i + 1 if unidirectional else k.shape[2])
    return (y, None) if past is None else (y, np.stack([k, v]))


def multi_head(q, k, v, bias=None, mask=None, extra=None, past_k=None, past_v=None, *, num_heads, unidirectional=0, scale=None):
    if q.ndim == 5:
        parts = [np.concatenate([q[:, :, h, i] for h in range(num_heads)], -1) for i in range(3)]
    elif k.ndim == 5:
        parts = [q] + [np.concatenate([k[:, :, h, i] for h in range(num_heads)], -1) for i in range(2)]
    else:
        parts = [q, k, v]
    if bias is not None:
        width = parts[0].shape[2]
        parts = [x if x.ndim == 4 else x + bias[i * width:i * width + x.shape[2]] for i, x in enumerate(parts)]
    q, k, v = (x if x.ndim == 4 else split_heads(x, num_heads) for x in parts)
    if past_k is not None:
        k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    before = k.shape[2] - q.shape[2]
    y = of_parts(q, k, v, mask, extra, scale, lambda i: before + i + 1 if unidirectional else k.shape[2])
    return (y, k, v) if past_k is not None else (y,)


def attention_cases():
    """Cases with caches, rotary positions and norms, by name."""
    r = np.random.default_rng(7)

    def x(*shape):
        return (0.7 * r.standard_normal(shape)).astype(np.float32)

    def ints(*numbers, dtype=np.int32):
        return np.array(numbers, dtype)

    angles = r.uniform(-3, 3, (24, 4))
    tables = [("constant", f(angles).astype(np.float32)) for f in (np.cos, np.sin)]
    total = lambda n: ("constant", np.array(n, np.int32))  # noqa: E731
    gqa = {"num_heads": 4, "kv_num_heads": 2}
    places = np.array([[4, 9, 2], [0, 7, 8]])
    return {
        "gqa_prompt": Case("GroupQueryAttention", [x(2, 5, 32), x(2, 5, 16), x(2, 5, 16), None, None, ints(4, 4), total(5)],
                           group_query, **gqa),
        "gqa_step": Case("GroupQueryAttention", [x(2, 1, 32), x(2, 1, 16), x(2, 1, 16), x(2, 2, 6, 8), x(2, 2, 6, 8), ints(6, 3),
                                                 total(7), *tables], group_query, do_rotary=1, local_window_size=3, **gqa),
        "gqa_chunk": Case("GroupQueryAttention", [x(1, 3, 64), None, None, x(1, 2, 12, 8), x(1, 2, 12, 8), ints(7), total(8),
                                                  *tables, np.array([[5, 6, 7]]), x(1, 4, 3, 8)], group_query, do_rotary=1,
                          rotary_interleaved=1, scale=0.5, softcap=2.0, **gqa),
        "gqa_known": Case("GroupQueryAttention", [x(2, 3, 32), x(2, 3, 16), x(2, 3, 16), x(2, 2, 10, 8), x(2, 2, 10, 8),
                                                  ("constant", ints(6, 6)), total(7), *tables, None, None, None, None, None,
                                                  x(8), x(8)], group_query, do_rotary=1, local_window_size=4, **gqa),
        "gqa_shared_prompt": Case("GroupQueryAttention", [x(1, 4, 32), x(1, 4, 16), x(1, 4, 16), x(1, 2, 9, 8), x(1, 2, 9, 8),
                                                          ints(3), total(4), *tables, np.array([[2, 9, 0, 7]])], group_query,
                                  do_rotary=1, **gqa),
        "gqa_both_ways": Case("GroupQueryAttention", [x(2, 4, 32), x(2, 4, 16), x(2, 4, 16), None, None, ints(3, 1), total(4)],
                              group_query, causal=0, **gqa),
        "rotary_of_heads": Case("RotaryEmbedding", [x(2, 4, 3, 10), places, *tables], rotary, interleaved=1),
        "rotary_from": Case("RotaryEmbedding", [x(2, 3, 24), np.array([5]), *tables], rotary),
        "rotary_part": Case("RotaryEmbedding", [x(2, 3, 24), places, *tables], rotary, num_heads=2, rotary_embedding_dim=8),
        "embedding": Case("EmbedLayerNormalization", [r.integers(0, 9, (2, 5), np.int32), r.integers(0, 2, (2, 5), np.int32),
                                                      ("constant", x(9, 6)), ("constant", x(8, 6)), ("constant", x(2, 6)),
                                                      ("constant", x(6)), ("constant", x(6)),
                                                      ints([1, 1, 1, 0, 0], [1, 1, 1, 1, 1])], embedding, epsilon=1e-5),
        "embedding_alone": Case("EmbedLayerNormalization", [r.integers(0, 9, (2, 5), np.int32), None, ("constant", x(9, 6)),
                                                            ("constant", x(8, 6)), None, ("constant", x(6)), ("constant", x(6)),
                                                            None, r.integers(0, 8, (1, 5), np.int32)], embedding),
        "rms": Case("SimplifiedLayerNormalization", [x(2, 3, 8), ("constant", x(8))], rms, domain="", axis=-1, epsilon=1e-5),
        "skip_rms": Case("SkipSimplifiedLayerNormalization", [x(2, 3, 8), x(2, 3, 8), ("constant", x(8)), ("constant", x(8))],
                         skip_rms, epsilon=1e-5),
        "attention_step": Case("Attention", [x(2, 2, 12), ("constant", x(12, 48)), ("constant", x(48)),
                                             ints([1, 1, 0, 1, 1], [1, 1, 1, 1, 1]), x(2, 2, 2, 3, 8)], attention, num_heads=2,
                               unidirectional=1),
        "attention_sizes": Case("Attention", [x(2, 4, 12), ("constant", x(12, 40)), ("constant", x(40)), None, None,
                                              x(1, 2, 4, 4)], attention, num_heads=2, qkv_hidden_sizes=[16, 16, 8]),
        "multi_head_step": Case("MultiHeadAttention", [x(2, 1, 16), x(2, 1, 16), x(2, 1, 16), x(48), None, None, x(2, 2, 4, 8),
                                                       x(2, 2, 4, 8)], multi_head, num_heads=2),
        "multi_head_chunk": Case("MultiHeadAttention", [x(1, 3, 16), x(1, 3, 16), x(1, 3, 16), None, ints([1, 1, 0, 1, 1, 1, 1]),
                                                        None, x(1, 2, 4, 8), x(1, 2, 4, 8)], multi_head, num_heads=2,
                                 unidirectional=1),
        "multi_head_cross": Case("MultiHeadAttention", [x(2, 3, 16), x(2, 2, 5, 8), x(2, 2, 5, 8), x(48)], multi_head,
                                 num_heads=2),
        "multi_head_joined": Case("MultiHeadAttention", [x(2, 3, 2, 3, 8), None, None], multi_head, num_heads=2),
        "multi_head_pairs": Case("MultiHeadAttention", [x(2, 3, 16), x(2, 5, 2, 2, 8), None], multi_head, num_heads=2),
    }
