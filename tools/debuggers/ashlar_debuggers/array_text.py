# SPDX-License-Identifier: BSL-1.0
"""Numbers as nested rows with aligned columns, as <ashlar/tensor/print.hpp> prints them."""
from __future__ import annotations

import math
import struct
from typing import Callable, List, Optional, Sequence, Tuple

from .element import Element, Number

LINE_WIDTH, EDGE, DECIMALS = 80, 3, 4
UNKNOWN = "?"  # an element that is optimised out

Index = Tuple[int, ...]
Numbers = List[Optional[Number]]


def shown_places(extent: int, summarised: bool) -> List[Optional[int]]:
    """The indices of an axis that are shown, with None for those that are omitted."""
    if not summarised or extent <= 2 * EDGE:
        return list(range(extent))
    return [*range(EDGE), None, *range(extent - EDGE, extent)]


def shown_indices(extents: Sequence[int], summarised: bool) -> List[Index]:
    """All indices that are shown, in row-major order."""
    indices: List[Index] = [()]
    for extent in extents:
        places = [p for p in shown_places(extent, summarised) if p is not None]
        indices = [index + (p,) for index in indices for p in places]
    return indices


def as_float(number: float) -> float:
    """The nearest float."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def special_text(number: float) -> Optional[str]:
    if math.isnan(number):
        return "-nan" if math.copysign(1.0, number) < 0 else "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return None


def format_of(numbers: Numbers, in_float: bool) -> str:
    """whole, fixed or scientific, chosen by the smallest and largest magnitude shown."""
    rounded = as_float if in_float else float
    magnitudes = [abs(x) for x in numbers if x is not None and math.isfinite(x) and x != 0]
    if not magnitudes:
        return "whole"
    largest, smallest = max(magnitudes), min(magnitudes)
    all_whole = all(m == math.floor(m) for m in magnitudes if m < 1e8)
    differ = rounded(largest / smallest) > 1000 or smallest < rounded(1e-4)
    if largest >= 1e8 or (not all_whole and differ):
        return "scientific"
    return "whole" if all_whole else "fixed"


def number_text(number: Number, form: str) -> str:
    special = special_text(float(number))
    if special is not None:
        return special
    if form == "scientific":
        return f"{number:.{DECIMALS}e}"
    return f"{number:.0f}." if form == "whole" else f"{number:.{DECIMALS}f}"


def texts_of(numbers: Numbers, element: Element) -> List[str]:
    """The text of each number, not aligned."""
    if element.is_floating:
        form = format_of(numbers, element.computes_in_float)
        return [UNKNOWN if x is None else number_text(x, form) for x in numbers]
    if element.kind == "bool":
        return [UNKNOWN if x is None else str(x).lower() for x in numbers]
    return [UNKNOWN if x is None else str(x) for x in numbers]


def row_text(cells: List[str], rank: int, width: int) -> str:
    """The innermost brackets, in lines of at most LINE_WIDTH columns."""
    step = width + 2
    per_line = max((LINE_WIDTH - rank) // step, 1)
    lines = [cells[i : i + per_line] for i in range(0, len(cells), per_line)]
    return "[" + (",\n" + " " * rank).join(", ".join(line) for line in lines) + "]"


def array_text(
    extents: Sequence[int], element: Element, limit: Optional[int], read: Callable[[List[Index]], Numbers]
) -> str:
    """The rows of an array. `read` gives the numbers at some indices. Beyond `limit` elements, the middle of long
    axes is omitted. Without a limit nothing is omitted."""
    summarised = limit is not None and math.prod(extents) > limit
    texts = texts_of(read(shown_indices(extents, summarised)), element)
    width = max(len(text) for text in texts)
    cells = iter(text.rjust(width) for text in texts)
    rank = len(extents)

    def axis_text(axis: int) -> str:
        if axis == rank:
            return next(cells)
        places = shown_places(extents[axis], summarised)
        parts = ["..." if place is None else axis_text(axis + 1) for place in places]
        if axis + 1 == rank:
            return row_text(parts, rank, width)
        return "[" + ("," + "\n" * (rank - axis - 1) + " " * (axis + 1)).join(parts) + "]"

    return axis_text(0)
