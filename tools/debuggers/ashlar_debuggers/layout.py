# SPDX-License-Identifier: BSL-1.0
"""Where the elements of tensors and matrices of weights are; the rules of the headers of the same names."""
from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple


def row_major_strides(extents: Sequence[int]) -> Tuple[int, ...]:
    strides = [1] * len(extents)
    for axis in range(len(extents) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * extents[axis]
    return tuple(strides)


def panel_offset(panel: int, rows: int, columns: int, row: int, column: int) -> int:
    """tensor/panel_layout.hpp"""
    first = column // panel * panel
    return rows * first + row * min(columns - first, panel) + column - first


class InterleavedLayout(NamedTuple):
    """core/interleaved_layout.hpp"""

    rows: int
    columns: int
    panel: int = 16
    group: int = 4

    def offset(self, row: int, column: int) -> int:
        panel_size = -(-self.rows // self.group) * self.group * self.panel
        inside = (row // self.group * self.panel + column % self.panel) * self.group
        return column // self.panel * panel_size + inside + row % self.group


class Int4Layout(NamedTuple):
    """core/int4.hpp: blocks of 32 entries of each of 32 columns."""

    rows: int
    columns: int

    def block(self, row: int, column: int) -> int:
        return column // 32 * -(-self.rows // 32) + row // 32

    @staticmethod
    def byte(row: int, column: int) -> int:
        entry = row % 32
        return entry // 8 * 128 + column % 32 * 4 + entry % 4

    @staticmethod
    def shift(row: int) -> int:
        return row % 32 // 4 % 2 * 4


class SpreadGroups(NamedTuple):
    """core/smoothed.hpp: the entries of a line that share their outliers."""

    apart: int
    parts: int
    side: int

    @staticmethod
    def of(depth: int) -> "SpreadGroups":
        apart, parts = depth, 1
        while parts < 16 and apart % 2 == 0 and apart // 2 >= 16:
            parts, apart = parts * 2, apart // 2
        return SpreadGroups(apart, parts, 4 if parts != 1 and apart % 4 == 0 else 1)

    @property
    def size(self) -> int:
        return self.parts * self.side

    def member(self, entry: int) -> int:
        return entry // self.apart * self.side + entry % self.side

    def entry_of(self, entry: int, member: int) -> int:
        return (
            member // self.side * self.apart + entry % self.apart // self.side * self.side + member % self.side
        )


def is_negative_in_spread(row: int, column: int) -> bool:
    """Whether an element of the Hadamard matrix is -1."""
    return bin(row & column).count("1") % 2 == 1
