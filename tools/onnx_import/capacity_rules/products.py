# SPDX-License-Identifier: BSL-1.0
"""Products of matrices."""
from .registry import Operand, broadcast, mask, rule, static

def product_axes(c, node, a, b, left, right):
    """Open axes of a product; `left` and `right` are pairs of the axes of rows and of sums, from the end."""
    rank_a, rank_b = len(a.shape), len(b.shape)
    if rank_a < 2 or rank_b < 2:
        c.refuse("a product of a vector")
    sums = rank_a + left[1], rank_b + right[1]
    counts = a.axes.get(sums[0]), b.axes.get(sums[1])
    if counts[0] != counts[1]:
        c.refuse(f"the sums of the product have {a.shape[sums[0]]} terms, of which its operands have different counts")
    if counts[0] is not None:
        mask(node, 0, sums[0], 0)
        mask(node, 1, sums[1], 0)

    rank = max(rank_a, rank_b)
    batches = [Operand(v.name, v.shape[:-2], {i: n for i, n in v.axes.items() if i < len(v.shape) - 2}) for v in (a, b)]
    axes = broadcast(c, batches, rank - 2)
    for place, value, axis in ((rank - 2, a, rank_a + left[0]), (rank - 1, b, rank_b + right[0])):
        if axis in value.axes:
            axes[place] = value.axes[axis]
    return axes


@rule("MatMul", "MatMulInteger", "com.microsoft.MatMulIntegerToFloat", "com.microsoft.DynamicQuantizeMatMul",
      by_rows=True)
def matmul(c, node, outputs):
    static(c, node, *range(2, len(node.inputs)))
    a, b = node.inputs[:2]
    axes = product_axes(c, node, a, b, (-2, -1), (-1, -2))
    if node.title != "MatMul" and node.open:
        c.refuse("the sums of a product of integers go along it")
    if node.op == "DynamicQuantizeMatMul":
        for axis in a.axes:
            mask(node, 0, axis, 0)
    return axes


@rule("Gemm", "com.microsoft.FusedMatMul", "com.microsoft.FusedGemm", by_rows=True)
def gemm(c, node, outputs):
    turned = [node.attribute("transA", 0), node.attribute("transB", 0)]
    axes = product_axes(c, node, *node.inputs[:2], (-1, -2) if turned[0] else (-2, -1), (-2, -1) if turned[1] else (-1, -2))
    if node.input(2) is not None:
        broadcast(c, [Operand(node.name, outputs[0].shape, axes), node.inputs[2]], len(outputs[0].shape))
    return axes


@rule("com.microsoft.MatMulNBits", by_rows=True)
def few_bits(c, node, outputs):
    x = node.inputs[0]
    if len(x.shape) - 1 in x.axes:
        c.refuse("the sums of the product go along it")
    return x.axes


@rule("Einsum")
def einsum(c, node, outputs):
    terms, arrow, result = node.attribute("equation").replace(" ", "").partition("->")
    terms = terms.split(",")
    if "." in "".join(terms) or not arrow:
        c.refuse("an equation with dots or without a result")
    counts = {}
    for place, (term, v) in enumerate(zip(terms, node.inputs)):
        for axis, letter in enumerate(term):
            counts.setdefault(letter, set()).add(v.axes.get(axis))
            if axis in v.axes and letter not in result:
                mask(node, place, axis, 0)
    if any(len(found) > 1 for found in counts.values()):
        c.refuse("operands have different extents")
    return {i: n for i, letter in enumerate(result) for n in counts[letter] if n is not None}
