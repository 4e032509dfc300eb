# SPDX-License-Identifier: BSL-1.0
"""Stores images with channels last between the convolutions of a network, across the calls of its parts."""
from onnx_import.channels_last import Turning, chosen
from onnx_import.graph import Node


def crossing(value, other):
    """A step that has `value` as `other` on the other side of a call: a Concat of one image, which keeps its order."""
    return Node("Concat", "", other.name, [value], [other], {"axis": 1}, 18)


def called(node):
    """The scope that a node calls, or None."""
    return node.attribute("scope") if node.domain == "torch.part" else None


def flat(scope):
    """All nodes of a scope in the order of evaluation, with those of its parts instead of their calls."""
    nodes = []
    for node in scope.graph.nodes:
        part = called(node)
        if part is None:
            nodes.append(node)
            continue
        nodes += map(crossing, node.inputs, part.graph.inputs)
        nodes += flat(part)
        nodes += (crossing(value, other) for (_, value), other in zip(part.graph.outputs, node.outputs))
    return nodes


def scopes_of(scope):
    return [scope] + [inner for node in scope.graph.nodes if called(node) for inner in scopes_of(called(node))]


def drop_torn(scope, nodes):
    """Layers that are called several times have one order: that of the module if not all calls agree."""
    calls = {}
    for node in scope.graph.nodes:
        if node.domain == "torch.nn":
            calls.setdefault(node.attribute("path"), []).append(id(node))
    for path, ids in calls.items():
        if all(call in nodes for call in ids):
            scope.turned.add(path)
        else:
            for call in ids:
                nodes.pop(call, None)


class ScopeTurning(Turning):
    """Rewrites the graph of a scope. `exits` says which of its results have channels last."""

    def __init__(self, scope, nodes, exits):
        super().__init__(scope.graph, nodes)
        self.scope, self.exits = scope, exits
        scope.graph.inputs = [self.turned(v) if id(v) in self.made else v for v in scope.graph.inputs]

    def keep(self, node):
        part = called(node)
        if part is None:
            super().keep(node)
            return
        entries, exits = ([id(v) in self.made for v in values] for values in (part.graph.inputs, node.outputs))
        ScopeTurning(part, self.nodes, exits).run()
        node.inputs = [self.image(v) if last else v for v, last in zip(node.inputs, entries)]
        node.outputs = [self.turned(v) if last else v for v, last in zip(node.outputs, exits)]
        self.result.append(node)

    def finish(self):
        self.graph.outputs = [(name, self.image(v) if last else v) for (name, v), last in zip(self.graph.outputs, self.exits)]
        super().finish()
        self.graph.remove_dead_nodes()
        self.scope.last = set(map(id, self.last.values()))


def store_channels_last(scope):
    """Rewrites the graphs of a scope and of its parts; then `turned` of each has the paths of layers with channels last,
    and `last` has such values, by id()."""
    nodes = chosen(flat(scope))
    for inner in scopes_of(scope):
        drop_torn(inner, nodes)
    ScopeTurning(scope, nodes, [False] * len(scope.graph.outputs)).run()
