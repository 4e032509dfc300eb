# SPDX-License-Identifier: BSL-1.0
"""Attention and embeddings."""
from .registry import mask, rule, static

def keys(c, node, value, axis):
    """Attention keeps the keys below the count only."""
    if axis in value.axes:
        node.open["keys"] = value.axes[axis]


def check_scores(c, value, keys_of, rows_of):
    """What is added to scores [..., rows, keys], or masks them, must have their open axes."""
    if value is None or len(value.shape) < 2:
        return
    for back, count in ((1, keys_of), (2, rows_of))[:len(value.shape) - 1]:
        place = len(value.shape) - back
        if value.axes.get(place) != count and (value.shape[place] != 1 or place in value.axes):
            c.refuse(f"{value.name} has other extents along it")


@rule("Attention", "com.microsoft.MultiHeadAttention")
def attention(c, node, outputs):
    q, k, v = (node.input(i) for i in range(3))
    past = (4, 5) if node.op == "Attention" else (6, 7)
    if k is None or v is None or len(q.shape) > 4 or len(k.shape) > 4 or any(node.input(i) is not None for i in past):
        c.refuse("a past, or operands that are joined")
    rows = [x.axes.get(len(x.shape) - 2) for x in (q, k, v)]
    if any(set(x.axes) - {len(x.shape) - 2} for x in (q, k, v)) or rows[1] != rows[2]:
        c.refuse("it is an axis of heads or columns")
    for place in (3,) if node.op == "Attention" else (4, 5):
        check_scores(c, node.input(place), rows[1], rows[0])
    keys(c, node, k, len(k.shape) - 2)
    present = {2: rows[1]} if rows[1] else {}
    return [dict(q.axes)] + [present] * (len(outputs) - 1)


@rule("com.microsoft.Attention")
def attention_of_rows(c, node, outputs):
    x = node.inputs[0]
    static(c, node, 1, 2, 4)
    if set(x.axes) - {1}:
        c.refuse("it is an axis of columns")
    for place in (3, 5):
        check_scores(c, node.input(place), x.axes.get(1), x.axes.get(1))
    keys(c, node, x, 1)
    return [dict(x.axes)] + [{}] * (len(outputs) - 1)


@rule("com.microsoft.EmbedLayerNormalization")
def embedding(c, node, outputs):
    static(c, node, 2, 3, 4, 5, 6)
    for place in (0, 1, 7, 8):
        v = node.input(place)
        for axis in v.axes if v is not None else ():
            mask(node, place, axis, 0)
    if node.input(8) is not None and node.inputs[8].axes.get(1) != node.inputs[0].axes.get(1):
        c.refuse("the positions have other extents along it")
    return [dict(node.inputs[0].axes), {}, dict(node.inputs[0].axes)]
