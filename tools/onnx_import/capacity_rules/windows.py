# SPDX-License-Identifier: BSL-1.0
"""Convolutions and pools."""
from ..parameters import windows_of
from .registry import LOWEST, Operand, broadcast, mask, rule, share, static

def along_windows(c, node, kernel, fill):
    """Open axes after windows: an axis of them grows or shrinks as its windows do."""
    x = node.inputs[0]
    if 1 in x.axes:
        c.refuse("it is the axis of channels")
    windows = windows_of(node, x.shape[2:], kernel)
    result = {a: n for a, n in x.axes.items() if a == 0}
    for i, w in enumerate(windows):
        count = x.axes.get(i + 2)
        if count is None:
            continue
        same = node.attribute("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER")
        if same and w.stride > 1 or node.attribute("ceil_mode", 0):
            c.refuse("the padding depends on it")
        if w.behind > 0:
            mask(node, 0, i + 2, fill)
        room = w.before + w.behind - w.reach
        result[i + 2] = c.changed(count, lambda n, room=room, w=w: (n + room) // w.stride + 1 if n + room >= 0 else 0)
    return result


@rule("Conv", "com.microsoft.FusedConv")
def convolution(c, node, outputs):
    static(c, node, 1, 2)
    axes = along_windows(c, node, node.inputs[1].shape[2:], 0)
    if node.input(3) is not None:
        broadcast(c, [Operand(node.name, outputs[0].shape, axes), node.inputs[3]], len(outputs[0].shape))
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
