# SPDX-License-Identifier: BSL-1.0
"""Where a module comes from, its weights, and sample inputs."""
import importlib
import importlib.util
import inspect
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import torch

from onnx_import.errors import ModelError, first_line

from .safetensors import read_safetensors


def load_module(source):
    """The module of `file.py:Class`, `package.module:function` or `package.module:instance`, in eval mode."""
    place, colon, name = source.rpartition(":")
    if not colon or not place or not name:
        raise ModelError(f"{source}: write file.py:Class, package.module:function, or the folder of a checkpoint")
    found = load_file(Path(place)) if place.endswith(".py") else load_package(place)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ModelError(f"{source}: {place} has no {name}")
        found = getattr(found, part)
    if not isinstance(found, torch.nn.Module):
        if not callable(found):
            raise ModelError(f"{source}: {name} is no torch.nn.Module, and no function that makes one")
        try:
            found = found()
        except TypeError as failure:
            raise ModelError(f"{source}: {name}() fails: {first_line(failure)}; write a function without arguments that makes the "
                             "module") from None
        except Exception as failure:
            raise ModelError(f"{source}: {name}() fails: {type(failure).__name__}: {first_line(failure)}") from None
    if not isinstance(found, torch.nn.Module):
        raise ModelError(f"{source}: {name} makes {type(found).__name__}, no torch.nn.Module")
    return found.eval()


def load_file(path):
    if not path.is_file():
        raise ModelError(f"{path}: no such file")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    return run_import(path, lambda: spec.loader.exec_module(module), module := importlib.util.module_from_spec(spec))


def load_package(name):
    sys.path.insert(0, "")
    return run_import(name, lambda: importlib.import_module(name))


def run_import(place, load, module=None):
    try:
        loaded = load()
    except Exception as failure:
        raise ModelError(f"{place}: cannot be imported: {type(failure).__name__}: {first_line(failure)}") from None
    return loaded if module is None else module


STATES = ("state_dict", "model", "model_state_dict")  # what training calls the tensors of the module among other things


def state_within(content):
    """The dictionary of tensors in what a training saved: that of a usual name, or the only one."""
    if not isinstance(content, dict):
        return content
    found = {key: part for key, part in content.items()
             if isinstance(part, dict) and part and all(isinstance(t, torch.Tensor) for t in part.values())}
    usual = [key for key in STATES if key in found]
    return found[usual[0]] if usual else next(iter(found.values())) if len(found) == 1 else content


def load_pickled(path):
    """The tensors of a file of torch.save. Objects other than tensors are refused, so that no code of the file runs."""
    if "weights_only" not in inspect.signature(torch.load).parameters:
        raise ModelError(f"{path}: this torch {torch.__version__} cannot read such files without running code in them; "
                         "convert it to safetensors")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = state_within(torch.load(path, map_location="cpu", weights_only=True))
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, AttributeError, TypeError, IndexError) as failure:
        reason = first_line(str(failure).rpartition("WeightsUnpickler error: ")[2])
        raise ModelError(f"{path}: no file of weights alone: {reason}; save module.state_dict()") from None
    wrong = ([name for name, t in content.items() if not isinstance(t, torch.Tensor)] if isinstance(content, dict) else
             [f"its content, {type(content).__name__},"])
    if wrong:
        raise ModelError(f"{path}: {wrong[0]} is no tensor; save module.state_dict()")
    return dict(content)


def unwrapped(tensors, own):
    """The tensors without what a wrapper writes before all names of a module, such as `module.` of DataParallel."""
    first = next(iter(own), "")
    prefix = "" if first in tensors else next((name[:-len(first)] for name in tensors if name.endswith(f".{first}")), "")
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}


def load_state(module, path):
    """Fills a module from a file of weights; missing, unexpected and misshaped ones are one error."""
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"--state {path}: no such file")
    if path.suffix == ".safetensors":
        tensors = {name: torch.from_numpy(array.copy()) for name, array in read_safetensors(path).items()}
    else:
        tensors = load_pickled(path)
    own = module.state_dict()
    tensors = unwrapped(tensors, own)
    missing, unexpected = sorted(set(own) - set(tensors)), sorted(set(tensors) - set(own))
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing:
        raise ModelError(f"--state {path}: {missing[0]} is missing" + (f", and {len(missing) - 1} more" if missing[1:] else ""))
    if unexpected:
        raise ModelError(f"--state {path}: the module has no {unexpected[0]}" +
                         (f", nor {len(unexpected) - 1} more" if unexpected[1:] else ""))
    for name, tensor in tensors.items():
        if tensor.shape != own[name].shape:
            raise ModelError(f"--state {path}: {name}: the module needs {list(own[name].shape)}, the file has {list(tensor.shape)}")
    module.load_state_dict(tensors, strict=False)


class Sample:
    """An input: `[NAME=]1,128[:int64]`, or `[NAME=]x.npy`. Several with a + between them are a tuple."""

    def __init__(self, text):
        self.name, equals, rest = text.rpartition("=")
        if equals and not self.name.isidentifier():
            raise ModelError(f"--input {text}: write NAME=1,128")
        self.array, self.shape, self.type, self.parts = None, None, "float32", []
        if "+" in rest:
            self.parts = [Sample(part) for part in rest.split("+")]
            return
        if rest.endswith(".npy"):
            try:
                self.array = np.load(rest)
            except (OSError, ValueError) as failure:
                raise ModelError(f"--input {text}: {failure}") from None
            return
        shape, colon, kind = rest.partition(":")
        try:
            self.shape = tuple(int(n) for n in shape.split(",") if n)
        except ValueError:
            raise ModelError(f"--input {text}: extents are integers, as in 1,128 or 1,128:int64") from None
        if any(n < 1 for n in self.shape):
            raise ModelError(f"--input {text}: shape {list(self.shape)} has no entries")
        if np.prod([float(n) for n in self.shape] or [1.0]) * 4 > 4 << 30:
            raise ModelError(f"--input {text}: shape {list(self.shape)} is too large")
        self.type = kind or "float32"
        if self.type not in ("float32", "float64", "float16", "int64", "int32", "bool"):
            raise ModelError(f"--input {text}: {self.type} is none of float32, float64, float16, int64, int32 and bool")

    def make(self, random, most):
        """The tensor: random numbers unless given; integers lie below `most`."""
        if self.parts:
            return tuple(part.make(random, most) for part in self.parts)
        return torch.from_numpy(np.ascontiguousarray(self.array_of(random, most)))

    def array_of(self, random, most):
        if self.array is not None:
            return self.array
        if self.type == "bool":
            return random.integers(0, 2, self.shape).astype(np.bool_)
        if self.type.startswith("int"):
            return random.integers(0, most, self.shape).astype(self.type)
        return random.standard_normal(self.shape).astype(self.type)


def samples_for(module, texts):
    """Positional arguments and those with a name."""
    tables = [m.num_embeddings for m in module.modules() if isinstance(m, torch.nn.Embedding)]
    random, args, kwargs = np.random.default_rng(1), [], {}
    signature = inspect.signature(module.forward)
    if not texts and any(p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD for p in signature.parameters.values()):
        raise ModelError(f"forward{signature} needs inputs: give the shape of each by --input 1,128")
    for sample in map(Sample, texts):
        tensor = sample.make(random, min(tables, default=2))
        if sample.name:
            kwargs[sample.name] = tensor
        elif kwargs:
            raise ModelError("--input: those with a name come last")
        else:
            args.append(tensor)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as failure:
        raise ModelError(f"forward{signature} does not take these inputs: {failure}") from None
    return args, kwargs
