# SPDX-License-Identifier: BSL-1.0
"""Numbers of memory: how the bytes of an element are read."""
from __future__ import annotations

import math
import struct
from typing import List, NamedTuple, Union

from .errors import NotUnderstood

Number = Union[int, float, bool]
CODES = {
    ("signed", 1): "b", ("signed", 2): "h", ("signed", 4): "i", ("signed", 8): "q",
    ("unsigned", 1): "B", ("unsigned", 2): "H", ("unsigned", 4): "I", ("unsigned", 8): "Q",
    ("bool", 1): "B", ("half", 2): "e", ("brain", 2): "H", ("float", 4): "f", ("float", 8): "d",
}  # fmt: skip


class Element(NamedTuple):
    """What an element is: signed, unsigned, bool, half, brain, float or x87, and its bytes."""

    kind: str
    size: int

    @property
    def is_floating(self) -> bool:
        return self.kind in ("half", "brain", "float", "x87")

    @property
    def computes_in_float(self) -> bool:
        """Whether the library prints it as a float: narrow numbers are converted first."""
        return self.kind in ("half", "brain") or self == Element("float", 4)


def float_of_brain_bits(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def float_of_half_bits(bits: int) -> float:
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def float_of_x87(data: bytes) -> float:
    """The nearest double of a number in 80 bits, whose padding does not matter."""
    mantissa, top = struct.unpack("<QH", data[:10])
    sign = -1.0 if top & 0x8000 else 1.0
    exponent = top & 0x7FFF
    if exponent == 0x7FFF:
        return math.copysign(math.nan if mantissa << 1 & (1 << 64) - 1 else math.inf, sign)
    try:
        return sign * math.ldexp(mantissa, max(exponent, 1) - 16383 - 63)
    except OverflowError:
        return sign * math.inf


def decode(element: Element, data: bytes, big_endian: bool) -> List[Number]:
    """The numbers in some bytes."""
    count = len(data) // element.size
    if element.kind == "x87":
        return [float_of_x87(data[i * element.size : (i + 1) * element.size]) for i in range(count)]
    code = CODES.get(tuple(element))
    if code is None:
        raise NotUnderstood(f"elements: {element.kind} of {element.size} bytes")
    numbers = struct.unpack(f"{'>' if big_endian else '<'}{count}{code}", data[: count * element.size])
    if element.kind == "brain":
        return [float_of_brain_bits(bits) for bits in numbers]
    if element.kind == "bool":
        return [bool(byte) if byte < 2 else byte for byte in numbers]  # another byte is not a bool: it is shown as a number
    return list(numbers)
