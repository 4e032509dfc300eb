# SPDX-License-Identifier: BSL-1.0
"""Pools: reductions over windows."""
import numpy as np

from ..errors import Uncovered
from ..parameters import Window, windows_of
from .products import channels_are_last, padded, spatial_extents, windowed
from .registry import template, translates


def pooled(s, function, value="", text=None, dtype=None):
    spatial, first = list(spatial_extents(s)), 1 if channels_are_last(s) else 2
    windows = windows_of(s.node, spatial, s.attribute("kernel_shape"))
    if len(windows) > 3:
        raise Uncovered("more than three axes")
    text, shape = s.x() if text is None else text, list(s.shapes[0])
    wide = [i for i, w in enumerate(windows) if w != Window(1, 1, w.dilation, 0, 0, w.count)] or [len(windows) - 1]
    for i in wide:  # one axis after the other: the first ones are whole rows, which lanes hold
        axis = first + i
        text = padded(text, windows[i:i + 1], shape[axis:axis + 1], axis, value)
        text = f"{function}<{axis + 1}>({windowed(text, windows[i:i + 1], axis)})"
        shape[axis] = windows[i].count
        if i != wide[-1]:
            text = s.buffer(f"along{i}", text, dtype or s.dtype, shape, s.out if len(shape) == 4 else None)
    return text, windows


@translates("MaxPool", "com.microsoft.NhwcMaxPool", uses="`max` of `windows`, `pad`", heavy=True)
def max_pool(s):
    lowest = s.literal(-np.inf if s.dtype.kind == "f" else np.iinfo(s.dtype).min)
    return pooled(s, "max", ", " + lowest)[0]


def counts_of(s, windows, inside):
    """How many entries each window has, as an array that broadcasts."""
    spatial = spatial_extents(s)
    counts = np.ones([1] * len(windows))
    for i, (w, extent) in enumerate(zip(windows, spatial)):
        first, last = (0, extent) if inside else (-w.before, extent + w.behind)
        along = [sum(first <= j * w.stride - w.before + t * w.dilation < last for t in range(w.kernel)) for j in range(w.count)]
        counts = counts * np.array(along).reshape([-1 if k == i else 1 for k in range(len(windows))])
    return counts[..., None] if channels_are_last(s) else counts


@translates("AveragePool", uses="`sum` of `windows`, `pad`", heavy=True)
def average_pool(s):
    text, windows = pooled(s, "sum")
    counts = counts_of(s, windows, not s.attribute("count_include_pad", 0))
    if (counts == counts.flat[0]).all():
        return f"{text} / {s.literal(counts.flat[0])}"
    return f"{text} / {s.constant('counts', counts.astype(s.dtype))}"


@translates("LpPool", uses="`sum` of `windows`, `pow`", heavy=True)
def lp_pool(s):
    p = s.attribute("p", 2)
    if p == 2:
        text, _ = pooled(s, "norm")
        return text
    text, _ = pooled(s, "sum", text=f"pow(abs({s.x()}), {s.literal(p)})")
    return f"pow({text}, {s.literal(1 / p)})"


def spatial_axes(s):
    return range(1, s.rank - 1) if channels_are_last(s) else range(2, s.rank)


def over_all(function):
    return lambda s: f"{function}{template(spatial_axes(s))}({s.x()}, keep_dims)"


translates("GlobalAveragePool", uses="`mean`", heavy=True)(over_all("mean"))
translates("GlobalMaxPool", uses="`max`", heavy=True)(over_all("max"))
