# SPDX-License-Identifier: BSL-1.0
"""How each operator treats an open axis: rule(capacity, node, outputs) returns the open axes of the results.

A rule notes in node.open what the translation must do: `masks` are triples of an operand, an axis and what entries beyond the
count become; `share` lists counts by which a mean is divided instead of the capacity."""
import numpy as np

from .operators import TABLE
from .parameters import REDUCTIONS, axis_of, reduced_axes, windows_of

RULES = {}
LOWEST, HIGHEST = "lowest", "highest"


def rule(*titles):
    def register(function):
        for title in titles:
            RULES[title] = function
        return function

    return register


def mask(node, place, axis, fill):
    node.open.setdefault("masks", []).append((place, axis, fill))


def static(c, node, *places):
    """Refuses open axes of operands that this operator does not expect to have any."""
    for place in places:
        if c.is_open(node.input(place)):
            c.refuse(f"operand {place} depends on it")


def broadcast(c, values, rank):
    """The open axes of operands that are broadcast against each other."""
    axes = {}
    for axis in range(rank):
        counts, others = set(), []
        for v in values:
            place = axis - rank + len(v.shape)
            if place in v.axes:
                counts.add(v.axes[place])
            elif place >= 0 and v.shape[place] != 1:
                others.append(v)
        if len(counts) > 1:
            c.refuse("operands have different extents")
        if counts and others:
            c.refuse(f"{others[0].name} has {c.most} entries whatever the count is")
        if counts:
            axes[axis] = counts.pop()
    return axes


@rule(*(title for title, entry in TABLE.items() if entry.translate.__module__.endswith(".elementwise")),
      "com.microsoft.BiasAdd")
def elementwise(c, node, outputs):
    values = [v for v in node.inputs if v is not None]
    if node.op in ("Div", "Mod") and values[1].dtype.kind in "iu" and not values[1].constant:
        for axis in values[1].axes:
            mask(node, 1, axis, 1)  # no division by what lies behind the count
    return broadcast(c, values, len(outputs[0].shape))


@rule("QuantizeLinear", "DequantizeLinear")
def scaled(c, node, outputs):
    static(c, node, 1, 2)
    return node.inputs[0].axes


@rule("DynamicQuantizeLinear")
def dynamic_scale(c, node, outputs):
    for axis in node.inputs[0].axes:
        mask(node, 0, axis, 0)
    return [node.inputs[0].axes, {}, {}]


FILLS = {"Sum": 0, "Mean": 0, "Max": LOWEST, "Min": HIGHEST, "Prod": 1, "L1": 0, "L2": 0, "SumSquare": 0, "LogSum": 0,
         "LogSumExp": LOWEST}


def without(axes, removed, keep):
    """Open axes behind a reduction."""
    left = {a: n for a, n in axes.items() if a not in removed}
    return left if keep else {a - sum(r < a for r in removed): n for a, n in left.items()}


@rule(*(f"Reduce{name}" for name in REDUCTIONS))
def reduction(c, node, outputs):
    x = node.inputs[0]
    axes = reduced_axes(node, len(x.shape))
    if axes is None:
        return x.axes
    for axis in axes:
        if axis in x.axes:
            mask(node, 0, axis, FILLS[node.op.removeprefix("Reduce")])
            if node.op == "ReduceMean":
                share(c, node, x, x.axes[axis])
    return without(x.axes, axes, node.attribute("keepdims", 1))


def share(c, node, x, count):
    if x.dtype.kind != "f":
        c.refuse("a mean of integers")
    node.open.setdefault("share", []).append(count)


@rule("ArgMax", "ArgMin")
def arg_extreme(c, node, outputs):
    x = node.inputs[0]
    axis = axis_of(node.attribute("axis", 0), len(x.shape))
    if axis in x.axes:
        if node.attribute("select_last_index", 0):
            c.refuse("select_last_index counts from the end")
        mask(node, 0, axis, LOWEST if node.op == "ArgMax" else HIGHEST)
    return without(x.axes, [axis], node.attribute("keepdims", 1))


@rule("Softmax", "LogSoftmax", "Hardmax")
def softmax(c, node, outputs):
    x, rank = node.inputs[0], len(node.inputs[0].shape)
    axis = axis_of(node.attribute("axis", -1 if node.opset >= 13 else 1), rank)
    if node.opset < 13 and axis != rank - 1 and any(a >= axis for a in x.axes):
        c.refuse("it is one of several axes that a row has")
    if axis in x.axes:
        mask(node, 0, axis, LOWEST)
    return x.axes


@rule("LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization")
def layer_norm(c, node, outputs):
    static(c, node, 1, 2)
    x = node.inputs[0]
    if any(a >= axis_of(node.attribute("axis", -1), len(x.shape)) for a in x.axes):
        c.refuse("the mean of a row goes along it")
    return x.axes


@rule("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_norm(c, node, outputs):
    static(c, node, 2, 3, 4)
    axes = broadcast(c, node.inputs[:2], len(outputs[0].shape))
    if len(outputs[0].shape) - 1 in axes:
        c.refuse("the mean of a row goes along it")
    return axes


@rule("BatchNormalization")
def batch_norm(c, node, outputs):
    static(c, node, 1, 2, 3, 4)
    if 1 in node.inputs[0].axes or node.attribute("training_mode", 0):
        c.refuse("it is the axis of channels")
    return node.inputs[0].axes


@rule("InstanceNormalization", "GroupNormalization", "MeanVarianceNormalization")
def norms_along(c, node, outputs):
    if set(node.inputs[0].axes) - {0}:
        c.refuse("means and variances go along it")
    return node.inputs[0].axes


def product_axes(c, node, a, b, left, right):
    """Open axes of a product; `left` and `right` are pairs of the axes of rows and of sums, from the end."""
    rank_a, rank_b = len(a.shape), len(b.shape)
    if rank_a < 2 or rank_b < 2:
        c.refuse("a product of a vector")
    sums = rank_a + left[1], rank_b + right[1]
    counts = a.axes.get(sums[0]), b.axes.get(sums[1])
    if counts[0] != counts[1]:
        c.refuse(f"the sums of the product have {c.most} terms whatever the count is")
    if counts[0] is not None:
        mask(node, 0, sums[0], 0)
        mask(node, 1, sums[1], 0)

    class Batch:
        def __init__(self, v):
            self.shape, self.name = v.shape[:-2], v.name
            self.axes = {i: n for i, n in v.axes.items() if i < len(v.shape) - 2}

    rank = max(rank_a, rank_b)
    axes = broadcast(c, [Batch(a), Batch(b)], rank - 2)
    for place, value, axis in ((rank - 2, a, rank_a + left[0]), (rank - 1, b, rank_b + right[0])):
        if axis in value.axes:
            axes[place] = value.axes[axis]
    return axes


@rule("MatMul", "MatMulInteger", "com.microsoft.MatMulIntegerToFloat", "com.microsoft.DynamicQuantizeMatMul")
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


@rule("Gemm", "com.microsoft.FusedMatMul", "com.microsoft.FusedGemm")
def gemm(c, node, outputs):
    turned = [node.attribute("transA", 0), node.attribute("transB", 0)]
    axes = product_axes(c, node, *node.inputs[:2], (-1, -2) if turned[0] else (-2, -1), (-2, -1) if turned[1] else (-1, -2))
    if node.input(2) is not None:
        rank = len(outputs[0].shape)
        product = type("Product", (), {"axes": axes, "shape": outputs[0].shape, "name": node.name})
        broadcast(c, [product, node.inputs[2]], rank)
    return axes


@rule("com.microsoft.MatMulNBits")
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


@rule("Transpose")
def transpose(c, node, outputs):
    x = node.inputs[0]
    order = node.attribute("perm") or list(range(len(x.shape)))[::-1]
    return {i: x.axes[a] for i, a in enumerate(order) if a in x.axes}


def behind(shape, axis):
    return int(np.prod(shape[axis + 1:], dtype=np.int64))


@rule("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def reshape(c, node, outputs):
    """An open axis stays one if it keeps its extent and what lies behind it."""
    x, y, axes = node.inputs[0], outputs[0], {}
    for axis, count in x.axes.items():
        same = [i for i, n in enumerate(y.shape) if n == x.shape[axis] and behind(y.shape, i) == behind(x.shape, axis)]
        if not same or x.shape[axis] == 1:
            c.refuse("it is merged with another axis, or split")
        axes[same[0]] = count
    if node.op == "Squeeze" and not node.integers(1, "axes"):
        c.refuse("Squeeze without axes drops it where it is 1")
    if node.op == "Reshape":
        check_shape_operand(c, node, x, y, axes)
    return axes


def check_shape_operand(c, node, x, y, axes):
    """The shape operand must give the same open axes at every length."""
    shape = node.input(1)
    for length in c.lengths:
        wanted = [axes[i].at(length) if i in axes else n for i, n in enumerate(y.shape)]
        if shape is None:
            given = list(node.attribute("shape"))
        else:
            given = [int(n) for n in (shape.family[length - 1] if shape.family is not None else shape.array).reshape(-1)]
        old = [x.axes[i].at(length) if i in x.axes else n for i, n in enumerate(x.shape)]
        if not node.attribute("allowzero", 0):
            given = [old[i] if n == 0 else n for i, n in enumerate(given)]
        if -1 in given:
            rest = int(np.prod([n for n in given if n != -1], dtype=np.int64))
            given[given.index(-1)] = int(np.prod(old, dtype=np.int64)) // max(rest, 1)
        if given != wanted:
            c.refuse(f"the shape operand is {given} where {c.name} is {length}; {wanted} is needed")


@rule("Expand")
def expand(c, node, outputs):
    x, shape, y = node.inputs[0], node.inputs[1], outputs[0]
    extents = []
    for length in c.lengths:
        given = [int(n) for n in (shape.family[length - 1] if shape.family is not None else shape.array).reshape(-1)]
        old = [x.axes[i].at(length) if i in x.axes else n for i, n in enumerate(x.shape)]
        given, old = ([1] * (len(y.shape) - len(s)) + s for s in (given, old))
        if any(a != b and 1 not in (a, b) for a, b in zip(given, old)):
            c.refuse(f"shapes {old} and {given} do not fit where {c.name} is {length}")
        extents.append([max(a, b) for a, b in zip(given, old)])
    return c.axes_of(extents)


@rule("ConstantOfShape")
def constant_of_shape(c, node, outputs):
    return c.axes_of([[int(n) for n in a.reshape(-1)] for a in node.inputs[0].family])


@rule("Tile")
def tile(c, node, outputs):
    static(c, node, 1)
    x = node.inputs[0]
    if any(node.inputs[1].array.reshape(-1)[a] != 1 for a in x.axes):
        c.refuse("it is repeated")
    return x.axes


@rule("Concat")
def concat(c, node, outputs):
    rank = len(outputs[0].shape)
    axis = axis_of(node.attribute("axis"), rank)
    if any(v.family is not None for v in node.inputs):
        c.refuse("the entries of an operand depend on it")
    others = []
    for v in node.inputs:
        others.append(type("Part", (), {"shape": v.shape[:axis] + (1,) + v.shape[axis + 1:], "name": v.name,
                                        "axes": {i: n for i, n in v.axes.items() if i != axis}}))
    axes = broadcast(c, others, rank)
    if any(axis in v.axes for v in node.inputs[:-1]):
        c.refuse("entries of another operand follow its last one")
    last = node.inputs[-1]
    if axis in last.axes:
        before = sum(v.shape[axis] for v in node.inputs[:-1])
        axes[axis] = c.count(before + n for n in last.axes[axis].numbers)
    return axes


@rule("Split")
def split(c, node, outputs):
    static(c, node, 1)
    x = node.inputs[0]
    if axis_of(node.attribute("axis", 0), len(x.shape)) in x.axes:
        c.refuse("it is split")
    return x.axes


def integers_at(value, attribute, length):
    if value is None:
        return attribute
    return [int(n) for n in (value.family[length - 1] if value.family is not None else value.array).reshape(-1)]


@rule("Slice")
def slice_(c, node, outputs):
    x, operands = node.inputs[0], [node.input(i) for i in range(1, 5)]
    if any(v is not None and v.axes for v in operands):
        c.refuse("the number of bounds depends on it")
    extents, last = [], None
    for length in list(c.lengths)[::-1]:
        starts, ends, axes, steps = (integers_at(v, node.attribute(name), length)
                                     for v, name in zip(operands, ("starts", "ends", "axes", "steps")))
        axes = [axis_of(a, len(x.shape)) for a in (range(len(starts)) if axes is None else axes)]
        shape = [x.axes[i].at(length) if i in x.axes else n for i, n in enumerate(x.shape)]
        begins = {}
        for first, end, axis, step in zip(starts, ends, axes, steps or [1] * len(starts)):
            places = range(*slice(first, end, step).indices(shape[axis]))
            begins[axis], shape[axis] = (places.start, step), len(places)
        last = last or begins
        moved = [a for a in begins if begins[a] != last[a] and shape[a]]
        if moved:
            c.refuse("the slice begins at a place that depends on it")
        extents.append(shape)
    for column in zip(*extents):
        if 0 in column:
            c.refuse(f"the slice is empty where {c.name} is {c.most - column.index(0)}")
    return c.axes_of(extents[::-1])


@rule("Gather")
def gather(c, node, outputs):
    x, indices = node.inputs
    axis, rank = axis_of(node.attribute("axis", 0), len(x.shape)), len(indices.shape)
    if x.family is not None or indices.family is not None:
        c.refuse("an operand depends on it")
    if axis in x.axes:
        if not indices.constant or indices.axes:
            c.refuse("indices choose entries along it")
        if not ((indices.array >= 0) & (indices.array < x.axes[axis].at(1))).all():
            c.refuse(f"entry {indices.array.reshape(-1).tolist()} does not exist for every count, or counts from the end")
    elif not indices.constant:
        for a in indices.axes:
            mask(node, 1, a, 0)  # no look-up of what lies behind the count
    axes = {axis + i: n for i, n in indices.axes.items()}
    axes.update({a if a < axis else a + rank - 1: n for a, n in x.axes.items() if a != axis})
    return axes


@rule("Trilu")
def trilu(c, node, outputs):
    static(c, node, 1)
    return node.inputs[0].axes


@rule("CumSum")
def cumsum(c, node, outputs):
    static(c, node, 1)
    x = node.inputs[0]
    axis = axis_of(int(node.inputs[1].array), len(x.shape))
    if axis in x.axes and node.attribute("reverse", 0):
        mask(node, 0, axis, 0)
    return x.axes


@rule("OneHot")
def one_hot(c, node, outputs):
    static(c, node, 1, 2)
    axis = axis_of(node.attribute("axis", -1), len(node.inputs[0].shape) + 1)
    return {a if a < axis else a + 1: n for a, n in node.inputs[0].axes.items()}


@rule("TopK")
def top_k(c, node, outputs):
    static(c, node, 1)
    x = node.inputs[0]
    if axis_of(node.attribute("axis", -1), len(x.shape)) in x.axes:
        c.refuse("it may have fewer entries than are wanted")
    return x.axes


@rule("Pad")
def pad(c, node, outputs):
    static(c, node, 1, 2, 3)
    x, rank = node.inputs[0], len(node.inputs[0].shape)
    pads = node.integers(1, "pads")
    axes = range(rank) if node.input(3) is None else [axis_of(int(a), rank) for a in node.inputs[3].array.reshape(-1)]
    result = dict(x.axes)
    for i, axis in enumerate(axes):
        before, after = pads[i], pads[i + len(axes)]
        if axis not in x.axes or (before, after) == (0, 0):
            continue
        if node.attribute("mode", "constant") != "constant" or before < 0 or after < 0:
            c.refuse("only padding by a constant is known")
        value = node.attribute("value", 0.0) if node.input(2) is None else node.inputs[2].array.reshape(-1)[0]
        mask(node, 0, axis, value)
        result[axis] = c.count(before + n + after for n in x.axes[axis].numbers)
    return result


def along_windows(c, node, kernel, fill):
    """Open axes behind windows: an axis of them grows or shrinks as its windows do."""
    x = node.inputs[0]
    if 1 in x.axes:
        c.refuse("it is the axis of channels")
    windows = windows_of(node, x.shape[2:], kernel)
    result = {a: n for a, n in x.axes.items() if a == 0}
    for i, w in enumerate(windows):
        count = x.axes.get(i + 2)
        if count is None:
            continue
        if node.attribute("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER") and w.stride > 1 or node.attribute("ceil_mode", 0):
            c.refuse("the padding depends on it")
        if w.behind > 0:
            mask(node, 0, i + 2, fill)
        result[i + 2] = c.count((n + w.before + w.behind - w.reach) // w.stride + 1 if n + w.before + w.behind >= w.reach else 0
                                for n in count.numbers)
    return result


@rule("Conv", "com.microsoft.FusedConv")
def convolution(c, node, outputs):
    static(c, node, 1, 2)
    axes = along_windows(c, node, node.inputs[1].shape[2:], 0)
    if node.input(3) is not None:
        broadcast(c, [type("Sum", (), {"axes": axes, "shape": outputs[0].shape, "name": ""}), node.inputs[3]], len(outputs[0].shape))
    return axes


@rule("MaxPool")
def max_pool(c, node, outputs):
    return along_windows(c, node, node.attribute("kernel_shape"), LOWEST)


@rule("AveragePool")
def average_pool(c, node, outputs):
    axes = along_windows(c, node, node.attribute("kernel_shape"), 0)
    if node.open and not node.attribute("count_include_pad", 0):
        c.refuse("windows at its end have fewer entries")
    return axes


@rule("GlobalAveragePool", "GlobalMaxPool")
def global_pool(c, node, outputs):
    x = node.inputs[0]
    for axis, count in x.axes.items():
        if axis > 1:
            mask(node, 0, axis, 0 if node.op == "GlobalAveragePool" else LOWEST)
            if node.op == "GlobalAveragePool":
                share(c, node, x, count)
    return {a: n for a, n in x.axes.items() if a < 2}


def keys(c, node, value, axis):
    """Attention keeps the keys below the count only."""
    if axis in value.axes:
        node.open["keys"] = value.axes[axis]


@rule("Attention", "com.microsoft.MultiHeadAttention")
def attention(c, node, outputs):
    q, k, v = (node.input(i) for i in range(3))
    if k is None or v is None or any(node.input(i) is not None for i in (4, 6, 7) if node.op == "Attention" or i > 5):
        c.refuse("a past, or operands that are joined")
    rows = [len(x.shape) - 2 for x in (q, k, v)]
    if any(set(x.axes) - {row} for x, row in zip((q, k, v), rows)) or k.axes.get(rows[1]) != v.axes.get(rows[2]):
        c.refuse("it is an axis of heads or columns")
    if len(q.shape) > 4 or len(k.shape) > 4:
        c.refuse("operands that are joined")
    extra = [node.input(i) for i in ((3,) if node.op == "Attention" else (4, 5))]
    extents = {1: k.axes.get(rows[1]), 2: q.axes.get(rows[0])}
    for x in extra:
        if x is not None and len(x.shape) > 1:
            for back, count in extents.items():
                place = len(x.shape) - back
                if x.axes.get(place) != count and not (x.shape[place] == 1 and place not in x.axes) and (back == 1 or len(x.shape) > 2):
                    c.refuse(f"{x.name} has other extents along it")
    keys(c, node, k, rows[1])
    if node.op == "Attention" and any(v is not None for v in outputs[1:]):
        return [dict(q.axes), {2: extents[1]} if extents[1] else {}, {2: extents[1]} if extents[1] else {}]
    return dict(q.axes)


@rule("com.microsoft.Attention")
def attention_of_rows(c, node, outputs):
    x = node.inputs[0]
    static(c, node, 1, 2, 4)
    if set(x.axes) - {1}:
        c.refuse("it is an axis of columns")
    for other in (node.input(3), node.input(5)):
        if other is not None and len(other.shape) > 1 and other.axes.get(len(other.shape) - 1) != x.axes.get(1):
            c.refuse(f"{other.name} has other extents along it")
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
