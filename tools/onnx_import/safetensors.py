# SPDX-License-Identifier: BSL-1.0
"""Writes arrays as a safetensors file."""
import contextlib
import dataclasses
import json
import math
import os
from collections.abc import Callable

import numpy as np

NAMES = {"float32": "F32", "float64": "F64", "float16": "F16", "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32",
         "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64"}


@dataclasses.dataclass
class Entry:
    """An array of a file: `make` returns it when it is written, so that not all are in memory at once."""
    name: str
    dtype: str  # as safetensors spells it
    shape: tuple
    width: int  # bytes of an element
    make: Callable

    @property
    def bytes(self):
        return math.prod(self.shape) * self.width


@contextlib.contextmanager
def replaced(path):
    """A file that is written beside the one it replaces. After an error neither is changed."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "xb") as file:
            yield file
        os.replace(beside, path)
    except BaseException as failure:
        with contextlib.suppress(OSError):
            os.remove(beside)
        if isinstance(failure, OSError):
            failure.filename = str(path)
        raise


def write_entries(path, entries):
    """Wide elements come first, so that all are aligned."""
    header, position = {}, 0
    entries = sorted(entries, key=lambda entry: -entry.width)
    for entry in entries:
        header[entry.name] = {"dtype": entry.dtype, "shape": list(entry.shape), "data_offsets": [position, position + entry.bytes]}
        position += entry.bytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with replaced(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for entry in entries:
            file.write(np.ascontiguousarray(entry.make()).data)


def write_safetensors(path, arrays):
    """`arrays` are pairs of a name and an array."""
    write_entries(path, [Entry(name, NAMES[array.dtype.name], array.shape, array.dtype.itemsize, lambda array=array: array)
                         for name, array in arrays])
