# SPDX-License-Identifier: BSL-1.0
"""Imports a folder with config.json and weights as Hugging Face writes it. This needs NumPy, but not PyTorch."""
import json
import re

import numpy as np

from onnx_import.emit import write_all
from onnx_import.errors import ModelError
from onnx_import.graph import Value
from onnx_import.program import Line, Member, Program
from onnx_import.report import summary

from . import decoding
from .reference import Weights
from .safetensors import read_safetensors

TYPES = {"int64": np.int64, "int32": np.int32, "float32": np.float32, "bool": np.bool_}
MOST_ENTRIES = 1 << 26  # of an input
OLD_NAMES = {"gamma": "weight", "beta": "bias"}  # of norms, as the first files of BERT have them
OLD_NORM = re.compile(r"(?<=LayerNorm\.)(gamma|beta)$")


class Config:
    """The numbers of config.json. Reading one that is absent is an error, unless a default is given."""

    def __init__(self, path):
        self.path = path
        try:
            self.entries = json.loads(path.read_text())
        except OSError as failure:
            raise ModelError(f"{path}: {failure.strerror}") from None
        except (ValueError, RecursionError) as failure:
            raise ModelError(f"{path}: no JSON: {failure}") from None
        if not isinstance(self.entries, dict):
            raise ModelError(f"{path}: no JSON object")

    def number(self, *names, default=None):
        """A positive integer under the first of these names."""
        found = self.any(*names, default=default)
        if isinstance(found, bool) or not isinstance(found, int) or not 0 < found < 1 << 32:
            raise ModelError(f"{self.path}: {names[0]} is {found!r}, not a positive integer")
        return found

    def real(self, *names, default=None):
        found = self.any(*names, default=default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not np.isfinite(found):
            raise ModelError(f"{self.path}: {names[0]} is {found!r}, no number")
        return float(found)

    def any(self, *names, default=None):
        for name in names:
            if self.entries.get(name) is not None:
                return self.entries[name]
        if default is None:
            raise ModelError(f"{self.path}: {names[0]} is missing")
        return default

    def given(self, name, default=None):
        found = self.entries.get(name)
        return default if found is None else found

    def refuse(self, name, usual):
        """An option that only has its usual value here."""
        if self.given(name, usual) != usual:
            raise ModelError(f"{self.path}: {name} {self.given(name)!r} is not supported, only {usual!r}")

    def activation(self, *names, default=None):
        known = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh",
                 "silu": "silu", "swish": "silu", "tanh": "tanh"}
        found = self.any(*names, default=default)
        if found not in known:
            raise ModelError(f"{self.path}: {names[0]} {found!r} is not supported")
        return known[found]


class Arrays:
    """The arrays of the checkpoint. `take` checks a shape and remembers what is used."""

    def __init__(self, tensors, prefixes):
        self.prefix = next((p for p in prefixes if any(name.startswith(p) for name in tensors)), "")
        self.tensors = {OLD_NORM.sub(lambda m: OLD_NAMES[m[0]], name): array for name, array in tensors.items()}
        self.used = set()

    def has(self, name):
        return self.prefix + name in self.tensors or name in self.tensors

    def take(self, name, *shape):
        key = self.prefix + name if self.prefix + name in self.tensors else name
        if key not in self.tensors:
            raise ModelError(f"{self.prefix}{name} is missing among the weights")
        array = self.tensors[key]
        if array.shape != shape:
            raise ModelError(f"{key}: config.json says {list(shape)}, the file has {list(array.shape)}")
        self.used.add(key)
        if array.dtype.kind != "f":
            raise ModelError(f"{key}: elements of {array.dtype} are no weights")
        return array.astype(np.float32)


class Plan(Program):
    """What is written: members, lines, inputs and outputs."""

    def __init__(self, config, arrays, name, context=None):
        super().__init__()
        self.config, self.arrays, self.name, self.stored = config, arrays, name, {}
        self.context, self.decoding = context, None  # the most tokens of a conversation, and how it is decoded

    @property
    def weights(self):
        return Weights(self.stored)

    def member(self, text, stored, kind, arrays):
        """A module; `arrays` are its own by their names in it."""
        arrays = {f"{stored}.{name}": array for name, array in arrays.items()}
        self.stored.update(arrays)
        self.members.append(Member(text, stored, kind, f"self.{text}", arrays))

    def tensor(self, text, stored, array):
        self.stored[stored] = array
        self.members.append(Member(text, stored, f"tensor<float, {', '.join(map(str, array.shape))}>", f"self.{text}", {stored: array}))

    def step(self, name, text, comment, array):
        """A value in memory."""
        self.lines.append(Line(name, text, f"{comment}: {list(array.shape)}", array.astype(np.float32), "buffer"))

    def let(self, name, text, comment, array):
        """An expression that the next lines read."""
        self.lines.append(Line(name, text, f"{comment}: {list(array.shape)}", array.astype(np.float32)))

    def output(self, name, text, comment, array):
        array = array.astype(np.float32)
        self.lines.append(Line(name, text, f"{comment}: {list(array.shape)}", array, "output"))
        self.outputs.append((name, name, Value(name, array)))

    def raw(self, text):
        self.lines.append(Line("", text, "", None, "raw"))

    def input(self, name, array):
        self.inputs.append((name, Value(name, array)))
        return array


class Samples:
    """The inputs that the command line gives: by name, or in the order of the model's inputs."""

    def __init__(self, texts):
        self.texts = [text.rpartition("=") for text in texts]
        self.random = np.random.default_rng(1)

    def find(self, name, place):
        for given, _, value in self.texts:
            if given == name:
                return value
        unnamed = [value for given, _, value in self.texts if not given]
        return unnamed[place] if place is not None and place < len(unnamed) else None

    def check(self, known, required):
        """Refuses inputs that the model does not have."""
        for given, _, value in self.texts:
            if given and given not in known:
                raise ModelError(f"--input {given}={value}: the model has no input of this name; it has {', '.join(known)}")
        if sum(not given for given, _, _ in self.texts) > len(required):
            raise ModelError(f"--input: more than {len(required)} without a name; the model has {', '.join(required)}")

    def make(self, name, place, most, kind="int64", axes=(1, 2)):
        """An array of integers below `most`, of numbers or of bools; None if it is not given."""
        text = self.find(name, place)
        if text is None:
            return None
        if text.endswith(".npy"):
            try:
                array = np.load(text)
            except (OSError, ValueError) as failure:
                raise ModelError(f"--input {text}: {failure}") from None
            if array.dtype.kind != np.dtype(TYPES[kind]).kind:
                raise ModelError(f"--input {name}: {text} has {array.dtype}, the model needs {kind}")
            array = array.astype(TYPES[kind])
        else:
            shape = self.shape(name, text, kind)
            if kind == "bool":
                array = np.ones(shape, bool)
                array[..., max(1, shape[-1] - shape[-1] // 4):] = False  # padding at the end
            elif kind == "float32":
                array = self.random.standard_normal(shape).astype(np.float32)
            else:
                array = self.random.integers(0, most, shape).astype(TYPES[kind])
        if array.ndim not in axes or 0 in array.shape:
            raise ModelError(f"--input {name}: shape {list(array.shape)} does not fit; it has "
                             f"{' or '.join(map(str, axes))} axes, none of them empty")
        if kind.startswith("int") and (array.min() < 0 or array.max() >= most):
            raise ModelError(f"--input {name}: its integers must be at least 0 and less than {most}")
        return array

    @staticmethod
    def shape(name, text, kind):
        extents, colon, given = text.partition(":")
        try:
            shape = tuple(int(n) for n in extents.split(",") if n)
        except ValueError:
            raise ModelError(f"--input {text}: extents are integers, as in 1,128") from None
        if colon and given != kind:
            raise ModelError(f"--input {name}: it is of {kind}, not of {given}")
        if any(n < 1 for n in shape) or np.prod([float(n) for n in shape]) > MOST_ENTRIES:
            raise ModelError(f"--input {name}: shape {list(shape)} is empty or too large")
        return shape


def read_weights(folder):
    """The arrays of a checkpoint, which may be in several files."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        return read_safetensors(folder / "model.safetensors")
    if index.is_file():
        names = sorted(set(Config(index).any("weight_map").values()))
        if any(not isinstance(name, str) or "/" in name or "\\" in name for name in names):
            raise ModelError(f"{index}: it names files outside the folder")
        return {name: array for file in names for name, array in read_safetensors(folder / file).items()}
    if (folder / "pytorch_model.bin").is_file():
        try:
            from .source import load_pickled
        except ImportError as missing:
            raise ModelError(f"{missing}: pytorch_model.bin needs PyTorch; model.safetensors does not") from None
        return {name: tensor.float().numpy() if tensor.is_floating_point() else tensor.numpy()
                for name, tensor in load_pickled(folder / "pytorch_model.bin").items()}
    raise ModelError(f"{folder}: it has neither model.safetensors nor pytorch_model.bin")


def import_checkpoint(folder, inputs, name, out, origin, context=None):
    """Writes the files. Returns that all is covered, and the report.

    With a `context`, the most tokens of a conversation, a decoder keeps keys and values and decodes token by token.
    """
    from .architectures import DECODERS, TABLE
    if folder.is_file() and folder.suffix != ".py":
        raise ModelError(f"{folder}: weights alone do not tell what computes with them; write model.py:Net --state {folder.name}, or the "
                         "folder with config.json")
    if not folder.is_dir():
        raise ModelError(f"{folder}: no folder of a checkpoint; of a module, write file.py:Class")
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder}: it has no config.json, so it is no checkpoint")
    config = Config(folder / "config.json")
    kind = config.any("model_type")
    if kind not in TABLE:
        raise ModelError(f"{config.path}: models of type {kind!r} are not supported, only {', '.join(sorted(TABLE))}")
    build, prefixes = TABLE[kind]
    if context and build not in DECODERS:
        known = ", ".join(sorted(kind for kind, (build, _) in TABLE.items() if build in DECODERS))
        raise ModelError(f"--context: models of type {kind} do not decode token by token here, only {known}")
    arrays = Arrays(read_weights(folder), prefixes)
    plan = Plan(config, arrays, name, context)
    try:
        build(plan, Samples(inputs))
    except (KeyError, ValueError, IndexError) as failure:
        raise ModelError(f"{folder}: its weights do not fit its config.json: {failure!r}") from None
    if name in [member.text for member in plan.members] + (decoding.MEMBERS if plan.decoding else []):
        raise ModelError(f"--name {name}: the struct has a member of this name; choose another one")
    unused = sorted(set(arrays.tensors) - arrays.used)
    notes = [f"not imported: {unused[0]}" + (f" and {len(unused) - 1} more arrays" if unused[1:] else "")] if unused else []
    write = decoding.write_all if plan.decoding else write_all
    if plan.decoding:
        notes.append(plan.decoding.note(context))
    elif build in DECODERS:
        notes.append("this header computes all tokens at once; --context N adds a state, prefill and step for at most N tokens")
    return True, "\n".join(summary(name, f"a checkpoint of type {kind}", plan, notes, write(out, name, plan, origin)))
