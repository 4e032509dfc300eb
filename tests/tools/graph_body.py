# SPDX-License-Identifier: BSL-1.0
"""The nodes and weights of a graph that a test writes one by one."""
import import_onnx_graphs as graphs
import numpy as np
from onnx import helper, numpy_helper

WIDTH, HEADS, WORDS, POSITIONS = 16, 2, 30, 24


def number(name, x, dtype=np.float32):
    return numpy_helper.from_array(np.array(x, dtype), name)


class Body:
    """Nodes and weights of a graph, written one by one."""

    def __init__(self, seed):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(seed)

    def __call__(self, op, inputs, **attributes):
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs.split(), [name], name=name, **attributes))
        return name

    def constant(self, x, dtype=np.int64):
        name = f"constant{len(self.weights)}"
        self.weights.append(number(name, x, dtype))
        return name

    def weight(self, *shape):
        name = f"weight{len(self.weights)}"
        self.weights.append(graphs.weight(self.random, name, *shape))
        return name

    def extent(self, x, axis, *axes):
        """The extent of an axis, as a vector of one entry; as a number with a further axis."""
        place = self.constant([axis]) if not axes else self.constant(axis)
        return self("Gather", f"{self('Shape', x)} {place}")

    def linear(self, x, columns, rows=WIDTH):
        weights = self.weight(rows, columns)
        return self("Add", f"{self('MatMul', f'{x} {weights}')} {self.weight(columns)}")

    def norm(self, x):
        return self("LayerNormalization", f"{x} {self.weight(WIDTH)} {self.weight(WIDTH)}", axis=-1)
