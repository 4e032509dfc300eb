# SPDX-License-Identifier: BSL-1.0
"""Reads a safetensors file as arrays. Numbers of bfloat16 become float32, which holds them exactly."""
import json
from pathlib import Path

import numpy as np

from onnx_import import bf16
from onnx_import.errors import ModelError
from onnx_import.safetensors import NAMES

DTYPES = {name: np.dtype(dtype) for dtype, name in NAMES.items()}
MOST_HEADER = 100 << 20  # bytes, as in the format's own reader


def read_safetensors(path):
    """The arrays of a file by name; every claim of the header is checked before it is used."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as failure:
        raise ModelError(f"{path}: {failure.strerror}") from None
    size = int.from_bytes(data[:8], "little") if len(data) >= 8 else 0
    if not 2 <= size <= min(MOST_HEADER, len(data) - 8):
        raise ModelError(f"{path}: no safetensors file, or cut off")
    try:
        header = json.loads(data[8:8 + size])
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, AttributeError, RecursionError):
        raise ModelError(f"{path}: no safetensors file: its header is no JSON object") from None
    content = memoryview(data)[8 + size:]
    return {name: array_of(path, name, entry, content) for name, entry in entries.items()}


def array_of(path, name, entry, content):
    try:
        kind, shape = entry["dtype"], [int(n) for n in entry["shape"]]
        first, last = (int(n) for n in entry["data_offsets"])
    except (TypeError, KeyError, ValueError):
        raise ModelError(f"{path}: {name}: its entry in the header is wrong") from None
    dtype = np.dtype(np.uint16) if kind == "BF16" else DTYPES.get(kind)
    if dtype is None:
        raise ModelError(f"{path}: {name}: elements of {kind} are not supported")
    wanted = dtype.itemsize
    for extent in shape:
        wanted *= extent
    if min(shape, default=1) < 0 or not 0 <= first <= last <= len(content) or last - first != wanted:
        raise ModelError(f"{path}: {name}: shape {shape} of {kind} needs {wanted} bytes, the file has {first} to {last} "
                         f"of {len(content)}")
    array = np.frombuffer(content[first:last], dtype).reshape(shape)
    return bf16.floats_of(array) if kind == "BF16" else array
