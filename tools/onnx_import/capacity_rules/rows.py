# SPDX-License-Identifier: BSL-1.0
"""Elementwise operators, reductions and norms."""
from ..operators import TABLE
from ..parameters import REDUCTIONS, axis_of, reduced_axes
from .registry import HIGHEST, LOWEST, broadcast, mask, rule, share, static

@rule(*(title for title, entry in TABLE.items() if entry.translate.__module__.endswith(".elementwise")),
      "com.microsoft.BiasAdd", by_rows=True)
def elementwise(c, node, outputs):
    values = [v for v in node.inputs if v is not None]
    if node.op in ("Div", "Mod") and values[1].dtype.kind in "iu" and not values[1].constant:
        for axis in values[1].axes:
            mask(node, 1, axis, 1)  # no division by what lies after the count
    return broadcast(c, values, len(outputs[0].shape))


@rule("QuantizeLinear", "DequantizeLinear", by_rows=True)
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
    """Open axes after a reduction."""
    left = {a: n for a, n in axes.items() if a not in removed}
    return left if keep else {a - sum(r < a for r in removed): n for a, n in left.items()}


@rule(*(f"Reduce{name}" for name in REDUCTIONS), by_rows=True)
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


@rule("ArgMax", "ArgMin", by_rows=True)
def arg_extreme(c, node, outputs):
    x = node.inputs[0]
    axis = axis_of(node.attribute("axis", 0), len(x.shape))
    if axis in x.axes:
        if node.attribute("select_last_index", 0):
            c.refuse("select_last_index counts from the end")
        mask(node, 0, axis, LOWEST if node.op == "ArgMax" else HIGHEST)
    return without(x.axes, [axis], node.attribute("keepdims", 1))


@rule("Softmax", "LogSoftmax", "Hardmax", by_rows=True)
def softmax(c, node, outputs):
    x, rank = node.inputs[0], len(node.inputs[0].shape)
    axis = axis_of(node.attribute("axis", -1 if node.opset >= 13 else 1), rank)
    if node.opset < 13 and axis != rank - 1 and any(a >= axis for a in x.axes):
        c.refuse("it is one of several axes that a row has")
    if axis in x.axes:
        mask(node, 0, axis, LOWEST)
    return x.axes


@rule("LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization", by_rows=True)
def layer_norm(c, node, outputs):
    static(c, node, 1, 2)
    x = node.inputs[0]
    if any(a >= axis_of(node.attribute("axis", -1), len(x.shape)) for a in x.axes):
        c.refuse("the mean of a row goes along it")
    return x.axes


@rule("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization", by_rows=True)
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
