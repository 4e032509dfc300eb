# SPDX-License-Identifier: BSL-1.0
"""Tensors, views and matrices of weights as a line that says what they are, and rows of numbers."""
from __future__ import annotations

import math
from typing import Callable, List, NamedTuple, Optional, Tuple

from .array_text import UNKNOWN, Index, Numbers, array_text, as_float
from .element import Element
from .errors import NotUnderstood, Unreadable
from .layout import Int4Layout, InterleavedLayout, SpreadGroups, is_negative_in_spread, panel_offset, row_major_strides
from .type_name import (
    Dimension, TypeName, dimensions, element_text, integer, integers_of_array, parse, shape_text,
)  # fmt: skip
from .value import Settings, Value, checked_count, read_at

Shape = Tuple[Dimension, ...]
FLOAT = Element("float", 4)


class Reader(NamedTuple):
    """How the numbers of an array are printed, and read at some indices."""

    element: Element
    read: Callable[[List[Index]], Numbers]


def by_strides(array_value: Value, shape: Shape, strides: Tuple[int, ...]) -> Reader:
    array = array_value.array()
    checked_count(array, math.prod(d.extent for d in shape))
    return Reader(
        array.element, lambda indices: read_at(array, [sum(map(int.__mul__, i, strides)) for i in indices])
    )


def by_panels(array_value: Value, shape: Shape, panel: int) -> Reader:
    array = array_value.array()
    rows, columns = (d.extent for d in shape)
    checked_count(array, rows * columns)
    return Reader(
        array.element, lambda indices: read_at(array, [panel_offset(panel, rows, columns, *i) for i in indices])
    )


def product(*factors: Optional[float]) -> Optional[float]:
    """The product of floats, if all are known."""
    return None if any(f is None for f in factors) else as_float(math.prod(factors))


def in_8_bits(matrix: Value, shape: Shape, is_smoothed: bool) -> Reader:
    """tensor/quantized_columns.hpp: quantized_value"""
    rows, columns = (d.extent for d in shape)
    layout = InterleavedLayout(rows, columns)
    integers, scales = matrix.member("elements").array(), matrix.member("scales").array()
    groups = SpreadGroups.of(rows)
    spread = groups.size if is_smoothed else 1

    def plain(indices: List[Index]) -> Numbers:
        return read_at(integers, [layout.offset(*i) for i in indices])

    def spread_back(row: int, column: int) -> Optional[int]:
        signs = [-1 if is_negative_in_spread(n, groups.member(row)) else 1 for n in range(spread)]
        terms = plain([(groups.entry_of(row, n), column) for n in range(spread)])
        return None if any(t is None for t in terms) else sum(s * t for s, t in zip(signs, terms))

    def read(indices: List[Index]) -> Numbers:
        sums = plain(indices) if spread == 1 else [spread_back(*i) for i in indices]
        scale = dict(zip(column_set := sorted({i[1] for i in indices}), read_at(scales, column_set)))
        return [product(s, scale[i[1]], 1 / spread) for s, i in zip(sums, indices)]

    return Reader(FLOAT, read)


def in_4_bits(matrix: Value, shape: Shape) -> Reader:
    """tensor/int4_columns.hpp: int4_integer, int4_scale_at"""
    layout = Int4Layout(*(d.extent for d in shape))
    blocks = matrix.member("blocks")

    def one(row: int, column: int) -> Optional[float]:
        block = blocks.array_at(layout.block(row, column))
        byte = read_at(block.member("integers").array(), [layout.byte(row, column)])[0]
        scale = read_at(block.member("scales").array(), [column % 32])[0]
        return None if byte is None else product((int(byte) >> layout.shift(row) & 15) - 8, scale)

    return Reader(FLOAT, lambda indices: [one(*i) for i in indices])


class Described(NamedTuple):
    """An array: what it is in words, its shape, the pointer it reads through, and its numbers."""

    words: str
    shape: Shape
    suffix: str
    pointer: Optional[Value]
    reader: Callable[[], Reader]


def described_quantized(value: Value, name: TypeName, is_borrowed: bool) -> Described:
    shape = dimensions(name.arguments[1:])
    element = parse(name.arguments[0])
    if len(shape) != 2:
        raise NotUnderstood("a matrix has two dimensions")
    pointer = value.member("matrix") if is_borrowed else None
    kind = element.name if element is not None else ""
    words = {"": "float in 8 bits", "smoothed": "float in 8 bits, smoothed", "unscaled": "float in 8 bits, unscaled",
             "int4": "float in 4 bits"}.get(kind)
    if words is None:
        raise NotUnderstood(f"a matrix of {kind}")

    def reader() -> Reader:
        matrix = pointer.pointed() if pointer is not None else value
        return in_4_bits(matrix, shape) if kind == "int4" else in_8_bits(matrix, shape, kind == "smoothed")

    return Described(f"quantized matrix of {words}", shape, "", pointer, reader)


def described(value: Value, name: TypeName) -> Described:
    """What an array is. Raises NotUnderstood for other types."""
    arguments = name.arguments
    if name.name in ("basic_tensor", "basic_view") and arguments:
        shape = dimensions(arguments[1:])
        strides = row_major_strides([d.extent for d in shape])
        elements = value.member("elements")
        is_view = name.name == "basic_view"
        words = f"{'view' if is_view else 'tensor'} of {element_text(arguments[0])}"
        return Described(words, shape, "", elements if is_view else None, lambda: by_strides(elements, shape, strides))
    if name.name == "strided_view" and len(arguments) > 1:
        shape = dimensions(arguments[2:])
        strides = integers_of_array(arguments[1], len(shape))
        elements = value.member("elements")
        suffix = f" by strides [{', '.join(map(str, strides))}]"
        words = f"view of {element_text(arguments[0])}"
        return Described(words, shape, suffix, elements, lambda: by_strides(elements, shape, strides))
    if name.name in ("basic_packed", "borrowed_packed") and len(arguments) == 4:
        shape, panel = dimensions(arguments[2:]), integer(arguments[1])
        elements = value.member("elements")
        words = f"packed matrix of {element_text(arguments[0])}"
        pointer = elements if name.name == "borrowed_packed" else None
        return Described(words, shape, f" in panels of {panel}", pointer, lambda: by_panels(elements, shape, panel))
    if name.name in ("basic_quantized", "borrowed_quantized") and len(arguments) == 3:
        return described_quantized(value, name, name.name == "borrowed_quantized")
    if name.name == "borrowed_int4" and len(arguments) == 2:
        return described_quantized(value, TypeName(name.name, ("ashlar::int4", *arguments)), True)
    raise NotUnderstood(f"no array: {name.name}")


def summary(array: Described) -> str:
    """The line that says what an array is."""
    line = f"{array.words} {shape_text(array.shape)}{array.suffix}"
    if array.pointer is None:
        return line
    try:
        return f"{line} at {array.pointer.pointer():#x}"
    except Unreadable as reason:
        return f"{line} at <{reason}>"


def text(value: Value, name: TypeName, settings: Settings) -> str:
    """The line that says what an array is, and its rows."""
    array = described(value, name)
    line = summary(array)
    try:
        reader = array.reader()
        rows = array_text([d.extent for d in array.shape], reader.element, settings.limit, reader.read)
    except Unreadable as reason:
        return f"{line}: <{reason}>"
    note = " (?: optimized out)" if not reader.element.kind == "bool" and UNKNOWN in rows else ""
    return f"{line}{note}: {rows}" if len(array.shape) < 2 else f"{line}{note}:\n{rows}"
