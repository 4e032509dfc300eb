# SPDX-License-Identifier: BSL-1.0
"""Operators that move elements along static patterns."""
import numpy as np

from ..errors import Uncovered
from ..parameters import axis_of, slices_of
from .registry import template, translates

MOST_AXES = 8
MOST_OPERANDS = 8

translates("Reshape", "Flatten", "Squeeze", "Unsqueeze", uses="`reshape`", view=True)(
    lambda s: s.reshape(s.out.shape, s.x(), s.shapes[0]))
translates("Transpose", uses="`permute`", view=True)(
    lambda s: f"permute{template(s.attribute('perm') or range(s.rank)[::-1])}({s.x()})" if s.rank else s.x())
translates("Expand", uses="`broadcast_to`", view=True)(
    lambda s: s.x() if s.out.shape == s.shapes[0] else f"broadcast_to{template(s.out.shape)}({s.x()})")


@translates("Concat", uses="`concat`")
def concat(s):
    if "append" in s.node.open:
        return s.translation.appended(s.node)
    axis = axis_of(s.attribute("axis"), len(s.out.shape))
    parts = [s.x(i) for i in range(len(s.node.inputs))]
    while len(parts) > 1:
        parts = [f"concat<{axis}>({', '.join(parts[i:i + MOST_OPERANDS])})" if len(parts[i:i + MOST_OPERANDS]) > 1 else parts[i]
                 for i in range(0, len(parts), MOST_OPERANDS)]
    return parts[0]


@translates("Split", uses="`slice`", view=True)
def split(s):
    axis = axis_of(s.attribute("axis", 0), s.rank)
    if len(s.node.outputs) > 1:
        s.memory()
    results, first = [], 0
    for value in s.node.outputs:
        results.append(f"slice<{axis}, {first}, {first + value.shape[axis]}>({s.x()})")
        first += value.shape[axis]
    return results


def sliced(text, axis, first, step, count, extent):
    if (first, step, count) == (0, 1, extent):
        return text
    last = first + (count - 1) * step + (1 if step > 0 else -1)
    last = last if last >= 0 else -extent - 1
    if count == 1:
        return f"slice<{axis}, {first}, {first + 1}>({text})"
    return f"slice<{axis}, {first}, {last}{'' if step == 1 else f', {step}'}>({text})"


@translates("Slice", uses="`slice`", view=True)
def slice_(s):
    for place in range(1, len(s.node.inputs)):
        s.node.constant(place, "a bound of the slice")
    text = s.x()
    for axis, (first, step, count) in enumerate(slices_of(s.node, s.shapes[0])):
        text = sliced(text, axis, first, step, count, s.shapes[0][axis])
    return text


@translates("Tile", uses="`broadcast_to`, `reshape`")
def tile(s):
    repeats = [int(n) for n in s.node.constant(1, "the repeats")]
    if all(n == 1 for n in repeats):
        return s.x()
    split_shape, wide = [], []
    for n, extent in zip(repeats, s.shapes[0]):
        split_shape += [1, extent] if n > 1 else [extent]
        wide += [n, extent] if n > 1 else [extent]
    if len(wide) > MOST_AXES:
        raise Uncovered(f"it needs more than {MOST_AXES} axes")
    return s.reshape(s.out.shape, f"broadcast_to{template(wide)}({s.reshape(split_shape, s.x())})")


@translates("Pad", uses="`pad`, `take`, `slice`")
def pad(s):
    rank, mode = s.rank, s.attribute("mode", "constant")
    pads = s.attribute("pads") if s.opset < 11 else [int(n) for n in s.node.constant(1, "the padding")]
    axes = range(rank)
    if s.has(3):
        axes = [axis_of(int(a), rank) for a in s.node.constant(3, "the axes of the padding")]
    value = s.literal(s.attribute("value", 0.0))
    if s.has(2):
        value = s.literal(s.node.constant(2, "the value of the padding").reshape(-1)[0])
    text = s.x()
    for i, axis in enumerate(axes):
        before, behind, extent = pads[i], pads[i + len(axes)], s.shapes[0][axis]
        if before == 0 and behind == 0:
            continue
        if mode != "constant":
            kind = {"edge": "edge", "reflect": "reflect", "wrap": "wrap"}[mode]
            places = np.pad(np.arange(extent), (max(before, 0), max(behind, 0)), kind)
            places = places[max(-before, 0):len(places) - max(-behind, 0)]
            text = f"take<{axis}>({text}, {s.constant(f'places{axis}', places.astype(np.int64))})"
            continue
        if before < 0 or behind < 0:
            first, last = max(-before, 0), extent - max(-behind, 0)
            text = sliced(text, axis, first, 1, last - first, extent)
            before, behind = max(before, 0), max(behind, 0)
        if before or behind:
            text = f"pad<{axis}, {before}, {behind}>({text}{'' if value in ('0.0f', '0', '0.0') else ', ' + value})"
    return text


@translates("Trilu", uses="`where` with a constant")
def trilu(s):
    shift = int(s.node.constant(1, "the diagonal")) if s.has(1) else 0
    ones = np.ones(s.shapes[0][-2:], bool)
    kept = np.triu(ones, shift) if s.attribute("upper", 1) else np.tril(ones, shift)
    return f"where({s.constant('kept', kept)}, {s.x()}, {s.literal(0)})"


@translates("DepthToSpace", "SpaceToDepth", uses="`reshape`, `permute`")
def depth_and_space(s):
    n, c, h, w = s.shapes[0]
    b = s.attribute("blocksize")
    if s.op == "SpaceToDepth":
        inner, order = [n, c, h // b, b, w // b, b], [0, 3, 5, 1, 2, 4]
    elif s.attribute("mode", "DCR") == "DCR":
        inner, order = [n, b, b, c // (b * b), h, w], [0, 3, 4, 1, 5, 2]
    else:
        inner, order = [n, c // (b * b), b, b, h, w], [0, 1, 4, 2, 5, 3]
    return s.reshape(s.out.shape, f"permute{template(order)}({s.reshape(inner, s.x())})")
