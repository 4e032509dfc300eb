# SPDX-License-Identifier: BSL-1.0
"""Values of gdb. Works with gdb 9 and later."""
from __future__ import annotations

from typing import List, Optional

import gdb

from .array_text import Numbers
from .element import Element, Number, decode, float_of_brain_bits, float_of_half_bits
from .errors import NotUnderstood, Unreadable
from .type_name import parse

# What reading a value raises: gdb.error, and its child gdb.MemoryError.
NOT_READABLE = (gdb.error, RuntimeError)


def basic(kind: gdb.Type) -> gdb.Type:
    return kind.strip_typedefs().unqualified()


def is_big_endian() -> bool:
    return "big" in gdb.execute("show endian", to_string=True)


def is_x86() -> bool:
    architecture = gdb.selected_inferior().architecture() if hasattr(gdb.Inferior, "architecture") else None
    return architecture is None or architecture.name().startswith("i386")


def element_of(kind: gdb.Type) -> Element:
    """What the elements of a type are."""
    kind = basic(kind)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        name = parse(kind.name or "")
        if name is not None and name.name == "narrow_float" and name.arguments:
            return Element("half" if name.arguments[0].endswith(("0", "half")) else "brain", 2)
    elif kind.code == gdb.TYPE_CODE_BOOL:
        return Element("bool", kind.sizeof)
    elif kind.code == gdb.TYPE_CODE_FLT:
        if kind.sizeof == 2:
            return Element("brain" if "bf" in (kind.name or "") else "half", 2)
        if kind.sizeof > 8 and not is_x86():
            raise NotUnderstood("long double of this machine")
        return Element("float" if kind.sizeof <= 8 else "x87", kind.sizeof)
    elif kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        is_signed = int(gdb.Value(-1).cast(kind)) < 0
        return Element("signed" if is_signed else "unsigned", kind.sizeof)
    raise NotUnderstood(f"elements of {kind}")


def reason(wrong: Exception) -> Unreadable:
    text = str(wrong)
    return Unreadable("optimized out" if "optimized out" in text else text[:1].lower() + text[1:])


def local_at(address: int) -> Optional[str]:
    """The variable of the selected frame that begins at an address, not a reference to it."""
    try:
        frame = gdb.selected_frame()
        block = frame.block()
    except NOT_READABLE:
        return None
    while block is not None and not block.is_global:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            try:
                value = symbol.value(frame)
                kind = basic(value.type)
                if kind.code == gdb.TYPE_CODE_REF:
                    value = value.referenced_value()
                elif kind.code != gdb.TYPE_CODE_STRUCT:
                    continue
                if value.address is not None and int(value.address) == address:
                    return symbol.name
            except NOT_READABLE:
                continue
        block = block.superblock
    return None


def static_at(address: int) -> Optional[str]:
    """The variable with static storage that begins at an address."""
    try:
        line = gdb.execute(f"info symbol {address:#x}", to_string=True)
    except NOT_READABLE:
        return None
    name = line.split(" in section ")[0]
    return name if " in section " in line and " + " not in name else None


class GdbArray:
    """Elements of an array or behind a pointer."""

    def __init__(self, value: gdb.Value) -> None:
        kind = basic(value.type)
        self.value = value
        self.element = element_of(kind.target())
        self.count: Optional[int] = None
        self.address: Optional[int] = None
        try:
            if kind.code == gdb.TYPE_CODE_PTR:
                self.address = int(value)
            elif kind.code == gdb.TYPE_CODE_ARRAY:
                first, last = kind.range()
                self.count = last - first + 1
                # What gdb has read is not read again: it may be older than the memory, as in its history.
                if value.is_lazy and value.address is not None:
                    self.address = int(value.address)
            else:
                raise NotUnderstood(f"no elements: {kind}")
        except NOT_READABLE as wrong:
            raise reason(wrong) from wrong

    def one(self, index: int) -> Optional[Number]:
        """An element that may be in a register, or nowhere."""
        try:
            item = self.value[index]
            if item.is_optimized_out:
                return None
            if self.element.kind in ("half", "brain") and basic(item.type).code == gdb.TYPE_CODE_STRUCT:
                to_float = float_of_half_bits if self.element.kind == "half" else float_of_brain_bits
                return to_float(int(item["bits"]))
            if self.element.is_floating:
                return float(item)
            if self.element.kind == "bool":
                byte = int(item.cast(gdb.lookup_type("unsigned char")))
                return bool(byte) if byte < 2 else byte
            return int(item)
        except gdb.MemoryError as wrong:
            raise reason(wrong) from wrong
        except NOT_READABLE as wrong:
            if "optimized out" in str(wrong):
                return None
            raise reason(wrong) from wrong

    def read(self, first: int, count: int) -> Numbers:
        size = self.element.size
        if self.address is not None:
            try:
                data = gdb.selected_inferior().read_memory(self.address + first * size, count * size)
            except NOT_READABLE as wrong:
                raise reason(wrong) from wrong
            return decode(self.element, bytes(data), is_big_endian())
        numbers: List[Optional[Number]] = [self.one(first + i) for i in range(count)]
        if self.value.is_optimized_out:
            raise Unreadable("optimized out")
        return numbers


class GdbValue:
    """An object."""

    def __init__(self, value: gdb.Value) -> None:
        self.value = value

    def type_name(self) -> str:
        return basic(self.value.type).name or ""

    def part(self, key: object) -> "GdbValue":
        try:
            return GdbValue(self.value[key])
        except gdb.MemoryError as wrong:
            raise reason(wrong) from wrong
        except NOT_READABLE as wrong:
            raise NotUnderstood(str(wrong)) from wrong

    def member(self, name: str) -> "GdbValue":
        return self.part(name)

    def base(self, index: int) -> "GdbValue":
        bases = [field for field in basic(self.value.type).fields() if field.is_base_class]
        if index >= len(bases):
            raise NotUnderstood(f"no base class {index}")
        return self.part(bases[index])

    def pointed(self) -> "GdbValue":
        try:
            return GdbValue(self.value.dereference())
        except NOT_READABLE as wrong:
            raise reason(wrong) from wrong

    def pointer(self) -> int:
        return int(self.number())

    def number(self) -> Number:
        try:
            if self.value.is_optimized_out:
                raise Unreadable("optimized out")
            return float(self.value) if basic(self.value.type).code == gdb.TYPE_CODE_FLT else int(self.value)
        except NOT_READABLE as wrong:
            raise reason(wrong) from wrong

    def array(self) -> GdbArray:
        return GdbArray(self.value)

    def array_at(self, index: int) -> "GdbValue":
        return self.part(index)

    def variable_at(self, address: int) -> Optional[str]:
        return local_at(address) or static_at(address)
