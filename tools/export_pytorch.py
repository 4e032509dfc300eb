#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes a PyTorch state dict as safetensors, or as a model image for ashlar::io::view_image.

    tools/export_pytorch.py model.pt --safetensors model.safetensors
    tools/export_pytorch.py package.models:make_model --image model.image --layout model.layout

The source is a file that torch.save wrote (a state dict, or a dictionary with one as "state_dict" or "model"), or a
function without arguments that returns an nn.Module, as module:function. A layout is what the C++ program wrote with
ashlar::io::save_layout<model>(path). From Python: save_safetensors and save_image.
"""

import argparse
import contextlib
import importlib
import inspect
import json
import os
import shutil
import struct
import sys
import zlib

import torch

DTYPES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.int16: "I16", torch.int32: "I32", torch.int64: "I64",
    torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64",
}
OF_NAME = {name: dtype for dtype, name in DTYPES.items()}


class ExportError(Exception):
    """What is wrong, as a sentence."""


@contextlib.contextmanager
def replaced(path):
    """A file that is written beside the one it replaces, which stays as it is where writing fails."""
    path = os.path.realpath(path)
    beside = f"{path}.{os.getpid()}.tmp"
    opened = open(beside, "xb")
    try:
        with opened as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)
        raise


def content_of(tensor):
    """The bytes of a tensor, little-endian and row-major."""
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:  # which NumPy does not know
        tensor = tensor.view(torch.int16)
    array = tensor.numpy()
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def as_tensors(state_dict):
    """The tensors of a state dict, or of a module; other entries are errors."""
    if isinstance(state_dict, torch.nn.Module):
        state_dict = state_dict.state_dict()
    for name, value in state_dict.items():
        if not isinstance(value, torch.Tensor):
            raise ExportError(f"{name}: no tensor but {type(value).__name__}")
        if value.dtype not in DTYPES or value.is_sparse or value.is_quantized:
            raise ExportError(f"{name}: tensors of {value.dtype} ({value.layout}) cannot be exported")
    return dict(state_dict)


def save_safetensors(state_dict, path, dtype=None):
    """Writes a state dict, or that of a module. With dtype ("F16", "BF16", "F32") floating-point tensors become that."""
    tensors = as_tensors(state_dict)
    if dtype is not None:
        tensors = {name: t.to(OF_NAME[dtype]) if t.is_floating_point() else t for name, t in tensors.items()}
    # Large elements first, so that all are aligned.
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name in order:
        tensor = tensors[name]
        end = offset + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with replaced(path) as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for name in order:
            file.write(content_of(tensors[name]))


def fnv1a(data):
    """FNV-1a of 64 bits, the hash of a layout."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def read_layout(path):
    """Bytes of the model, hash, and the arrays as tuples in the order of the file's fields."""
    with open(path, "rb") as file:
        data = file.read()
    lines = data.decode().split("\n")
    if lines[0] != "ashlar-layout 1" or lines[-1] != "":
        raise ExportError(f"{path}: this is no layout of version 1")
    word, size, _, order = lines[1].split(" ")
    if word != "model" or order != "little":
        raise ExportError(f"{path}: only layouts of little-endian machines are supported")
    arrays = []
    for line in lines[2:-1]:
        word, offset, dtype, shape, *numbers, name = line.split(" ", 9)
        if word != "array" or len(numbers) != 5:
            raise ExportError(f"{path}: a line of the layout is wrong: {line}")
        if "x" in numbers[4]:  # a panel of 16x4
            raise ExportError(f"{path}: {name} is in 8 bits: write --safetensors, of which make_image makes the image")
        extents = [] if shape == "scalar" else [int(extent) for extent in shape.split("x")]
        arrays.append((int(offset), dtype, extents, *map(int, numbers), name))
    return int(size), fnv1a(data), arrays


def converted(tensor, dtype, name):
    """A tensor in the element type of a layout; integers must fit, and kinds are not mixed."""
    wanted = OF_NAME.get(dtype)
    if wanted is None:
        raise ExportError(f"{name}: the model needs {dtype}, which PyTorch does not have")
    kinds = [(t.is_floating_point, t == torch.bool) for t in (tensor.dtype, wanted)]
    if kinds[0] != kinds[1]:
        raise ExportError(f"{name}: the model needs {dtype}, the state dict has {DTYPES[tensor.dtype]}")
    result = tensor.detach().cpu().to(wanted)
    if not wanted.is_floating_point and not torch.equal(result.to(tensor.dtype), tensor.detach().cpu()):
        raise ExportError(f"{name}: an integer does not fit {dtype}")
    return result


def save_image(state_dict, layout, path, ignore_unexpected=False):
    """Writes a state dict, or that of a module, as an image of the C++ model whose layout is given."""
    tensors = as_tensors(state_dict)
    size, layout_hash, arrays = read_layout(layout)
    model, used = bytearray(size), set()
    for offset, dtype, extents, first, rows, columns, transposed, panel, name in arrays:
        if name not in tensors:
            raise ExportError(f"{name}: missing in the state dict")
        used.add(name)
        if list(tensors[name].shape) != extents:
            raise ExportError(f"{name}: the model needs {extents}, the state dict has {list(tensors[name].shape)}")
        matrix = converted(tensors[name], dtype, name).reshape(-1, columns)[first:first + rows]
        if transposed:
            # Taps of a convolution, if more than one, stand before its channels.
            matrix = matrix.reshape(rows, -1, transposed).permute(2, 1, 0).reshape(columns, rows)
        panels = matrix.split(panel, dim=1) if panel else [matrix]
        content = b"".join(content_of(part) for part in panels)
        model[offset:offset + len(content)] = content
    count = "num_batches_tracked"  # beside statistics of a batch norm that the model has
    counts = {n for n in tensors if n.endswith(count) and n[:-len(count)] + "running_var" in used}
    unexpected = sorted(set(tensors) - used - counts)
    if unexpected and not ignore_unexpected:
        raise ExportError(f"{unexpected[0]}: in the state dict, but not in the model")
    if len(model) != size:
        raise ExportError(f"{layout}: an array of the layout lies outside the model")
    header = b"ASHLARIM" + struct.pack("<IIQQI", 1, 64, size, layout_hash, zlib.crc32(model))
    with replaced(path) as file:
        file.write(header.ljust(64, b"\0") + model)


def load_source(source):
    """The state dict of a file or of a function's module."""
    if ":" in source and not source.endswith((".pt", ".pth", ".bin")):
        module, function = source.split(":", 1)
        sys.path.insert(0, "")
        return as_tensors(getattr(importlib.import_module(module), function)())
    safe = {"weights_only": True} if "weights_only" in inspect.signature(torch.load).parameters else {}
    content = torch.load(source, map_location="cpu", **safe)
    for key in ("state_dict", "model"):
        if isinstance(content, dict) and isinstance(content.get(key), dict):
            content = content[key]
    return as_tensors(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a file that torch.save wrote, or module:function")
    parser.add_argument("--safetensors", metavar="FILE")
    parser.add_argument("--dtype", choices=["F16", "BF16", "F32", "F64"], help="element type in the safetensors file")
    parser.add_argument("--image", metavar="FILE")
    parser.add_argument("--layout", metavar="FILE", help="of the model, for --image")
    parser.add_argument("--ignore-unexpected", action="store_true", help="the image needs not all of the state dict")
    given = parser.parse_args()
    if not given.safetensors and not given.image:
        parser.error("nothing to write: --safetensors or --image")
    if given.image and not given.layout:
        parser.error("--image needs the --layout of the model")
    try:
        tensors = load_source(given.source)
        if given.safetensors:
            save_safetensors(tensors, given.safetensors, given.dtype)
        if given.image:
            save_image(tensors, given.layout, given.image, given.ignore_unexpected)
    except (ExportError, OSError) as error:
        sys.exit(f"export_pytorch.py: {error}")


if __name__ == "__main__":
    main()
