# SPDX-License-Identifier: BSL-1.0
"""Writes arrays as a safetensors file."""
import json

import numpy as np

NAMES = {"float32": "F32", "float64": "F64", "float16": "F16", "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32",
         "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64"}


def write_safetensors(path, arrays):
    """`arrays` are pairs of a name and an array. Wide elements come first, so that all are aligned."""
    header, data, position = {}, [], 0
    for name, array in sorted(arrays, key=lambda pair: -pair[1].dtype.itemsize):
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": NAMES[array.dtype.name], "shape": list(array.shape),
                        "data_offsets": [position, position + len(raw)]}
        position += len(raw)
        data.append(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(data))
