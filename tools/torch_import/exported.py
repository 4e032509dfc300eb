# SPDX-License-Identifier: BSL-1.0
"""Records one call of one module by torch.export, where PyTorch has it: what trace.Recorder gives, but of the operators of ATen.

Calls of the modules inside that are single steps stay whole: for the export they are calls of one operator without a content.
"""
from __future__ import annotations

import contextlib
import functools
import logging
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import fx
from torch.utils import _pytree as pytree

from onnx_import.errors import first_line

from .functions import TABLE as FUNCTIONS
from .functions.aten import name_of
from .trace import Untraceable, tensors_in

IS_THERE = hasattr(torch, "export") and hasattr(torch.export, "default_decompositions")  # from PyTorch 2.6 on

CALLS = []  # those of the module that is being exported


def results_of(_: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    """Tensors like the results of a call."""
    return [torch.empty_like(t, device="meta") for t in tensors_in(CALLS[number][3])]


if IS_THERE:
    LIBRARY = torch.library.Library("ashlar_import", "DEF")
    LIBRARY.define("call(Tensor[] operands, int number) -> Tensor[]")
    LIBRARY.impl("call", results_of, "Meta")
    CALL = torch.ops.ashlar_import.call.default


def copied(value: object) -> object:
    """With copies of all tensors, as modules may change theirs."""
    return pytree.tree_map(lambda t: t.clone() if isinstance(t, torch.Tensor) else t, value)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """No warnings and no log: a failure is an exception, which the report has."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def without_others(program: torch.export.ExportedProgram, kept: Iterable[str] = ()) -> torch.export.ExportedProgram:
    """The program without operators that the tables do not have, as far as PyTorch knows what they are made of."""
    others = torch.export.default_decompositions().items()
    return program.run_decompositions({op: how for op, how in others if name_of(op) not in FUNCTIONS and name_of(op) not in kept})


@contextlib.contextmanager
def replaced(modules: dict[str, torch.nn.Module], forward: Callable) -> Iterator[None]:
    """Modules by path whose forward is, for a while, forward(path, their own, ...)."""
    own = {path: module.__dict__.get("forward") for path, module in modules.items()}
    for path, module in modules.items():
        module.forward = functools.partial(forward, path, module.forward)
    try:
        yield
    finally:
        for path, module in modules.items():
            del module.forward
            if own[path] is not None:
                module.forward = own[path]


class ExportRecorder:
    """Records a call: `record` gives a graph whose nodes have the values of the sample and the paths of their modules."""

    def __init__(self, module: torch.nn.Module, args: Iterable, kwargs: dict, title: str, is_step: Callable[[torch.nn.Module], bool]):
        self.module, self.args, self.kwargs, self.title = module, tuple(args), dict(kwargs), title
        self.steps = {}  # without those inside others
        for path, inner in module.named_modules():
            if path and is_step(inner) and not any(path.startswith(f"{outer}.") for outer in self.steps):
                self.steps[path] = inner
        self.nodes, self.graph = {}, fx.Graph()  # the nodes by those of the export

    def run(self) -> list[tuple[str, tuple, dict, object]]:
        """The calls of the steps: paths, arguments and results."""
        calls = []

        def forward(path, own, *args, **kwargs):
            result = own(*args, **kwargs)
            calls.append((path, args, kwargs, copied(result)))
            return result

        args, kwargs = copied((self.args, self.kwargs))
        with replaced(self.steps, forward):
            self.module(*args, **kwargs)
        return calls

    def export(self, calls: list[tuple[str, tuple, dict, object]]) -> torch.export.ExportedProgram:
        """The program, with operators that the tables have and those that the others are made of."""
        number = iter(range(len(calls)))

        def forward(_path, _own, *args, **kwargs):
            place = next(number)
            results = iter(CALL(tensors_in([args, kwargs]), place))
            return pytree.tree_map(lambda t: next(results) if isinstance(t, torch.Tensor) else t, calls[place][3])

        CALLS[:] = calls
        try:
            with replaced(self.steps, forward), silence():
                return without_others(torch.export.export(self.module, self.args, self.kwargs, strict=False))
        except Exception as failure:
            raise Untraceable(f"{self.title}: torch.export: {type(failure).__name__}: {first_line(failure)}") from None
        finally:
            CALLS.clear()

    def record(self) -> fx.Graph:
        calls = self.run()
        program = self.export(calls)
        self.run()  # because hooks such as those of weight_norm keep what the export computed
        signature = program.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise Untraceable(f"{self.title}: it changes its buffers or inputs")
        stored = {**program.state_dict, **program.constants}
        names = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}
        given = iter(pytree.tree_leaves((self.args, self.kwargs)))
        for node in program.graph.nodes:
            if node.op == "placeholder" and node.name in names:
                name = names[node.name]
                constant = node.name in signature.inputs_to_lifted_tensor_constants
                self.put(node, self.graph.get_attr("_tensor_constant" if constant else name), stored[name])
            elif node.op == "placeholder":
                value = next(given)
                if isinstance(value, torch.Tensor):
                    self.put(node, self.graph.placeholder(node.name), value)
            elif node.op == "output":
                results = pytree.tree_unflatten(node.args[0], program.call_spec.out_spec)
                self.graph.output(fx.node.map_arg(results, lambda n: self.nodes[n]))
            elif node.target is CALL:
                self.call(node, *calls[node.args[1]])
            else:
                self.function(node)
        return self.graph

    def put(self, node: fx.Node, made: fx.Node, value: object) -> fx.Node:
        made.meta["value"], made.meta["path"] = value, path_of(node)
        self.nodes[node] = made
        return made

    def real(self, value: object) -> object:
        return fx.node.map_arg(value, lambda n: self.nodes[n].meta["value"])

    def function(self, node: fx.Node) -> None:
        """An operator of ATen. One without operands is a constant."""
        made_of = [self.nodes.get(n) for n in node.all_input_nodes]
        if node.target is operator.getitem and isinstance(self.nodes[node.args[0]], list):
            self.nodes[node] = self.nodes[node.args[0]][node.args[1]]
            return
        if None in made_of:
            raise Untraceable(f"{self.title}: {node.name} has operands that are no tensors")
        value = node.target(*self.real(node.args), **self.real(node.kwargs))
        if not tensors_in(value):
            return
        if not made_of:
            self.put(node, self.graph.get_attr("_tensor_constant"), value)
            return
        args, kwargs = (fx.node.map_arg(part, lambda n: self.nodes[n]) for part in (node.args, node.kwargs))
        self.put(node, self.graph.create_node("call_function", node.target, args, kwargs, node.name), value)

    def call(self, node: fx.Node, path: str, args: tuple, kwargs: dict, result: object) -> None:
        """A call of a step; `node` stands for the list of the tensors in its result."""
        operands = iter(node.args[0])
        args, kwargs = pytree.tree_map(lambda a: self.nodes[next(operands)] if isinstance(a, torch.Tensor) else a, (args, kwargs))
        made = self.put(node, self.graph.create_node("call_module", path, args, kwargs, path.replace(".", "_")), result)

        def parts(made: fx.Node, value: object) -> list[fx.Node]:
            if isinstance(value, torch.Tensor):
                return [made]
            found = []
            for key, part in enumerate(value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()):
                if tensors_in(part):
                    inner = self.graph.call_function(operator.getitem, (made, key))
                    inner.meta["value"], inner.meta["path"] = part, made.meta["path"]
                    found += parts(inner, part)
            return found

        self.nodes[node] = parts(made, result)


def path_of(node: fx.Node) -> str:
    """The path of the innermost module that made a node."""
    stack = list(node.meta.get("nn_module_stack", {}).values())
    return stack[-1][0] if stack else ""
