# SPDX-License-Identifier: BSL-1.0
"""Converts a whole file: all checks first, then one tensor after the other."""
import numpy as np
from onnx_import import bf16
from onnx_import.errors import ModelError
from onnx_import.safetensors import Entry, write_entries

from .blocks import TYPES, values_of
from .file import shown
from .names import LEFT_OUT, NameMap

FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def widened(array, stored):
    """Floating-point elements of a file as NumPy computes with them."""
    return bf16.floats_of(array) if stored == "BF16" else array


def rounded_to(array, stored, wanted, what):
    """Elements in another floating-point type. Numbers that are too large for it are an error."""
    if wanted is None or wanted == stored or stored not in FLOATS:
        return array
    array = widened(array, stored)
    with np.errstate(over="ignore", invalid="ignore"):
        result = bf16.bits_of(array) if wanted == "BF16" else array.astype(FLOATS[wanted])
    if (np.isinf(widened(result, wanted)) & np.isfinite(array)).any():
        raise ModelError(f"{what}: a number is too large for {wanted}")
    return result


class Conversion:
    """Entries of a safetensors file. Arrays are made when they are written."""

    def __init__(self, file, kind, dtype):
        self.names, self.dtype, self.notes, self.entries = NameMap(file, kind), dtype, [], []
        taken = {}
        for tensor in file.tensors:
            name, change = self.names.find(tensor.name)
            if change == LEFT_OUT:
                self.notes.append(f"{shown(tensor.name)} is left out: the model scales its rotary frequencies by it")
                continue
            if name in taken:
                raise ModelError(f"{shown(tensor.name)} and {shown(taken[name])} both are {shown(name)}")
            taken[name] = tensor.name
            self.entries.append(self.entry(tensor, name, change))

    def entry(self, tensor, name, change):
        of = TYPES[tensor.type]
        if of.stored is None and of.read is None:
            known = ", ".join(t.name for t in TYPES.values() if t.stored or t.read)
            raise ModelError(f"{shown(tensor.name)}: {of.name} is not supported; {known} are")
        stored = of.stored[1] if of.stored else "F32"
        wanted = self.dtype if self.dtype and stored in FLOATS else stored
        shape = tuple(reversed(tensor.shape)) if change == "transposed" else tensor.shape
        width = np.dtype(FLOATS[wanted]).itemsize if wanted in FLOATS else of.bytes
        return Entry(name, wanted, shape, width, lambda: self.array(tensor, change, stored))

    def array(self, tensor, change, stored):
        values, _ = values_of(tensor)
        return rounded_to(self.names.changed(tensor.name, change, values), stored, self.dtype, shown(tensor.name))


def convert(file, path, kind="huggingface", dtype=None):
    """Writes the file's weights as safetensors; returns what the user should know. After an error there is no new file."""
    conversion = Conversion(file, kind, dtype)
    write_entries(path, conversion.entries)
    total = sum(e.bytes for e in conversion.entries)
    return [f"{path}: {len(conversion.entries):,} arrays, {total:,} bytes"] + conversion.notes
