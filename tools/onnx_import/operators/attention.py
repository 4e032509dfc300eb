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


def masks_of(*masks):
    """One option of several masks."""
    given = [mask for mask in masks if mask]
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
    y = attended(s, q, k, v, options + masks_of(mask, "causal" if causal else ""))
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


def microsoft_attention(s, parts, shapes, mask, extra):
    count = s.attribute("num_heads")
    (q, q_shape), (k, _), (v, v_shape) = (heads(s, text, shape, count) for text, shape in zip(parts, shapes))
    options = [f"bias({s.memory(extra)})"] if s.has(extra) else []
    causal = "causal" if s.attribute("unidirectional", 0) else ""
    return [merged(s, attended(s, q, k, v, options + masks_of(integer_mask(s, mask), causal)), (*q_shape[:3], v_shape[3]))]


@translates("com.microsoft.Attention", uses="`attention`, `matmul`", heavy=True)
def of_one_matrix(s):
    batch, rows, _ = s.shapes[0]
    width = s.shapes[1][1] // 3
    product = f"matmul({s.x()}, {s.translation.packed(s.node, s.node.inputs[1], False) or s.x(1)})"
    product += f" + {s.x(2)}" if s.has(2) else ""
    all_parts = s.buffer("projections", product, s.dtype, (batch, rows, 3 * width))
    parts = [f"slice<2, {i * width}, {(i + 1) * width}>({all_parts})" for i in range(3)]
    return microsoft_attention(s, parts, [(batch, rows, width)] * 3, 3, 5)


@translates("com.microsoft.MultiHeadAttention", uses="`attention`", heavy=True)
def multi_head(s):
    parts, at = [], 0
    for i, name in enumerate(("query", "key", "value")):
        width = s.shapes[i][2]
        if s.has(3):
            parts.append(s.buffer(name, f"{s.x(i)} + slice<0, {at}, {at + width}>({s.x(3)})", s.dtype, s.shapes[i]))
        else:
            parts.append(s.memory(i))
        at += width
    return microsoft_attention(s, parts, s.shapes[:3], 4, 5)


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
