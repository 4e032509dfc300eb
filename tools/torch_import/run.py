# SPDX-License-Identifier: BSL-1.0
"""From a module to the files: what the command line and the tests call."""
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch

from onnx_import.cpp import check_name
from onnx_import.emit import write_all
from onnx_import.errors import ModelError, Uncovered, first_line
from onnx_import.report import summary

from . import exported
from .builder import array_of
from .channels_last import store_channels_last
from .part import NetTranslation
from .scope import Scope
from .trace import Recorder, tensors_in

RECORDERS = (exported.ExportRecorder, Recorder) if exported.IS_THERE else (Recorder,)  # in the order in which they are tried


def copied(value):
    """A tensor, or a tuple of them, that the module may change."""
    return tuple(map(copied, value)) if isinstance(value, tuple) else value.clone()


def run_module(module, args, kwargs):
    """The outputs of a module; twice, to see whether they depend on anything but the inputs."""
    for inner in module.modules():
        if isinstance(inner, torch.nn.TransformerEncoder):
            inner.enable_nested_tensor = False  # which would make zeros of padded rows
    try:
        with torch.no_grad():
            first, second = (tensors_in(module(*map(copied, args), **{k: copied(v) for k, v in kwargs.items()}))
                             for _ in range(2))
    except Exception as failure:
        shapes = ", ".join(str(list(t.shape)) for t in tensors_in([args, kwargs]))
        raise ModelError(f"{type(module).__name__} of {shapes} fails: {type(failure).__name__}: {first_line(failure)}") from None
    if not first:
        raise ModelError(f"{type(module).__name__} returns no tensors")
    if len(first) != len(second) or any(a.shape != b.shape or not torch.allclose(a, b, equal_nan=True)
                                        for a, b in zip(first, second)):
        raise ModelError(f"{type(module).__name__} gives other outputs for the same inputs in eval mode: "
                         "it draws random numbers or keeps a state")
    return first


def import_module(module, args, kwargs, name, folder, origin="", through_onnx=None):
    """Writes the files. Returns whether all is covered, and the report.

    `through_onnx` is True to go by an ONNX file, False never to do so, None to do so where a module is not covered.
    """
    check_name(name)
    origin = origin or f"Imported from the module {type(module).__name__}."
    module.eval()
    expected = run_module(module, args, kwargs)
    if any(t.isnan().any() for t in expected):
        raise ModelError(f"{type(module).__name__} gives NaN for these inputs, so nothing can be compared; give samples by --input "
                         "name=x.npy, such as a mask that keeps a key of each row")
    if through_onnx:
        return import_exported(module, args, kwargs, expected, name, folder, origin, [])
    notes = []
    for recorder in RECORDERS:
        scope, translation, problems, error = recorded(module, args, kwargs, expected, name, recorder)
        if not problems:
            break
        if recorder is not RECORDERS[-1]:
            where, what, reason = problems[0]
            notes = [f"recorded by torch.fx, because torch.export cannot: {where and where + ': '}{what}: {reason}"]
    if not problems:
        paths = write_all(folder, name, translation, origin)
        return True, "\n".join(summary(name, counts(scope), translation, notes, paths))
    lines = [f"{len(problems)} modules or functions are not covered:"]
    lines += [f"  {f'{where}: ' if where else ''}{what}: {reason}" for where, what, reason in problems]
    if through_onnx is None:
        try:
            complete, text = import_exported(module, args, kwargs, expected, name, folder, origin, lines)
            if complete:
                return True, text
        except ModelError as failure:
            lines.append(f"The way through ONNX fails, too: {failure}")
    if translation is None:
        raise error
    paths = write_all(folder, name, translation, origin)
    return False, "\n".join(summary(name, counts(scope), translation, [], paths) + lines)


def recorded(module, args, kwargs, expected, name, recorder):
    """A scope, its translation or None, what is not covered, and the error that left no translation."""
    scope, problems = None, []
    try:
        with torch.no_grad():
            scope = Scope(module, args, kwargs, "", problems, recorder)
        check_outputs(scope, expected)
        store_channels_last(scope)
        translation = NetTranslation(scope, name)
        return scope, translation, problems + list_of(translation), None
    except (ModelError, Uncovered) as failure:
        return scope, None, problems + [("", type(module).__name__, str(failure))], ModelError(str(failure))


def list_of(translation):
    """Problems of the translation itself, of all parts. What the recording found is there already."""
    found = [(translation.scope.path, f"{node.name} ({node.op})", reason) for node, reason in translation.problems
             if node.domain not in ("torch", "torch.part")]
    for part in translation.parts.values():
        found += list_of(part)
    return found


def counts(scope):
    calls = operators = 0
    stack = [scope]
    while stack:
        inner = stack.pop()
        calls += sum(node.domain.startswith("torch") for node in inner.graph.nodes)
        operators += sum(not node.domain.startswith("torch") for node in inner.graph.nodes)
        stack += [child for children in inner.children.values() for child in children]
    return f"{calls} calls of modules, {operators} operators"


def check_outputs(scope, expected):
    """Compares what was recorded with what the module gives."""
    if len(scope.graph.outputs) != len(expected):
        raise ModelError(f"{scope.title}: {len(scope.graph.outputs)} outputs were recorded, the module has {len(expected)}")
    for (name, value), tensor in zip(scope.graph.outputs, expected):
        array = array_of(tensor)
        if value.shape != array.shape or not np.allclose(value.array, array, 1e-4, 1e-4, equal_nan=True):
            raise ModelError(f"{scope.title}: output {name}: the recorded calls give other numbers than the module; "
                             "it changes tensors in place, or draws random numbers")
        value.array = array


def import_exported(module, args, kwargs, expected, name, folder, origin, lines):
    """The way by torch.onnx.export and the importer of ONNX."""
    try:
        from onnx_import.load import read_model
        from onnx_import.run import import_model
    except ImportError as missing:
        raise ModelError(f"{missing}: the way through ONNX needs it") from None
    if kwargs or any(isinstance(a, tuple) for a in args):
        raise ModelError("inputs with names and tuples cannot go through ONNX; give all by position")
    names = [f"x{i}" if len(args) > 1 else "x" for i in range(len(args))]
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / f"{name}.onnx"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", torch.jit.TracerWarning)
                torch.onnx.export(module, tuple(a.clone() for a in args), str(path), input_names=names, opset_version=16)
        except torch.jit.TracerWarning as warning:
            raise ModelError(f"its control flow depends on data: {first_line(warning)}") from None
        except Exception as failure:
            raise ModelError(f"torch.onnx.export: {type(failure).__name__}: {first_line(failure)}") from None
        model = read_model(path)
        samples = {n: array_of(a) for n, a in zip(names, args)}
        complete, text = import_model(model, name, folder if not lines else Path(made) / "tried", samples=samples, origin=origin,
                                      expected=[array_of(t) for t in expected])
        if complete and lines:
            complete, text = import_model(read_model(path), name, folder, samples=samples, origin=origin,
                                          expected=[array_of(t) for t in expected])
    return complete, "\n".join([text, "It was imported through ONNX, because"] + lines if lines else
                               [text, "It was imported through ONNX."])
