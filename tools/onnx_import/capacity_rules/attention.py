# SPDX-License-Identifier: BSL-1.0
"""Attention and embeddings."""
from .registry import mask, rule, static

def keys(c, node, value, axis):
    """Attention keeps the keys below the count only."""
    if axis in value.axes:
        node.open["keys"] = value.axes[axis]


def check_scores(c, node, place, keys_of, rows_of, batch):
    """What is added to scores [batch, heads, rows, keys], or masks them, must have their open axes."""
    value = node.input(place)
    if value is None:
        return
    rank = len(value.shape)
    if node.domain:  # a number of keys for each sequence, [batch, keys], [batch, rows, keys], or all four axes
        expected = {1: (batch,), 2: (batch, keys_of), 3: (batch, rows_of, keys_of)}.get(rank, (batch, None, rows_of, keys_of))
    else:
        expected = (batch, None, rows_of, keys_of)[-rank:]
    for axis, count in enumerate(expected):
        if value.axes.get(axis) != count and (value.shape[axis] != 1 or axis in value.axes):
            c.refuse(f"{value.name} has other extents along it")
    if rank == 1 and batch is not None:
        mask(node, place, 0, 0)  # no numbers of keys that lie after the count


@rule("Attention", "com.microsoft.MultiHeadAttention")
def attention(c, node, outputs):
    q, k, v = (node.input(i) for i in range(3))
    past = (4, 5) if node.op == "Attention" else (6, 7)
    if k is None or v is None or len(q.shape) > 4 or len(k.shape) > 4 or any(node.input(i) is not None for i in past):
        c.refuse("a past, or operands that are joined")
    rows = [x.axes.get(len(x.shape) - 2) for x in (q, k, v)]
    if any(set(x.axes) - {0, len(x.shape) - 2} for x in (q, k, v)) or rows[1] != rows[2]:
        c.refuse("it is an axis of heads or columns")
    if len({x.axes.get(0) for x in (q, k, v)}) > 1:
        c.refuse("queries, keys and values have other numbers of sequences")
    for place in (3,) if node.op == "Attention" else (4, 5):
        check_scores(c, node, place, rows[1], rows[0], q.axes.get(0))
    keys(c, node, k, len(k.shape) - 2)
    present = {axis: count for axis, count in ((0, q.axes.get(0)), (2, rows[1])) if count}
    return [dict(q.axes)] + [present] * (len(outputs) - 1)


@rule("com.microsoft.Attention")
def attention_of_rows(c, node, outputs):
    x = node.inputs[0]
    static(c, node, 1, 2, 4)
    if set(x.axes) - {0, 1}:
        c.refuse("it is an axis of columns")
    if node.input(4) is not None and 0 in x.axes:
        c.refuse("the past has another number of sequences")
    for place in (3, 5):
        check_scores(c, node, place, x.axes.get(1), x.axes.get(1), x.axes.get(0))
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
    rows = dict(node.inputs[0].axes)
    return [rows, {0: rows[0]} if 0 in rows else {}, dict(rows)]
