# SPDX-License-Identifier: BSL-1.0
"""The interface that a debugger must implement: one class for gdb, one for lldb."""
from __future__ import annotations

from typing import List, NamedTuple, Optional, Protocol, Sequence

from .array_text import Numbers
from .element import Element, Number
from .errors import NotUnderstood


class Settings(NamedTuple):
    """The settings of the user in the debugger."""

    limit: Optional[int]  # elements that are shown, None: all
    in_short: bool = False  # one line, as for the arguments in a backtrace


class Array(Protocol):
    """Elements one after the other: a member, or what a pointer points to."""

    element: Element
    count: Optional[int]  # None behind a pointer

    def read(self, first: int, count: int) -> Numbers:
        """Some of the elements, with None for those that are optimised out. Raises Unreadable."""


class Value(Protocol):
    """An object in the program. All members raise Unreadable, or NotUnderstood where there is no such part."""

    def type_name(self) -> str:
        """The full name of its type, without aliases."""

    def member(self, name: str) -> "Value": ...

    def base(self, index: int) -> "Value":
        """A base class, by its place."""

    def pointed(self) -> "Value":
        """What a pointer points to."""

    def pointer(self) -> int:
        """The address in a pointer."""

    def number(self) -> Number:
        """The value of a number."""

    def array(self) -> Array:
        """The elements of an array, or those behind a pointer."""

    def array_at(self, index: int) -> "Value":
        """An element that is a structure."""

    def variable_at(self, address: int) -> Optional[str]:
        """The variable that begins at an address: of the selected frame, or one with static storage."""


def read_at(array: Array, offsets: Sequence[int]) -> Numbers:
    """Elements at some offsets. Neighbours are read together."""
    numbers: Numbers = []
    first = 0
    while first < len(offsets):
        end = first + 1
        while end < len(offsets) and offsets[end] == offsets[end - 1] + 1:
            end += 1
        numbers += array.read(offsets[first], end - first)
        first = end
    return numbers


def all_known(numbers: Numbers) -> bool:
    return all(x is not None for x in numbers)


def checked_count(array: Array, count: int) -> None:
    """A member array must have as many elements as its type says."""
    if array.count is not None and array.count != count:
        raise NotUnderstood(f"{array.count} elements where {count} are expected")


def text_of_bytes(numbers: Numbers) -> str:
    data: List[int] = [int(x) & 255 for x in numbers if x is not None]
    return bytes(data).decode("utf-8", "replace")
