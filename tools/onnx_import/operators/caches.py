# SPDX-License-Identifier: BSL-1.0
"""Attention of com.microsoft that reads and writes a cache of keys and values, and its rotary positions."""
import numpy as np

from ..errors import Uncovered
from .attention import attended, heads, masks_of, merged
from .registry import translates

LENGTHS, TOTAL = 5, 6  # places of operands: the last position of each entry of the batch, and the greatest length


class Rows:
    """Where the new rows of a cache begin: `fixed`, or the integers in memory `text`, one an entry of the batch."""

    def __init__(self, s, batch, rows):
        self.s, self.batch, self.rows = s, batch, rows
        total = int(s.node.constant(TOTAL, "the total length").reshape(()))
        self.fixed, self.text = None, None
        lengths = s.node.inputs[LENGTHS]
        if rows == total:
            self.fixed = 0
        elif lengths.constant and len(set(lengths.array.reshape(-1))) == 1:
            self.fixed = int(lengths.array.reshape(-1)[0]) + 1 - rows
        else:
            self.text = s.buffer("before", f"{self.lengths()} + {1 - rows}", np.int32, (batch,))

    def lengths(self):
        return self.s.reshape((self.batch,), self.s.memory(LENGTHS), self.s.shapes[LENGTHS])

    def moved(self, distance, name):
        """Argument of causal_at: these rows and a distance. Returns template arguments and arguments."""
        if self.fixed is not None:
            return f"causal_at<{self.fixed + distance}>()"
        if not distance:
            return f"causal_at({self.text})"
        return f"causal_at({self.s.buffer(name, f'{self.text} + {distance}', np.int32, (self.batch,))})"

    def positions(self, offset=None):
        """The positions of the rows, [batch, rows], in memory."""
        first = self.s.reshape((self.batch, 1), self.text) if offset is None else offset
        return self.s.buffer("positions", f"{first} + iota<std::int32_t, {self.rows}>()", np.int32, (self.batch, self.rows))

    def present(self, name, place, text, shape, length):
        """A cache of `length` rows: those of the past, then the new ones. A past as long keeps what is after them."""
        s, before = self.s, self.s.shapes[place][2] if self.s.has(place) else 0
        if self.fixed is None:
            return self.gathered(name, place, text, shape, length)
        behind = self.fixed + self.rows
        parts = [f"slice<2, 0, {self.fixed}>({s.memory(place)})"] if self.fixed else []
        parts.append(text)
        if before == length and behind < length:
            parts.append(f"slice<2, {behind}, {length}>({s.memory(place)})")
        text = f"concat<2>({', '.join(parts)})" if len(parts) > 1 else text
        if before != length and behind < length:
            text = f"pad<2, 0, {length - behind}>({text})"
        return s.buffer(name, text, s.dtype, (*shape[:2], length, shape[3]))

    def gathered(self, name, place, text, shape, length):
        """The same where the rows begin elsewhere in each entry of the batch."""
        s, (batch, count, _, width) = self.s, shape
        if not s.has(place):
            raise Uncovered("lengths that differ without a past")
        before = s.shapes[place][2]
        both = s.buffer(f"both_{name}", f"concat<2>({s.memory(place)}, {text})", s.dtype,
                        (batch, count, before + self.rows, width))
        first, key = s.reshape((batch, 1, 1), self.text), f"iota<std::int32_t, {length}>()"
        offsets = np.arange(batch * count, dtype=np.int32).reshape(batch, count, 1) * (before + self.rows)
        old = f"min({key}, {before - 1})"
        chosen = f"where({key} < {first}, {old}, where({key} < {first} + {self.rows}, {key} - {first} + {before}, {old}))"
        places = s.buffer(f"places_{name}", f"{chosen} + {s.constant(f'offsets_{name}', offsets)}", np.int32,
                          (batch, count, length))
        rows = f"take<0>({s.reshape((batch * count * (before + self.rows), width), both)}, {places})"
        if before != length:
            end = s.reshape((batch, 1, 1, 1), self.text)
            rows = f"where({s.reshape((length, 1), key)} < {end} + {self.rows}, {rows}, {s.literal(0)})"
        return s.buffer(name, rows, s.dtype, (batch, count, length, width))


def rotated(s, text, tables, interleaved):
    order = "interleaved" if interleaved else "halves"
    return f"nn::rotate<nn::pair_order::{order}>({text}, {tables[0]}, {tables[1]})"


def tables_of(s, rows, places, ids):
    """The rows of the cosines and sines for the new rows, [batch or 1, 1, rows, pairs]."""
    tables = []
    positions = None
    if s.has(ids):
        prompt = rows.fixed == 0 and rows.rows == int(s.node.inputs[TOTAL].array.reshape(()))
        flat = s.reshape([rows.batch * rows.rows], s.memory(ids), s.shapes[ids])
        first = f"cast<std::int32_t>(slice<0, 0, 1>({flat}))"
        positions = rows.positions(s.reshape((1, 1), first)) if prompt else s.memory(ids)
    elif rows.fixed is None:
        positions = rows.positions()
    for place in places:
        pairs = s.shapes[place][-1]
        if positions is None:
            tables.append(s.reshape((1, 1, rows.rows, pairs), f"slice<0, {rows.fixed}, {rows.fixed + rows.rows}>({s.x(place)})"))
        else:
            tables.append(s.reshape((rows.batch, 1, rows.rows, pairs), f"take<0>({s.x(place)}, {positions})"))
    return tables


def new_rows(s, counts):
    """Texts and shapes [batch, heads, rows, width] of the queries, keys and values of this call."""
    batch, rows, width = s.shapes[0]
    if s.has(1):
        return [heads(s, s.memory(i), s.shapes[i], counts[i]) for i in range(3)]
    each, parts, at = width // sum(counts), [], 0
    for count in counts:
        text = f"slice<2, {at}, {at + count * each}>({s.memory()})"
        parts.append(heads(s, text, (batch, rows, count * each), count))
        at += count * each
    return parts


@translates("com.microsoft.GroupQueryAttention", uses="`attention`, `causal_at`, `concat`, `take`, `nn::rotate`", heavy=True)
def group_query_attention(s):
    counts = [s.attribute("num_heads"), s.attribute("kv_num_heads"), s.attribute("kv_num_heads")]
    (q, q_shape), (k, k_shape), (v, v_shape) = new_rows(s, counts)
    batch, _, count, width = q_shape
    rows = Rows(s, batch, count)
    if s.has(14):
        epsilon = s.literal(s.attribute("qk_norm_epsilon", 1e-6))
        q, k = f"rms_norm({q}, {s.x(14)}, {epsilon})", f"rms_norm({k}, {s.x(15)}, {epsilon})"
    if s.attribute("do_rotary", 0):
        tables = tables_of(s, rows, (7, 8), 9)
        q, k = (rotated(s, text, tables, s.attribute("rotary_interleaved", 0)) for text in (q, k))
    if s.has(14) or s.attribute("do_rotary", 0):
        q, k = s.buffer("queries", q, s.dtype, q_shape), s.buffer("new_keys", k, s.dtype, k_shape)
    length = max(s.shapes[3][2] if s.has(3) else 0, int(s.node.inputs[TOTAL].array.reshape(())))
    k, v = rows.present("keys", 3, k, k_shape, length), rows.present("values", 4, v, v_shape, length)
    options = [f"softcap({s.literal(s.attribute('softcap'))})"] if s.attribute("softcap", 0.0) else []
    if s.has(10):
        beyond = length - s.shapes[10][3]
        options.append(f"bias({s.buffer('added', f'pad<3, 0, {beyond}>({s.x(10)})', s.dtype, (*s.shapes[10][:3], length))})"
                       if beyond else f"bias({s.memory(10)})")
    window = s.attribute("local_window_size", -1)
    if s.attribute("causal", 1):
        mask = rows.moved(0, "")
    else:
        mask = f"keys_below({s.buffer('ends', f'{rows.lengths()} + 1', np.int32, (batch,))})"
    options += masks_of(s, mask, f"!{rows.moved(-window, 'window')}" if window > 0 else "")
    return [merged(s, attended(s, q, k, v, options), q_shape), k, v]


@translates("com.microsoft.RotaryEmbedding", uses="`nn::rotate`, `take`", heavy=True)
def rotary_embedding(s):
    count = s.attribute("num_heads", 0) or s.shapes[0][-1] // (2 * s.shapes[2][-1])
    x, shape = heads(s, s.memory(), s.shapes[0], count)
    positions, batch = s.memory(1), shape[0]
    if int(np.prod(s.shapes[1])) == 1:
        first = f"cast<std::int32_t>({s.reshape((1, 1), positions, s.shapes[1])})"
        positions = s.buffer("positions", f"{first} + iota<std::int32_t, {shape[2]}>()", np.int32, (1, shape[2]))
        batch = 1
    tables = [s.reshape((batch, 1, shape[2], s.shapes[place][-1]), f"take<0>({s.x(place)}, {positions})") for place in (2, 3)]
    y = rotated(s, x, tables, s.attribute("interleaved", 0))
    return merged(s, y, shape) if s.rank == 3 else y


@translates("com.microsoft.EmbedLayerNormalization", uses="`take`, `layer_norm`, `sum`", heavy=True)
def embed_layer_normalization(s):
    shape = s.node.outputs[0].shape
    total = f"take<0>({s.x(2)}, {s.memory(0)})"
    total += f" + take<0>({s.x(3)}, {s.memory(8)})" if s.has(8) else f" + slice<0, 0, {shape[1]}>({s.x(3)})"
    total += f" + take<0>({s.x(4)}, {s.memory(1)})" if s.has(1) else ""
    total = s.buffer("total", total, s.dtype, shape, s.node.outputs[0])
    norm = f"layer_norm({total}, {s.x(5)}, {s.x(6)}, {s.literal(s.attribute('epsilon', 1e-12))})"
    count = f"sum<1>(cast<std::int32_t>({s.memory(7)} == 1))" if s.has(7) else f"full<std::int32_t, {shape[0]}>(0)"
    return [norm, count, total]
