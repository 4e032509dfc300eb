# SPDX-License-Identifier: BSL-1.0
"""Orders of images across the calls of a network's parts: graphs as tools/import_torch.py records them, made without PyTorch."""
from types import SimpleNamespace

import numpy as np
from onnx_import.graph import Graph, Node, Value
from torch_import.channels_last import store_channels_last

COMPUTED = {"Relu": lambda node, x: np.maximum(x, 0), "Add": lambda node, a, b: a + b,
            "Transpose": lambda node, x: x.transpose(node.attribute("perm"))}


class Network(SimpleNamespace):
    """A scope: its graph grows by calls, whose results have random numbers unless `COMPUTED` has them."""

    def __init__(self, *shapes):
        super().__init__(graph=Graph("n"), turned=set(), last=set(), random=np.random.default_rng(1))
        self.graph.inputs = [self.value(f"x{i}", shape) for i, shape in enumerate(shapes)]

    def value(self, name, shape):
        return Value(name, self.random.standard_normal(shape).astype(np.float32), sources=frozenset(["x0"]))

    def add(self, op, inputs, shape=None, domain="", **attributes):
        name = f"{op.lower()}{len(self.graph.nodes)}"
        node = Node(op, domain, name, inputs, [], attributes, 18)
        node.outputs = [self.value(name, shape) if shape else
                        Value(name, COMPUTED[op](node, *(v.array for v in inputs)), sources=inputs[0].sources)]
        self.graph.nodes.append(node)
        return node.outputs[0]

    def conv(self, path, x, channels, **attributes):
        return self.add("Conv2d", [x], (*x.shape[:1], channels, *x.shape[2:]), "torch.nn", path=path, group=1, **attributes)

    def call(self, part, *inputs):
        return self.add("call", list(inputs), part.graph.outputs[0][1].shape, "torch.part", scope=part, path="block")

    def returns(self, *values):
        self.graph.outputs = [(f"y{i}", v) for i, v in enumerate(values)]
        self.graph.remove_dead_nodes()
        return self


def block():
    part = Network((1, 16, 4, 4))
    x, = part.graph.inputs
    y = part.conv("conv2", part.add("Relu", [part.conv("conv1", x, 16)]), 16)
    return part.returns(part.add("Relu", [part.add("Add", [y, x])]))


def agree(graph):
    """Whether each value is what its node computes of its operands: both have the same order."""
    return all(np.array_equal(node.outputs[0].array, COMPUTED[node.op](node, *(v.array for v in node.inputs)))
               for node in graph.nodes if node.op in COMPUTED)


def turns(graph):
    return [(node.inputs[0].shape, node.outputs[0].shape) for node in graph.nodes if node.op == "Transpose"]


def check_blocks(expect):
    """Blocks take and give channels last, in one struct; the image is turned before the first and the result behind the last."""
    net = Network((1, 3, 4, 4))
    parts = [block(), block()]
    x = net.call(parts[1], net.call(parts[0], net.conv("stem", *net.graph.inputs, 16)))
    net.returns(net.add("Reshape", [x], (1, 256)))
    store_channels_last(net)
    expect(turns(net.graph) == [((1, 3, 4, 4), (1, 4, 4, 3)), ((1, 4, 4, 16), (1, 16, 4, 4))], f"turns of a network: {turns(net.graph)}")
    expect(net.turned == {"stem"} and all(p.turned == {"conv1", "conv2"} for p in parts), "the layers with channels last")
    for part in parts:
        shapes = [v.shape for v in part.graph.inputs + [v for _, v in part.graph.outputs]]
        expect(shapes == [(1, 4, 4, 16)] * 2 and not turns(part.graph), f"a block in one order: {shapes}, {turns(part.graph)}")
        expect(agree(part.graph), "operands of a block have the same order")
        expect(all(id(v) in part.last for v in part.graph.inputs), "a block knows what has channels last")
        expect([v.uses for v in part.graph.inputs] == [2], f"an input is counted anew: {part.graph.inputs[0].uses}")


def check_borders(expect):
    """A part that reads an image otherwise gets it in the order of the module, and its result is turned for a convolution."""
    net, part = Network((1, 3, 4, 4)), Network((1, 8, 4, 4))
    inner = part.add("Reshape", [part.add("Reshape", part.graph.inputs, (8, 16))], (1, 8, 4, 4))
    part.returns(inner)
    a = net.conv("b", net.conv("a", *net.graph.inputs, 8), 8)
    c = net.conv("d", net.conv("c", net.add("Relu", [net.call(part, a)]), 8), 8)
    net.returns(c, a)
    store_channels_last(net)
    expect([v.shape for _, v in net.graph.outputs] == [(1, 8, 4, 4)] * 2, "outputs of the network keep their order")
    expect(part.graph.outputs[0][1].shape == (1, 8, 4, 4) and agree(net.graph) and agree(part.graph), "a part with another order")
    expect([v.uses for node in part.graph.nodes for v in node.inputs] == [1] * len(part.graph.nodes), "each reader is counted once")


def check_norms(expect):
    """Norms of an image take its order, and their modules know it."""
    net = Network((1, 8, 4, 4))
    x = net.conv("a", *net.graph.inputs, 8)
    for op in ("GroupNorm", "BatchNorm2d"):
        x = net.add(op, [x], x.shape, "torch.nn", path=op)
    net.returns(net.conv("b", x, 8))
    store_channels_last(net)
    expect(net.turned == {"a", "GroupNorm", "BatchNorm2d"} and len(turns(net.graph)) == 2, f"norms: {net.turned}, {turns(net.graph)}")


def check_shared(expect):
    """A layer that is called twice has one order, also if only one of the calls would be turned."""
    net = Network((1, 8, 4, 4))
    x, = net.graph.inputs
    x = net.conv("shared", net.conv("first", x, 8), 8)
    net.returns(net.conv("shared", x, 8))
    store_channels_last(net)
    shapes = {(v.inputs[0].shape, v.outputs[0].shape) for v in net.graph.nodes if v.attribute("path") == "shared"}
    expect("shared" not in net.turned and shapes == {((1, 8, 4, 4),) * 2}, f"a layer that is called twice: {shapes}")


def check_orders(expect):
    check_blocks(expect)
    check_borders(expect)
    check_norms(expect)
    check_shared(expect)
