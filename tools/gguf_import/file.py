# SPDX-License-Identifier: BSL-1.0
"""The header of a GGUF file: its metadata, and where its tensors are. Format: docs/gguf.md of ggml.

Nothing in the file is believed before it is checked against the bytes that are there.
"""
import dataclasses
import struct
from pathlib import Path

import numpy as np
from onnx_import.errors import ModelError

from .blocks import TYPES

SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d"}
BOOL, STRING, ARRAY = 7, 8, 9
MOST_AXES, MOST_NESTED, MOST_NAME = 4, 4, 65535


def shown(text):
    """A name from a file, for one line of text."""
    return text if text.isprintable() else ascii(text)[1:-1]


@dataclasses.dataclass
class Tensor:
    name: str
    type: int
    shape: tuple  # the last axis is contiguous, as in NumPy
    data: np.ndarray  # bytes

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))


@dataclasses.dataclass
class GgufFile:
    version: int
    metadata: dict
    tensors: list

    def value(self, key, kind, default=None):
        """A value of the metadata, which must be of type `kind`; an error if it is missing and has no default."""
        value = self.metadata.get(key, default)
        if value is None:
            raise ModelError(f"{key}: the file does not have it")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ModelError(f"{key}: {type(value).__name__} instead of {kind.__name__}")
        return value


class Cursor:
    """Reads a header from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count, what):
        if count > self.left():
            raise ModelError(f"the file is cut: {what} needs {count:,} bytes at byte {self.at:,}, but {self.left():,} are left")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form, what):
        return struct.unpack(form, self.take(struct.calcsize(form), what))[0]

    def count(self, least_bytes, what):
        """A count of things that take at least so many bytes each."""
        count = self.number("<Q", f"the number of {what}")
        if count * least_bytes > self.left():
            raise ModelError(f"{count:,} {what} do not fit into the {self.left():,} bytes that are left at byte {self.at:,}")
        return count

    def text(self, what):
        length = self.number("<Q", f"the length of {what}")
        return bytes(self.take(length, what))

    def name(self, what):
        text = self.text(what)
        if not text or len(text) > MOST_NAME:
            raise ModelError(f"{what} has {len(text):,} bytes; names have 1 to {MOST_NAME:,}")
        try:
            return text.decode()
        except UnicodeDecodeError:
            raise ModelError(f"{what} is not UTF-8: {ascii(text)}") from None

    def metadata_value(self, kind, key, nested=0):
        if kind == STRING:
            return self.text(key).decode(errors="surrogateescape")
        if kind == ARRAY:
            return self.metadata_array(key, nested)
        if kind not in SCALARS:
            raise ModelError(f"{key}: metadata of the unknown type {kind}")
        value = self.number(SCALARS[kind], key)
        if kind != BOOL:
            return value
        if value > 1:
            raise ModelError(f"{key}: a bool of the value {value}")
        return value == 1

    def metadata_array(self, key, nested):
        if nested == MOST_NESTED:
            raise ModelError(f"{key}: arrays in arrays, more than {MOST_NESTED} deep")
        kind = self.number("<I", key)
        if kind in SCALARS and kind != BOOL:
            form = np.dtype(SCALARS[kind])
            count = self.count(form.itemsize, f"elements of {key}")
            return np.frombuffer(self.take(count * form.itemsize, key), form)
        least = {STRING: 8, ARRAY: 12}.get(kind, 1)
        return [self.metadata_value(kind, key, nested + 1) for _ in range(self.count(least, f"elements of {key}"))]


def read_version(cursor):
    if bytes(cursor.data[:4]) != b"GGUF":
        raise ModelError("this is no GGUF file: it does not begin with GGUF")
    cursor.take(4, "the magic number")
    version = cursor.number("<I", "the version")
    if version and version & 0xFFFF == 0:
        raise ModelError("the file is big-endian; convert it to little-endian by gguf_convert_endian.py of llama.cpp")
    if version not in (2, 3):
        raise ModelError(f"GGUF version {version}; versions 2 and 3 are supported")
    return version


def read_metadata(cursor, count):
    metadata = {}
    for i in range(count):
        key = cursor.name(f"the key of metadata entry {i}")
        if key in metadata:
            raise ModelError(f"{shown(key)}: the metadata has this key twice")
        metadata[key] = cursor.metadata_value(cursor.number("<I", shown(key)), shown(key))
    return metadata


def read_tensor_info(cursor, index):
    """Name, type, shape, offset and size of a tensor."""
    name = cursor.name(f"the name of tensor {index}")
    what = shown(name)
    axes = cursor.number("<I", what)
    if axes > MOST_AXES:
        raise ModelError(f"{what}: {axes:,} axes; GGUF has at most {MOST_AXES}")
    extents = [cursor.number("<Q", what) for _ in range(axes)]
    kind, offset = cursor.number("<I", what), cursor.number("<Q", what)
    if kind not in TYPES:
        raise ModelError(f"{what}: the unknown type {kind}")
    of = TYPES[kind]
    if (extents[0] if extents else 1) % of.count:
        raise ModelError(f"{what}: rows of {extents[0] if extents else 1:,} elements are no multiple of {of.name}'s {of.count}")
    size = int(np.prod([1, *extents], dtype=object)) // of.count * of.bytes
    return name, kind, tuple(reversed(extents)), offset, size


def alignment_of(metadata):
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise ModelError(f"general.alignment: {shown(str(alignment))}; a power of two is needed")
    return alignment


def place_tensors(data, begin, alignment, infos):
    """The tensors of a data section that begins at byte `begin`, unless any lies outside or in another."""
    tensors, places = [], []
    for name, kind, shape, offset, size in infos:
        what = shown(name)
        if offset % alignment:
            raise ModelError(f"{what}: the offset {offset:,} is no multiple of the alignment {alignment:,}")
        if begin + offset + size > len(data):
            raise ModelError(f"{what}: bytes {begin + offset:,} to {begin + offset + size:,} of a file of {len(data):,} bytes")
        tensors.append(Tensor(name, kind, shape, data[begin + offset:begin + offset + size]))
        if size:
            places.append((offset, offset + size, what))
    places.sort()
    for (_, end, one), (first, _, other) in zip(places, places[1:]):
        if first < end:
            raise ModelError(f"{one} and {other} overlap in the file")
    return tensors


def read_gguf(path):
    """The header of a file, with tensors as bytes that are read when they are used."""
    path = Path(path)
    try:
        if not path.is_file():
            raise ModelError("there is no such file" if not path.exists() else "this is no regular file")
        if path.stat().st_size == 0:
            raise ModelError("the file is empty")
        data = np.memmap(path, np.uint8, "r")
    except OSError as failure:
        raise ModelError(failure.strerror or str(failure)) from None
    cursor = Cursor(data)
    version = read_version(cursor)
    tensors = cursor.count(24, "tensors")
    metadata = read_metadata(cursor, cursor.count(13, "metadata entries"))
    alignment = alignment_of(metadata)
    infos, names = [], set()
    for i in range(tensors):
        infos.append(read_tensor_info(cursor, i))
        if infos[-1][0] in names:
            raise ModelError(f"{shown(infos[-1][0])}: the file has two tensors of this name")
        names.add(infos[-1][0])
    if metadata.get("split.count", 1) != 1:
        raise ModelError("the file is one part of several; join them by llama-gguf-split --merge of llama.cpp")
    begin = -(-cursor.at // alignment) * alignment
    return GgufFile(version, metadata, place_tensors(data, begin, alignment, infos))
