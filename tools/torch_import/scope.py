# SPDX-License-Identifier: BSL-1.0
"""One call of a module as a graph: operators, calls of modules of torch.nn, and calls of the user's modules, which are scopes."""
import numpy as np
import torch
from torch import fx

from onnx_import.errors import ModelError, Uncovered, first_line
from onnx_import.graph import Graph, Node, Value

from . import modules
from .builder import OPSET, Builder, array_of
from .functions import TABLE as FUNCTIONS
from .functions.aten import name_of
from .trace import Recorder, leaves_of, tensors_in

MOST_DEPTH = 40  # of modules inside each other
TOLERANCE = 1e-4  # between an operator and the function of torch that it stands for


def is_step(module):
    """Whether a call of the module is one step: of a type of the table, or a module that a user wrote."""
    return modules.mapped(module) is not None or not type(module).__module__.startswith("torch.nn.")


def tuple_tree(value):
    """Tuples of any kind, lists and dictionaries as plain tuples."""
    if isinstance(value, dict):
        return tuple(tuple_tree(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return tuple(tuple_tree(v) for v in value)
    return value


def values_in(value):
    return [leaf for leaf in leaves_of(value) if isinstance(leaf, Value)]


class Scope:
    """`problems` are triples of a path, what stands there and a reason; scopes inside add theirs. `recorder` records a call."""

    def __init__(self, module, args, kwargs, path, problems, recorder=Recorder, depth=0):
        if depth > MOST_DEPTH:
            raise ModelError(f"{path}: modules inside each other are nested too deeply")
        self.module, self.path, self.problems, self.recorder, self.depth = module, path, problems, recorder, depth
        self.title = type(module).__name__
        self.graph = Graph(self.title)
        self.builder = Builder(self.graph)
        self.values = {}
        self.children = {}  # scopes by the path of the module
        self.modules = {}  # of torch.nn, by path
        self.turned, self.last = set(), set()  # paths of those with channels last, and values by id()
        recorded = recorder(module, args, kwargs, f"{path or self.title}", is_step).record()
        for node in reversed(recorded.nodes):
            if node.op not in ("placeholder", "output") and not node.users:
                recorded.erase_node(node)  # nobody reads it, so it need not be covered
        for node in recorded.nodes:
            self.add(node)
        self.graph.remove_dead_nodes()
        self.fold_norms()

    def add(self, node):
        if node.op == "placeholder":
            value = Value(node.name, self.array_at(node), sources=frozenset([node.name]))
            self.graph.inputs.append(value)
            self.values[node] = value
        elif node.op == "get_attr":
            name = "constant" if node.target.startswith("_tensor_constant") else node.target
            self.values[node] = Value(name, self.array_at(node), constant=True)
        elif node.op == "output":
            result = node.args[0]
            self.keys = list(result) if isinstance(result, dict) else None
            self.result = fx.node.map_aggregate(tuple_tree(result), self.plain)
            leaves = values_in(self.result)
            names = self.output_names(len(leaves))
            self.graph.outputs = list(zip(names, leaves))
        else:
            self.values[node] = self.call(node)

    def array_at(self, node):
        """The array of an input or a member."""
        try:
            return array_of(node.meta["value"])
        except Uncovered as reason:
            name = "a constant" if node.target.startswith("_tensor_constant") else node.target
            raise ModelError(f"{self.path or self.title}: {name}: {reason}") from None

    def output_names(self, count):
        if self.keys and len(self.keys) == count:
            return [str(key) for key in self.keys]
        return ["y"] if count == 1 else [f"y{i}" for i in range(count)]

    def plain(self, a):
        return self.values[a] if isinstance(a, fx.Node) else a

    def call(self, node):
        """The values of a call; if it is not covered, values that stand for what is missing."""
        wanted = node.meta["value"]
        args = fx.node.map_aggregate(node.args, self.plain)
        kwargs = fx.node.map_aggregate(dict(node.kwargs), self.plain)
        name, what = node.name, node.target if isinstance(node.target, str) else name_of(node.target)
        where = ".".join(part for part in (self.path, node.meta.get("path", "")) if part)
        begun = len(self.graph.nodes)
        try:
            if node.op == "call_module":
                submodule = self.module.get_submodule(what)
                where, what = ".".join(part for part in (self.path, node.target) if part), type(submodule).__name__
                self.builder.begin(f"{name}_out", what, wanted)
                entry = modules.mapped(submodule)
                if entry is None:
                    return self.part(node, submodule, args, kwargs, wanted)
                entry.kind(submodule)  # options that ashlar does not have are found here
                result = entry.build(self.builder, submodule, node.target, *args, **kwargs)
                self.modules[node.target] = submodule
            else:
                if what not in FUNCTIONS:
                    raise Uncovered("no function of ashlar is known for it")
                self.builder.begin(name, what, wanted)
                result = FUNCTIONS[what](self.builder, *args, **kwargs)
                if isinstance(wanted, tuple) and isinstance(result, Value):
                    result = (result,)  # without indices, which few read
            self.check(result, wanted)
            self.rename(result, name if node.op != "call_module" else f"{name}_out", begun)
            return result
        except (Uncovered, ModelError) as failure:
            reason = str(failure)
        except Exception as failure:  # of the many forms that arguments of torch have
            reason = f"arguments that are not supported: {first_line(failure)}"
        del self.graph.nodes[begun:]
        return self.unknown(node, where, what, reason, wanted)

    def unknown(self, node, where, what, reason, wanted):
        self.problems.append((where, node.name if node.name == what else f"{node.name} ({what})", reason))
        inputs = values_in((fx.node.map_aggregate(node.args, self.plain), fx.node.map_aggregate(dict(node.kwargs), self.plain)))
        missing = Node(what, "torch", node.name, inputs, [], {"reason": reason}, OPSET)
        sources = frozenset().union(*(v.sources for v in inputs))

        def value(part):
            if not isinstance(part, torch.Tensor):
                return part
            try:
                array = array_of(part)
            except Uncovered:
                array = np.zeros(tuple(part.shape), np.float32)
            missing.outputs.append(Value(f"{node.name}_{len(missing.outputs)}" if missing.outputs else node.name, array,
                                         sources=sources))
            return missing.outputs[-1]

        result = fx.node.map_aggregate(tuple_tree(wanted), value)
        self.graph.nodes.append(missing)
        return result

    def part(self, node, submodule, args, kwargs, wanted):
        """A call of a module that a user wrote: a scope of its own."""
        def real(a):
            return a.meta["value"] if isinstance(a, fx.Node) else a

        arguments = fx.node.map_aggregate(node.args, real), fx.node.map_aggregate(dict(node.kwargs), real)
        path = ".".join(part for part in (self.path, node.target) if part)
        child = Scope(submodule, *arguments, path, self.problems, self.recorder, self.depth + 1)
        inputs = values_in((args, kwargs))
        if len(inputs) != len(child.graph.inputs):
            raise Uncovered("tensors among its arguments that are no arguments")
        leaves = tensors_in(wanted)
        if len(leaves) != len(child.graph.outputs):
            raise Uncovered("results that are no tensors")
        self.check([value for _, value in child.graph.outputs], leaves)
        self.children.setdefault(node.target, []).append(child)
        values = iter(self.builder.custom("call", "torch.part", inputs, [array_of(t) for t in leaves], scope=child,
                                          path=node.target))
        result = fx.node.map_aggregate(tuple_tree(wanted), lambda t: next(values) if isinstance(t, torch.Tensor) else t)
        for value in values_in(result)[:1]:
            value.name = f"{node.name}_out"
        return result

    def check(self, result, wanted):
        """Refuses a translation that gives other numbers than torch; keeps the numbers of torch."""
        for value, tensor in zip(leaves_of(result), leaves_of(wanted)):
            if not isinstance(value, Value) or not isinstance(tensor, torch.Tensor):
                continue
            array = array_of(tensor)
            if value.shape != array.shape or value.dtype != array.dtype:
                raise Uncovered(f"its translation gives {value.dtype} {list(value.shape)}, torch {array.dtype} {list(array.shape)}")
            with np.errstate(all="ignore"):
                near = np.isclose(value.array, array, TOLERANCE, TOLERANCE, equal_nan=True) | (value.array == array)
            if not near.all():
                raise Uncovered("its translation gives other numbers than torch")

    def rename(self, result, name, begun):
        """The last value of a call has the name of the call."""
        made = {id(v) for node in self.graph.nodes[begun:] for v in node.outputs}
        leaves = values_in(result)
        if len(leaves) == 1 and id(leaves[0]) in made:
            leaves[0].name = name

    def fold_norms(self):
        """A batch norm after a convolution or linear layer becomes part of its weights."""
        self.folds = {}
        makers = {id(v): node for node in self.graph.nodes for v in node.outputs if v is not None}
        calls = [node.attribute("path") for node in self.graph.nodes if node.domain == "torch.nn"]
        for node in list(self.graph.nodes):
            if node.domain != "torch.nn" or not node.op.startswith("BatchNorm") or calls.count(node.attribute("path")) > 1:
                continue
            before = makers.get(id(node.inputs[0]))
            if before is None or before.domain != "torch.nn" or node.inputs[0].uses != 1:
                continue
            fits = before.op in ("Conv1d", "Conv2d") or before.op == "Linear" and len(before.outputs[0].shape) == 2
            layer = before.attribute("module")
            channels = getattr(layer, "out_channels", getattr(layer, "out_features", None))
            if not fits or calls.count(before.attribute("path")) > 1 or channels != node.attribute("module").num_features:
                continue
            if before.op != "Linear" and len(before.outputs[0].shape) != len(layer.kernel_size) + 2:
                continue  # without a batch axis the norm has other channels
            self.folds[before.attribute("path")] = node.attribute("module")
            del self.modules[node.attribute("path")]
            before.outputs = node.outputs
            self.graph.nodes.remove(node)
