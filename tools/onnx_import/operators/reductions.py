# SPDX-License-Identifier: BSL-1.0
"""Reductions, softmax and sums along an axis."""
import numpy as np

from ..errors import Uncovered
from ..parameters import axis_of, reduced_axes
from .registry import template, translates

KEPT = ", keep_dims"


def reduction(function, inner="{}", outer="{}", twice=False):
    def translate(s):
        if s.has(1):
            s.node.constant(1, "the axes")
        axes = reduced_axes(s.node, s.rank)
        text = inner.format(s.memory() if twice else s.x())
        if axes is None:
            return s.x()
        if not axes:
            return text if function in ("sum", "max", "min", "mean", "prod") else f"abs({text})"
        keep = KEPT if s.attribute("keepdims", 1) else ""
        if function == "mean" and s.dtype.kind != "f":
            return f"sum{template(axes)}({text}{keep}) / {int(np.prod([s.shapes[0][a] for a in axes]))}"
        return outer.format(f"{function}{template(axes)}({text}{keep})")

    return translate


for title, function, inner, outer, twice in (
        ("ReduceSum", "sum", "{}", "{}", False), ("ReduceMean", "mean", "{}", "{}", False),
        ("ReduceMax", "max", "{}", "{}", False), ("ReduceMin", "min", "{}", "{}", False),
        ("ReduceProd", "prod", "{}", "{}", False),
        ("ReduceL1", "sum", "abs({})", "{}", False), ("ReduceL2", "norm", "{}", "{}", False),
        ("ReduceSumSquare", "sum", "{0} * {0}", "{}", True), ("ReduceLogSum", "sum", "{}", "log({})", False)):
    translates(title, uses=f"`{function}`", heavy=True)(reduction(function, inner, outer, twice))


@translates("ReduceLogSumExp", uses="`logsumexp`", heavy=True)
def log_sum_exp(s):
    axes, text = reduced_axes(s.node, s.rank), s.x()
    if s.dtype.kind != "f":
        raise Uncovered("of integers")
    for axis in (axes or [])[::-1]:
        text = f"logsumexp<{axis}>({text}{KEPT if s.attribute('keepdims', 1) else ''})"
    return text


@translates("ArgMax", "ArgMin", uses="`argmax`, `argmin`, `cast`", heavy=True)
def arg_extreme(s):
    axis = axis_of(s.attribute("axis", 0), s.rank)
    keep = KEPT if s.attribute("keepdims", 1) else ""
    if s.attribute("select_last_index", 0):
        return (f"{s.shapes[0][axis] - 1} - cast<std::int64_t>({s.op.lower()}<{axis}>(flip<{axis}>({s.x()}){keep}))")
    return f"cast<std::int64_t>({s.op.lower()}<{axis}>({s.x()}{keep}))"


def rows(s, function):
    """Softmax and its kin: along one axis since operator set 13, along all from `axis` on before."""
    if s.opset >= 13:
        return function(axis_of(s.attribute("axis", -1), s.rank), s.x())
    axis = axis_of(s.attribute("axis", 1), s.rank)
    if axis == s.rank - 1:
        return function(axis, s.x())
    flat = [int(np.prod(s.shapes[0][:axis])), int(np.prod(s.shapes[0][axis:]))]
    return s.reshape(s.out.shape, function(1, s.reshape(flat, s.x(), s.shapes[0])), flat)


translates("Softmax", uses="`softmax`", heavy=True)(lambda s: rows(s, lambda axis, x: f"softmax<{axis}>({x})"))
translates("LogSoftmax", uses="`log_softmax`", heavy=True)(lambda s: rows(s, lambda axis, x: f"log_softmax<{axis}>({x})"))


@translates("Hardmax", uses="`argmax`, `index`", heavy=True)
def hardmax(s):
    s.memory()
    return rows(s, lambda axis, x: f"cast<{s.type}>(index<{axis}>({x}) == argmax<{axis}>({x}{KEPT}))")


@translates("CumSum", uses="`cumsum`, `flip`", heavy=True)
def cumsum(s):
    axis = axis_of(int(s.node.constant(1, "the axis")), s.rank)
    extent = s.shapes[0][axis]
    backward, exclusive = s.attribute("reverse", 0), s.attribute("exclusive", 0)
    text = f"flip<{axis}>({s.x()})" if backward else s.x()
    if exclusive and extent == 1:
        return f"zeros<{', '.join([s.type, *map(str, s.shapes[0])])}>()"
    text = f"cumsum<{axis}>({text})"
    if exclusive:
        text = f"pad<{axis}, 1, 0>(slice<{axis}, 0, {extent - 1}>({text}))"
    return f"flip<{axis}>({text})" if backward else text


@translates("TopK", uses="`topk`", heavy=True)
def top_k(s):
    count = int(s.node.constant(1, "k").reshape(-1)[0]) if s.has(1) else s.attribute("k")
    axis = axis_of(s.attribute("axis", -1), s.rank)
    sign = "" if s.attribute("largest", 1) else "-"
    top = s.statement("top", f"topk<{count}, {axis}>({sign}{s.x()})")
    return [f"{sign}{top}.values", f"cast<std::int64_t>({top}.indices)"]
