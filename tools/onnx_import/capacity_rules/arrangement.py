# SPDX-License-Identifier: BSL-1.0
"""Operators that move or choose entries."""
import numpy as np

from ..counts import Merged, point_text, shape_at
from ..parameters import axis_of
from .registry import Operand, broadcast, mask, rule, static

@rule("Transpose", by_rows=True)
def transpose(c, node, outputs):
    x = node.inputs[0]
    order = node.attribute("perm") or list(range(len(x.shape)))[::-1]
    return {i: x.axes[a] for i, a in enumerate(order) if a in x.axes}


def integers_at(c, value, attribute, point):
    """The integers of an operand at a point; those of the attribute if there is none."""
    return attribute if value is None else [int(n) for n in c.array_at(value, point).reshape(-1)]


def parts_of(x):
    """The axes of a value that have more than one entry, as pairs of an extent and its count; those that were merged apart."""
    parts = []
    for axis, extent in enumerate(x.shape):
        count = x.axes.get(axis)
        parts += count.parts if isinstance(count, Merged) else [(extent, count)] if extent > 1 or count is not None else []
    return parts


def take(c, parts, extent):
    """Removes the first parts, whose extents have the product `extent`. Splits the last one if it is too large."""
    taken = []
    while extent > 1:
        whole, count = parts.pop(0)
        if whole == 1:
            c.refuse("its capacity is 1")
        if extent % whole == 0:
            taken.append((whole, count))
            extent //= whole
            continue
        inner = whole // extent
        if whole % extent or count is not None and any(n % inner for n in count.numbers):
            c.refuse("a Reshape splits it where not every length is a multiple")
        taken.append((extent, None if count is None else c.changed(count, lambda n: n // inner)))
        parts.insert(0, (inner, None))
        extent = 1
    return taken


def merged(c, parts, constant):
    """The count of an axis that a Reshape makes of several, or None if all its entries count."""
    counts = [count for _, count in parts]
    if not any(count is not None for count in counts):
        return None
    behind = int(np.prod([extent for extent, _ in parts[1:]], dtype=np.int64))
    if counts[0] is not None and not any(count is not None for count in counts[1:]):
        return counts[0] if behind == 1 else c.changed(counts[0], lambda n: n * behind)  # the first entries of all
    if constant or any(0 in count.numbers for count in counts if count is not None):
        c.refuse("a Reshape merges it with an axis before it, and its entries are a constant or may be none")
    return Merged(parts)


@rule("Reshape", "Flatten", "Squeeze", "Unsqueeze", by_rows=True)
def reshape(c, node, outputs):
    """Axes of the result are made of those of the operand, in their order."""
    x, y = node.inputs[0], outputs[0]
    parts = parts_of(x)
    counts = [merged(c, take(c, parts, extent), x.constant) for extent in y.shape]
    axes = {i: count for i, count in enumerate(counts) if count is not None}
    if node.op == "Squeeze" and not node.integers(1, "axes"):
        c.refuse("Squeeze without axes drops it where it is 1")
    if node.op == "Reshape":
        check_shape_operand(c, node, x, y, axes)
    return axes


def check_shape_operand(c, node, x, y, axes):
    """The shape operand must give the same open axes at every point."""
    shape = node.input(1)
    for point in c.points(x, shape):
        wanted = [axes[i].at(point) if i in axes else n for i, n in enumerate(y.shape)]
        given = integers_at(c, shape, list(node.attribute("shape", ())), point)
        old = list(shape_at(x, point))
        if not node.attribute("allowzero", 0):
            given = [old[i] if n == 0 else n for i, n in enumerate(given)]
        if -1 in given:
            rest = int(np.prod([n for n in given if n != -1], dtype=np.int64))
            given[given.index(-1)] = int(np.prod(old, dtype=np.int64)) // max(rest, 1)
        if given != wanted:
            c.refuse(f"the shape operand is {given} where {point_text(point)}; {wanted} is needed")


@rule("Expand")
def expand(c, node, outputs):
    x, shape, y = node.inputs[0], node.inputs[1], outputs[0]
    extents, points = [], c.points(x, shape)
    for point in points:
        given, old = integers_at(c, shape, None, point), list(shape_at(x, point))
        given, old = ([1] * (len(y.shape) - len(s)) + s for s in (given, old))
        if any(a != b and 1 not in (a, b) for a, b in zip(given, old)):
            c.refuse(f"shapes {old} and {given} do not fit where {point_text(point)}")
        extents.append([max(a, b) for a, b in zip(given, old)])
    return c.axes_of(points, extents)


@rule("ConstantOfShape")
def constant_of_shape(c, node, outputs):
    points = c.points(node.inputs[0])
    return c.axes_of(points, [integers_at(c, node.inputs[0], None, point) for point in points])


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
    axes = broadcast(c, [Operand(v.name, v.shape[:axis] + (1,) + v.shape[axis + 1:],
                                 {i: n for i, n in v.axes.items() if i != axis}) for v in node.inputs], rank)
    last = node.inputs[-1]
    if len(node.inputs) == 2 and node.inputs[0].name in c.growing and axis in node.inputs[0].axes and axis not in last.axes:
        node.open["append"] = axis
        axes[axis] = c.changed(node.inputs[0].axes[axis], lambda n: n + last.shape[axis])
        return axes
    if any(axis in v.axes for v in node.inputs[:-1]):
        c.refuse("entries of another operand follow its last one")
    if axis in last.axes:
        before = sum(v.shape[axis] for v in node.inputs[:-1])
        axes[axis] = c.changed(last.axes[axis], lambda n: before + n)
    return axes


@rule("Split")
def split(c, node, outputs):
    static(c, node, 1)
    x = node.inputs[0]
    if axis_of(node.attribute("axis", 0), len(x.shape)) in x.axes:
        c.refuse("it is split")
    return x.axes


@rule("Slice")
def slice_(c, node, outputs):
    x, operands = node.inputs[0], [node.input(i) for i in range(1, 5)]
    if any(v is not None and v.axes for v in operands):
        c.refuse("the number of bounds depends on it")
    extents, last, points = [], None, c.points(x, *operands)
    for point in points[::-1]:
        starts, ends, axes, steps = (integers_at(c, v, node.attribute(name), point)
                                     for v, name in zip(operands, ("starts", "ends", "axes", "steps")))
        axes = [axis_of(a, len(x.shape)) for a in (range(len(starts)) if axes is None else axes)]
        shape, begins = list(shape_at(x, point)), {}
        for first, end, axis, step in zip(starts, ends, axes, steps or [1] * len(starts)):
            places = range(*slice(first, end, step).indices(shape[axis]))
            begins[axis], shape[axis] = (places.start, step), len(places)
        last = last or begins
        moved = [a for a in begins if begins[a] != last[a] and shape[a]]
        if moved:
            c.refuse("the slice begins at a place that depends on it")
        if 0 in shape:
            c.refuse(f"the slice is empty where {point_text(point)}")
        extents.append(shape)
    return c.axes_of(points, extents[::-1])


@rule("Gather")
def gather(c, node, outputs):
    x, indices = node.inputs
    axis, rank = axis_of(node.attribute("axis", 0), len(x.shape)), len(indices.shape)
    if x.family is not None or indices.family is not None:
        c.refuse("an operand depends on it")
    if axis in x.axes:
        if not indices.constant or indices.axes:
            c.refuse("indices choose entries along it")
        if not ((indices.array >= 0) & (indices.array < min(x.axes[axis].numbers))).all():
            c.refuse(f"entry {indices.array.reshape(-1).tolist()} does not exist for every count, or counts from the end")
    elif not indices.constant:
        for a in indices.axes:
            mask(node, 1, a, 0)  # no look-up of what lies after the count
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
        result[axis] = c.changed(x.axes[axis], lambda n, more=before + after: n + more)
    return result
