# SPDX-License-Identifier: BSL-1.0
"""Losses of classes: comparisons with the class numbers choose the entries."""
import numpy as np

from .registry import template, translates


def of_classes(s, x):
    """The loss of logarithms of probabilities [batch, classes, ...] in memory."""
    shape, target = s.shapes[0], s.node.inputs[1]
    classes, rest = shape[1], shape[:1] + shape[2:]
    along = [1, classes] + [1] * (len(shape) - 2)
    numbers = s.reshape(along, f"iota<{s.ctype(target.dtype)}, {classes}>()")
    wide = s.reshape((shape[0], 1) + shape[2:], s.memory(1), s.shapes[1])
    hit, ignored = f"{wide} == {numbers}", s.attribute("ignore_index")
    if ignored is not None:
        hit = f"({hit}) && ({wide} != {ignored})"
    hit = s.buffer("hit", hit, np.bool_, shape)
    factors = None
    if s.has(2):
        factors = s.buffer("weights", f"sum<1>(where({hit}, {s.reshape(along, s.x(2))}, {s.literal(0)}))", s.dtype, rest)
    elif ignored is not None:
        factors = s.buffer("weights", f"sum<1>(cast<{s.type}>({hit}))", s.dtype, rest)
    losses = f"-sum<1>(where({hit}, {x}, {s.literal(0)}))" + (f" * {factors}" if factors else "")
    kind, axes = s.attribute("reduction", "mean"), template(range(len(rest)))
    if kind == "none":
        return losses
    total = f"sum{axes}({s.buffer('losses', losses, s.dtype, rest)})"
    if kind == "sum":
        return total
    count = s.buffer("total", f"sum{axes}({factors})", s.dtype, ()) if factors else s.literal(np.prod(rest))
    return f"{total} / {count}"


translates("NegativeLogLikelihoodLoss", uses="`where`, `sum`", heavy=True)(lambda s: of_classes(s, s.memory()))


@translates("SoftmaxCrossEntropyLoss", uses="`log_softmax`, `where`, `sum`", heavy=True)
def cross_entropy(s):
    logarithms = s.buffer("logarithms", f"log_softmax<1>({s.x()})", s.dtype, s.shapes[0])
    return [of_classes(s, logarithms), logarithms]
