# SPDX-License-Identifier: BSL-1.0
"""Stores images with channels last between convolutions: products read them as rows, and lanes hold channels."""
import numpy as np

from .graph import Node, Value
from .parameters import axis_of, reduced_axes

LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
LEAST_CHANNELS = 16  # of a convolution by channel; fewer leave lanes empty, which rows of a plane fill
PLANES = {"AveragePool", "BatchNormalization", "Conv", "GlobalAveragePool", "GlobalMaxPool", "GroupNorm", "MaxPool"}
ELEMENTWISE = {
    "Abs", "Add", "Cast", "Ceil", "Celu", "Clip", "Div", "Dropout", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish",
    "Identity", "LeakyRelu", "Log", "Max", "Mean", "Min", "Mish", "Mul", "Neg", "PRelu", "Pow", "Reciprocal", "Relu", "Round",
    "Selu", "Sigmoid", "Softplus", "Softsign", "Sqrt", "Sub", "Sum", "Tanh", "ThresholdedRelu"}
ALONG_AXES = {"Pad", "Resize", "Slice", "Upsample"}  # their other operands are constants that count axes
REDUCTIONS = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"}
HAVE_PARAMETERS = PLANES | ALONG_AXES | REDUCTIONS | {"Split"}  # whose constants do not broadcast with the image
LAYERS = {"BatchNorm2d": "BatchNormalization", "Conv2d": "Conv", "GroupNorm": "GroupNorm"}  # of torch.nn, as operators


def is_image(value):
    return value is not None and not value.constant and len(value.shape) == 4


def op_of(node):
    """The operator of ONNX that a node is, or None."""
    return node.op if not node.domain else LAYERS.get(node.op) if node.domain == "torch.nn" else None


def by_channel(node):
    return op_of(node) == "Conv" and node.attribute("group", 1) == node.inputs[0].shape[1] != 1


def can_turn(node):
    """Whether a node can take and give its images with channels last."""
    op, outputs = op_of(node), [v for v in node.outputs if v is not None]
    if op is None or not all(map(is_image, outputs)) or len(outputs) > 1 and op != "Split":
        return False
    images = [v for v in node.inputs if v is not None and not v.constant]
    if not images or not all(map(is_image, images)):
        return False
    if op == "Conv":
        return (outputs[0].dtype.kind == "f" and all(v is None or v.constant for v in node.inputs[1:])
                and not (by_channel(node) and node.inputs[0].shape[1] < LEAST_CHANNELS))
    if op in REDUCTIONS:
        return bool(node.attribute("keepdims", 1)) and bool(reduced_axes(node, 4))
    if op in PLANES:
        return images == node.inputs[:1] and not node.attribute("training_mode", 0)
    return op in ELEMENTWISE or op in ALONG_AXES or op in ("Concat", "Split")


def joined(nodes):
    """Those to turn, as sets that share values: those with two convolutions or more."""
    group_of = {}  # of a value, by id()
    for node in filter(can_turn, nodes):
        near = [group_of[id(v)] for v in node.inputs if id(v) in group_of]
        if op_of(node) != "Conv" and not near:
            continue
        group = {id(node): node}
        for other in near:
            group.update(other)
        for member in group.values():
            group_of.update((id(v), group) for v in member.outputs if v is not None)
    groups = {id(group): group for group in group_of.values()}.values()
    return [group for group in groups if sum(op_of(node) == "Conv" for node in group.values()) > 1]


def chosen(candidates):
    """The nodes to turn, by id(). Convolutions write the order of a reader that is not turned, unless lanes hold their channels."""
    nodes = {}
    for group in joined(candidates):
        nodes.update(group)
    read = set()  # by nodes that prefer channels last
    for node in reversed(candidates):
        op = op_of(node)
        if id(node) in nodes:
            if all(id(v) not in read for v in node.outputs) and (op in ELEMENTWISE or op == "Conv" and not by_channel(node)):
                del nodes[id(node)]
            if id(node) in nodes or op == "Conv":
                read.update(map(id, node.inputs))
    return nodes


def turned_constant(value):
    """A constant operand that broadcasts with images. Leading axes of extent 1 are dropped if it had fewer axes than images."""
    array = value.array.reshape((1,) * (4 - value.array.ndim) + value.array.shape).transpose(LAST)
    while value.array.ndim < 4 and array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    return Value(value.name, np.ascontiguousarray(array), True)


class Turning:
    """Rewrites a graph. `last` has values with channels last, by id() of those of the graph."""

    def __init__(self, graph, nodes):
        self.graph, self.nodes = graph, nodes
        self.made = {id(v) for node in self.nodes.values() for v in node.outputs}  # by turned nodes
        self.last, self.constants, self.result = {}, {}, []

    def transpose(self, value, other, order):
        """Makes `other` of a value, by a node of its own."""
        self.result.append(Node("Transpose", "", other.name, [value], [other], {"perm": list(order)}, 13))

    def image(self, value):
        """A value of the graph with channels last."""
        if id(value) not in self.last:
            self.transpose(value, self.turned(value, f"{value.name}_channels_last"), LAST)
        return self.last[id(value)]

    def operand(self, node, value):
        if value is None:
            return None
        if not value.constant:
            return self.image(value)
        if op_of(node) in HAVE_PARAMETERS or value.array.ndim < 2 and value.array.size == 1:
            return value
        if id(value) not in self.constants:
            self.constants[id(value)] = turned_constant(value)
        return self.constants[id(value)]

    def turned(self, value, name=None):
        """What stands for a value from here on."""
        self.last[id(value)] = Value(name or value.name, value.array.transpose(LAST), False, value.sources)
        return self.last[id(value)]

    def turn(self, node):
        inputs = [self.operand(node, value) for value in node.inputs]
        op, attributes = op_of(node), dict(node.attributes)
        if op in PLANES:
            attributes["channels_last"] = 1
        elif op in ("Concat", "Split"):
            attributes["axis"] = LAST.index(axis_of(node.attribute("axis", 0), 4))
        elif op in ALONG_AXES:
            self.move_axes(node, attributes, inputs)
        elif op in REDUCTIONS:
            attributes["axes"], inputs = [LAST.index(a) for a in reduced_axes(node, 4)], inputs[:1]
        outputs = [None if v is None else self.turned(v) for v in node.outputs]
        self.result.append(Node(node.op, node.domain, node.name, inputs, outputs, attributes, node.opset, node.subgraphs,
                                node.product))

    @staticmethod
    def move_axes(node, attributes, inputs):
        """Names the axes that the other operands count."""
        if node.op in ("Resize", "Upsample"):
            attributes["axes"] = [LAST.index(axis_of(a, 4)) for a in node.attribute("axes") or range(4)]
            return
        given = node.integers(3, "axes")
        if given is None:
            given = range(len(node.integers(1, "starts")) if node.op == "Slice" else 4)
        attributes["axes"] = [LAST.index(axis_of(a, 4)) for a in given]
        if node.op == "Pad" or node.opset >= 10:
            inputs += [None] * (4 - len(inputs))
            inputs[3] = Value(f"{node.name}_axes", np.array(attributes["axes"]), True)

    def give_back(self, values):
        """Makes the values of turned nodes anew in the order that others read."""
        for value in values:
            if id(value) in self.made:
                self.made.remove(id(value))
                self.last[id(value)].name = f"{value.name}_channels_last"
                self.transpose(self.last[id(value)], value, FIRST)

    def keep(self, node):
        self.give_back(v for v in node.inputs if v is not None)
        self.result.append(node)

    def run(self):
        for node in self.graph.nodes:
            (self.turn if id(node) in self.nodes else self.keep)(node)
        self.finish()

    def finish(self):
        self.give_back(self.graph.results())
        self.graph.nodes = self.result


def store_channels_last(graph):
    """Rewrites the nodes between convolutions for images [batch, height, width, channels]."""
    Turning(graph, chosen(graph.nodes)).run()
