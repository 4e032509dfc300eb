# SPDX-License-Identifier: BSL-1.0
"""Programs that torch.export saved (.pt2) as modules: the tree of modules is that of the source, whose code is not needed.

Layers of torch.nn with one operator become modules of their types again. What the others compute is operators of ATen.
"""
from __future__ import annotations

import contextlib
import json
import operator
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import fx, nn
from torch.utils import _pytree as pytree

from onnx_import.errors import ModelError, first_line

from .exported import IS_THERE, silence, without_others
from .functions.aten import name_of
from .source import Sample
from .trace import tensors_in

RECURRENT = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn_tanh": nn.RNN, "rnn_relu": nn.RNN}


@contextlib.contextmanager
def only_tensors() -> Iterator[None]:
    """torch.load takes tensors alone, whatever its caller asks for: torch.export.load would run code of the file."""
    before = torch.load

    def load(file, *args, **options):
        return before(file, *args, **{**options, "weights_only": True})

    torch.load = load
    try:
        yield
    finally:
        torch.load = before


def read_program(path: Path) -> torch.export.ExportedProgram:
    """The program of a file. Nothing in the file runs."""
    if not IS_THERE:
        raise ModelError(f"{path}: a file of torch.export needs PyTorch 2.6 or later, this is {torch.__version__}")
    if not path.is_file():
        raise ModelError(f"{path}: no such file")
    try:
        with zipfile.ZipFile(path) as archive:
            graphs = [archive.read(name) for name in archive.namelist() if name.endswith(".json")]
        if any(has_key(json.loads(graph), "expr_str") for graph in graphs):  # PyTorch would evaluate it as Python
            raise ModelError(f"{path}: it has axes without a fixed extent; export it without dynamic_shapes")
        with silence(), only_tensors():
            return torch.export.load(path)
    except ModelError:
        raise
    except Exception as failure:  # whatever a damaged file does
        raise ModelError(f"{path}: no program of torch.export, or damaged: {type(failure).__name__}: {first_line(failure)}") from None


def has_key(value: object, key: str) -> bool:
    if isinstance(value, dict):
        return key in value or any(has_key(part, key) for part in value.values())
    return isinstance(value, list) and any(has_key(part, key) for part in value)


def load_program(path: Path, texts: list[str]) -> tuple[nn.Module, list]:
    """A module and its inputs: those of --input, or the ones in the file."""
    program = read_program(path)
    samples, given = list(map(Sample, texts)), program.example_inputs
    if any(sample.name for sample in samples):
        raise ModelError("--input: inputs of a program have no names here; give them in its order")
    if samples:
        random = np.random.default_rng(1)
        given = tuple(sample.make(random, 2) for sample in samples), {}  # integers below 2 are entries of any table
    if not given:
        raise ModelError(f"{path}: it has no sample inputs; give the shape of each by --input 1,128")
    inputs = pytree.tree_leaves(given)
    try:
        with torch.no_grad(), silence():
            expected = tensors_in(program.module()(*given[0], **given[1]))
            module = Tree(without_others(program, RECURRENT)).module()
            found = tensors_in(module(*inputs))
    except Exception as failure:
        raise ModelError(f"{path}: it does not run: {type(failure).__name__}: {first_line(failure)}") from None
    if len(found) != len(expected) or not all(a.shape == b.shape and torch.allclose(a, b, 1e-4, 1e-5, equal_nan=True)
                                              for a, b in zip(found, expected)):
        raise ModelError(f"{path}: its modules, put together again, give other numbers than the program")
    return module, inputs


class Tree:
    """The modules of a program. `types` are the names of their classes by path."""

    def __init__(self, program: torch.export.ExportedProgram):
        self.program, self.types = program, {}
        for node in program.graph.nodes:
            for path, kind in node.meta.get("nn_module_stack", {}).values():
                self.types[path] = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"

    def module(self) -> nn.Module:
        root = torch.export.unflatten(self.program)
        output = next(node for node in root.graph.nodes if node.op == "output")
        output.args = (pytree.tree_unflatten(list(output.args[0]), self.program.call_spec.out_spec),)
        return self.restored(root, "").eval()

    def restored(self, module: nn.Module, path: str) -> nn.Module:
        """A module whose class has the name of the source, with those inside it."""
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        for i, node in enumerate(inputs if path else ()):  # equal modules have equal names
            node.target = f"x{i}" if inputs[1:] else "x"
            node._rename(node.target)
        for node in list(module.graph.nodes):
            if node.op == "call_module":
                self.restore_inner(module, node, f"{path}.{node.target}".lstrip("."))
        place, _, name = self.types.get(path.partition("@")[0], "Program").rpartition(".")
        made = fx.GraphModule(module, module.graph, name)
        whole = place.startswith("torch.nn.") and not place.endswith(".container") and any(True for _ in module.parameters())
        type(made).__module__ = "exported" if whole else place  # a struct of its own, as modules that a user wrote are
        return made

    def restore_inner(self, module: nn.Module, node: fx.Node, path: str) -> None:
        """Restores what a node of the graph of `module` calls, and fits the call to it."""
        stem, _, last = node.target.rpartition(".")
        holder = module.get_submodule(stem)
        inner = getattr(holder, last)
        if not hasattr(inner, "graph") or isinstance(inner, fx.GraphModule):
            return  # restored for another call
        layer = rebuilt(inner, self.types.get(path.partition("@")[0], ""))
        if layer is None:
            setattr(holder, last, self.restored(inner, path))
            return
        setattr(holder, last, layer)
        if isinstance(layer, nn.RNNBase):
            call_recurrent(module.graph, node, inner.graph)
        elif isinstance(layer, nn.MultiheadAttention):
            node.args, node.kwargs = node.args * 3, {"need_weights": False}
            with module.graph.inserting_after(node):
                node.replace_all_uses_with(rows := module.graph.call_function(operator.getitem, (node, 0)))
            rows.args = (node, 0)


def call_of(graph: fx.Graph, name: str | None = None) -> fx.Node | None:
    """The only operator with operands, or of a name; others are constants, such as zeros of a first state. None if there are several."""
    calls = [n for n in graph.nodes if n.op == "call_function" and n.target is not operator.getitem and n.all_input_nodes]
    calls = [n for n in calls if name is None or name_of(n.target) == name]
    return calls[0] if len(calls) == 1 else None


def call_recurrent(graph: fx.Graph, node: fx.Node, inner: fx.Graph) -> None:
    """Calls a recurrent layer at `node` as its class wants it: with a state, and the results are rows and a state.

    What stands there takes the tensors that the operator in `inner` reads and returns some of rows, h and c.
    """
    call = call_of(inner)
    given = dict(zip((n for n in inner.nodes if n.op == "placeholder"), node.args))
    first = call.args[1] if isinstance(call.args[1], (list, tuple)) else [call.args[1]]
    first = [given[n] for n in first if n in given]
    node.args = (given[call.args[0]], *([tuple(first) if len(first) > 1 else first[0]] if first else []))
    output = next(n for n in inner.nodes if n.op == "output").args[0]
    places = [n.args[1] for n in (output if isinstance(output, (list, tuple)) else [output])]
    users = list(node.users)
    with graph.inserting_before(node.next):
        parts = [graph.call_function(operator.getitem, (node, i)) for i in (0, 1)]
        if isinstance(call.args[1], (list, tuple)):
            parts[1:] = [graph.call_function(operator.getitem, (parts[1], i)) for i in (0, 1)]
    for user in users:
        if isinstance(output, (list, tuple)):
            user.replace_all_uses_with(parts[places[user.args[1]]])
            graph.erase_node(user)
        else:
            user.replace_input_with(node, parts[places[0]])


def rebuilt(module: nn.Module, kind: str) -> nn.Module | None:
    """The layer of torch.nn that a module is, or None."""
    place, _, name = kind.rpartition(".")
    if not place.startswith("torch.nn.modules.") or name not in BUILD:
        return None
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    call = call_of(module.graph, "scaled_dot_product_attention" if name == "MultiheadAttention" else None)
    if call is None or len(inputs) > 1 and BUILD[name] is not recurrent:
        return None
    layer = BUILD[name](getattr(nn, name), module, call, list(call.args))
    if layer is None:
        return None
    own = dict(module.named_parameters(), **dict(module.named_buffers()))
    own = {name: own[name] for name in layer.state_dict() if name in own}
    layer.load_state_dict(own, strict=False)
    return layer.to(next(iter(own.values())).dtype) if own else layer


def linear(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    return type_(m.weight.shape[1], m.weight.shape[0], bias=len(args) > 2 and args[2] is not None)


def convolution(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    stride, padding, dilation, groups = (args + [1, 0, 1, 1][len(args) - 3:])[3:7] if len(args) > 2 else (1, 0, 1, 1)
    return type_(m.weight.shape[1] * groups, m.weight.shape[0], tuple(m.weight.shape[2:]), stride, padding, dilation, groups,
                 bias=len(args) > 2 and args[2] is not None)


def embedding(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    return type_(*m.weight.shape)


def layer_norm(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    given = args + [None, None, 1e-5][len(args) - 2:]
    return type_(given[1], given[4], elementwise_affine=given[2] is not None, bias=given[3] is not None)


def group_norm(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    given = args + [None, None, 1e-5][len(args) - 2:]
    return type_(given[1], call.args[0].meta["val"].shape[1], given[4], affine=given[2] is not None)


def batch_norm(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    return type_(m.running_mean.shape[0], args[6], affine=args[1] is not None)


def recurrent(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module:
    """aten.lstm(x, state, weights, bias, layers, dropout, train, bidirectional, batch_first); of a GRU the same."""
    name = name_of(call.target)
    bias, layers, _, _, bidirectional, batch_first = args[3:9]
    more = {"nonlinearity": name[4:]} if type_ is nn.RNN else {}
    if hasattr(m, "weight_hr_l0"):
        more["proj_size"] = m.weight_hr_l0.shape[0]
    return type_(m.weight_ih_l0.shape[1], m.weight_hh_l0.shape[0] // {"lstm": 4, "gru": 3}.get(name, 1), layers, bias=bias,
                 bidirectional=bidirectional, batch_first=batch_first, **more)


def self_attention(type_: type, m: nn.Module, call: fx.Node, args: list) -> nn.Module | None:
    """Attention of rows to themselves without weights and masks: its first operator exchanges the axes if the batch is first."""
    rows = next(node for node in m.graph.nodes if node.op == "placeholder")
    batch_first = any(name_of(user.target) == "transpose" for user in rows.users)
    if len(args) > 3 or call.kwargs or not hasattr(m, "in_proj_weight"):
        return None
    return type_(m.in_proj_weight.shape[1], args[0].meta["val"].shape[1], bias=hasattr(m, "in_proj_bias"), batch_first=batch_first)


BUILD = {"Linear": linear, "Conv1d": convolution, "Conv2d": convolution, "Embedding": embedding, "LayerNorm": layer_norm,
         "GroupNorm": group_norm, "BatchNorm1d": batch_norm, "BatchNorm2d": batch_norm, "BatchNorm3d": batch_norm,
         "LSTM": recurrent, "GRU": recurrent, "RNN": recurrent, "MultiheadAttention": self_attention}
