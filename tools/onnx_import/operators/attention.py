# SPDX-License-Identifier: BSL-1.0
"""Attention, rotary positions, and products with weights of few bits."""
import numpy as np

from ..errors import Uncovered
from ..numpy_ops.attention import dequantized_blocks
from .registry import translates


def heads(s, text, shape, count):
    """[batch, rows, heads * width] as [batch, heads, rows, width]; of four axes as it is. Returns the text and the shape."""
    if len(shape) == 4:
        return text, shape
    batch, rows, width = shape
    split = (batch, rows, count, width // count)
    return f"permute<0, 2, 1, 3>({s.reshape(split, text)})", (batch, count, rows, width // count)


def merged(s, text, shape):
    """[batch, heads, rows, width] as [batch, rows, heads * width]."""
    batch, count, rows, width = shape
    return s.reshape((batch, rows, count * width), f"permute<0, 2, 1, 3>({text})")


def attended(s, q, k, v, options):
    scale = s.attribute("scale")
    if scale:
        options = [f"scale({s.literal(scale)})"] + options
    return f"attention({', '.join([q, k, v] + options)})"


def masks_of(s, *masks):
    """One option of several masks, with that of keys whose number is known when the program runs."""
    given = [mask for mask in (*masks, s.open_keys()) if mask]
    return [" && ".join(given)] if given else []


def mask_option(s, place):
    """The options for a mask: bools keep, numbers are added, and minus infinity excludes."""
    if s.node.inputs[place].dtype.kind == "b":
        return [], f"keep({s.x(place)})"
    mask = s.memory(place)
    return [f"bias({mask})"], f"keep_finite({mask})"


@translates("Attention", uses="`attention`", heavy=True)
def attention(s):
    options, mask = mask_option(s, 3) if s.has(3) else ([], "")
    past, causal, softcap = s.has(4), s.attribute("is_causal", 0), s.attribute("softcap", 0.0)
    if causal and past:
        raise Uncovered("is_causal with past keys")
    if softcap and s.has(3):
        raise Uncovered("softcap with a mask")
    counts = [s.attribute("q_num_heads"), s.attribute("kv_num_heads"), s.attribute("kv_num_heads")]
    (q, q_shape), (k, k_shape), (v, v_shape) = (heads(s, s.memory(i), s.shapes[i], counts[i]) for i in range(3))
    if past:
        k, v = (s.buffer(name, f"concat<2>({s.x(place)}, {text})", s.dtype, (*shape[:2], shape[2] + s.shapes[place][2], shape[3]))
                for name, place, text, shape in (("keys", 4, k, k_shape), ("values", 5, v, v_shape)))
    if softcap:
        options.append(f"softcap({s.literal(softcap)})")
    y = attended(s, q, k, v, options + masks_of(s, mask, "causal" if causal else ""))
    y = merged(s, y, (*q_shape[:3], v_shape[3])) if s.rank == 3 else y
    return [y, k, v]


def integer_mask(s, place):
    """The mask of com.microsoft's operators: 0 excludes a key, or one number of keys for each entry of the batch."""
    if not s.has(place):
        return ""
    shape = s.shapes[place]
    if len(shape) == 1:
        if shape[0] != s.shapes[0][0]:
            raise Uncovered("masks of first and last keys")
        return f"keys_below({s.memory(place)})"
    kept = f"{s.x(place)} > 0"
    if len(shape) == 2:
        return f"keep({s.buffer('kept', s.reshape((shape[0], 1, 1, shape[1]), kept), bool, (shape[0], 1, 1, shape[1]))})"
    if len(shape) == 3:
        return f"keep({s.buffer('kept', s.reshape((shape[0], 1, *shape[1:]), kept), bool, (shape[0], 1, *shape[1:]))})"
    return f"keep({s.buffer('kept', kept, bool, shape)})"


def behind(s, name, past, text, shape):
    """Keys or values after those of the past, in memory. `past` is a pair of text and extent."""
    length = past[1] + shape[2]
    return s.buffer(name, f"concat<2>({past[0]}, {text})", s.dtype, (*shape[:2], length, shape[3])), length


def microsoft_attention(s, parts, shapes, mask, extra, past=None):
    """The result, keys and values. `past` has a pair of text and extent for the keys, and one for the values."""
    count = s.attribute("num_heads")
    (q, q_shape), (k, k_shape), (v, v_shape) = (heads(s, text, shape, count) for text, shape in zip(parts, shapes))
    if past:
        k, length = behind(s, "keys", past[0], k, k_shape)
        v, _ = behind(s, "values", past[1], v, v_shape)
    else:
        length = k_shape[2]
    options = [f"bias({s.memory(extra)})"] if s.has(extra) else []
    offset = length - q_shape[2]
    causal = "" if not s.attribute("unidirectional", 0) else f"causal_at<{offset}>()" if offset else "causal"
    y = attended(s, q, k, v, options + masks_of(s, integer_mask(s, mask), causal))
    return [merged(s, y, (*q_shape[:3], v_shape[3])), k, v]


def of_projections(s, projections, sizes, mask, extra, past):
    """Attention of the parts of [batch, rows, sum of sizes] in memory; `past` is the place of [2, batch, heads, rows, width]."""
    batch, rows, _ = s.shapes[0]
    ends = [0, sizes[0], sizes[0] + sizes[1], sum(sizes)]
    parts = [f"slice<2, {first}, {last}>({projections})" for first, last in zip(ends, ends[1:])]
    old = None
    if s.has(past):
        shape = s.shapes[past]
        old = [(s.reshape(shape[1:], f"slice<0, {i}, {i + 1}>({s.memory(past)})"), shape[3]) for i in range(2)]
    y, k, v = microsoft_attention(s, parts, [(batch, rows, n) for n in sizes], mask, extra, old)
    present = s.node.outputs[1] if len(s.node.outputs) > 1 else None
    return [y, None if present is None else f"stack<0>({k}, {v})"]


@translates("com.microsoft.Attention", uses="`attention`, `matmul`", heavy=True)
def of_one_matrix(s):
    batch, rows, _ = s.shapes[0]
    width = s.shapes[1][1]
    product = f"matmul({s.x()}, {s.translation.packed(s.node, s.node.inputs[1], False) or s.x(1)})"
    product += f" + {s.x(2)}" if s.has(2) else ""
    projections = s.buffer("projections", product, s.dtype, (batch, rows, width))
    return of_projections(s, projections, s.attribute("qkv_hidden_sizes") or [width // 3] * 3, 3, 5, 4)


def joined_parts(s):
    """Texts and shapes of queries, keys and values, which may be an axis [batch, rows, heads, parts, width] of one operand."""
    first = s.shapes[0]
    if len(first) == 5:
        places = [(0, i) for i in range(3)]
    elif len(s.shapes[1]) == 5:
        places = [(0, None), (1, 0), (1, 1)]
    else:
        places = [(i, None) for i in range(3)]
    parts = []
    for place, part in places:
        shape, text = s.shapes[place], s.memory(place)
        if part is not None:
            shape = (shape[0], shape[1], shape[2] * shape[4])
            text = s.reshape(shape, f"slice<3, {part}, {part + 1}>({text})")
        parts.append((text, shape))
    return parts


@translates("com.microsoft.MultiHeadAttention", uses="`attention`", heavy=True)
def multi_head(s):
    parts, at = [], 0
    for name, (text, shape) in zip(("query", "key", "value"), joined_parts(s)):
        if s.has(3) and len(shape) == 3:
            text = s.buffer(name, f"{text} + slice<0, {at}, {at + shape[2]}>({s.x(3)})", s.dtype, shape)
            at += shape[2]
        parts.append((text, shape))
    past = [(s.memory(i), s.shapes[i][2]) for i in (6, 7)] if s.has(6) else None
    return microsoft_attention(s, [text for text, _ in parts], [shape for _, shape in parts], 4, 5, past)


@translates("RotaryEmbedding", uses="`nn::rotate`, `take`", heavy=True)
def rotary_embedding(s):
    x, shape = heads(s, s.memory(), s.shapes[0], s.attribute("num_heads"))
    tables = []
    for place in (1, 2):
        text = s.x(place) if not s.has(3) else f"take<0>({s.x(place)}, {s.memory(3)})"
        tables.append(s.reshape((shape[0], 1, shape[2], s.shapes[place][-1]), text))
    order = "interleaved" if s.attribute("interleaved", 0) else "halves"
    y = f"nn::rotate<nn::pair_order::{order}>({x}, {tables[0]}, {tables[1]})"
    return merged(s, y, shape) if s.rank == 3 else y


@translates("com.microsoft.MatMulNBits", uses="`matmul` with weights as floats", heavy=True)
def few_bits(s):
    values = [s.node.input(place) for place in (1, 2, 3)]
    if any(value is not None and not value.constant for value in values):
        raise Uncovered("weights that are no constants")
    matrix = dequantized_blocks(s.node, *(None if value is None else value.array for value in values))
    name = s.translation.matrix(s.node, values[0].name, np.ascontiguousarray(matrix, s.dtype), True)
    product = f"matmul({s.x()}, {name})"
    return f"{product} + {s.x(5)}" if s.has(5) else product
