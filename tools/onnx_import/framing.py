# SPDX-License-Identifier: BSL-1.0
"""Stores images with the padding of the convolutions that read them, so that these need no padded copy."""
import numpy as np

from .graph import Node, Value
from .parameters import windows_of

ROWS_AND_COLUMNS = (1, 2)  # of an image with channels last


def padding(node):
    """What a convolution with channels last adds before and after the rows and columns it reads, or None if that is nothing."""
    if node.op != "Conv" or not node.attribute("channels_last"):
        return None
    extents = node.inputs[0].shape[1:3]
    windows = windows_of(node, extents, node.inputs[1].shape[2:])
    pads = tuple(w.before for w in windows) + tuple(max(w.needed_behind(n), 0) for w, n in zip(windows, extents))
    return pads if any(pads) and min(pads) >= 0 else None


def constant(name, numbers):
    return Value(name, np.array(numbers, np.int64), True)


def padded(value, pads):
    """The node that stores a value with its padding."""
    array = np.pad(value.array, ((0, 0), pads[::2], pads[1::2], (0, 0)))
    axes = constant(f"{value.name}_axes", ROWS_AND_COLUMNS)
    inputs = [value, constant(f"{value.name}_pads", pads), None, axes]
    return Node("Pad", "", value.name, inputs, [Value(f"{value.name}_padded", array, False, value.sources)], {}, 18)


def inside(value, frame, pads):
    """The node that gives the other readers what a frame holds."""
    first = pads[:2]
    last = [n + before for n, before in zip(value.shape[1:3], first)]
    inputs = [frame, constant(f"{value.name}_first", first), constant(f"{value.name}_last", last),
              constant(f"{value.name}_axes", ROWS_AND_COLUMNS)]
    return Node("Slice", "", value.name, inputs, [Value(f"{value.name}_inside", value.array, False, value.sources)], {}, 13)


def store_padded(graph):
    """Rewrites the nodes that read values of which all padding convolutions want the same padding."""
    wanted = {}  # by id() of a value
    for node in graph.nodes:
        pads = padding(node)
        if pads is not None:
            wanted.setdefault(id(node.inputs[0]), set()).add(pads)
    nodes, frames, insides = [], {}, {}
    for node in graph.nodes:
        if padding(node) is not None and id(node.inputs[0]) in frames:
            node.inputs[0] = frames[id(node.inputs[0])]
            node.attributes = {**node.attributes, "pads": [0] * 4, "auto_pad": "NOTSET"}
        node.inputs = [insides.get(id(v), v) for v in node.inputs]
        nodes.append(node)
        for value in node.outputs:
            pads = wanted.get(id(value), ())
            if len(pads) == 1:
                nodes.append(padded(value, *pads))
                frames[id(value)] = nodes[-1].outputs[0]
                nodes.append(inside(value, frames[id(value)], *pads))
                insides[id(value)] = nodes[-1].outputs[0]
    graph.nodes = nodes
