# SPDX-License-Identifier: BSL-1.0
"""Extents of open axes, and constants that depend on them."""
import itertools
from dataclasses import dataclass

import numpy as np

from .errors import ModelError

MOST_CAPACITY = 4096


@dataclass(eq=False)
class OpenAxis:
    """An axis that has a capacity: its name, and its greatest and least extent (None: not given).

    `growing` are inputs that may be growing states. Their axis begins with no entries."""

    name: str
    most: int
    least: int = None
    growing: frozenset = frozenset()

    def __post_init__(self):
        if self.growing and self.least is not None:
            raise ModelError(f"--capacity {self.name}={self.least}..{self.most}: it is the length of a state, which begins with "
                             "no entries")
        lowest = 0 if self.growing else 1
        self.least = lowest if self.least is None else self.least
        if not (lowest <= self.least < self.most and 2 <= self.most <= MOST_CAPACITY):
            raise ModelError(f"--capacity {self.name}={self.least}..{self.most}: a capacity is between 2 and {MOST_CAPACITY}, "
                             f"and the least length between {lowest} and the capacity less 1")

    @property
    def lengths(self):
        return range(self.least, self.most + 1)

    def lengths_to_test(self):
        """The capacity, a prime in between, and the least length: shorter ones find values of longer ones in memory."""
        primes = (n for n in itertools.count(max(2, (self.least + self.most) // 2)) if all(n % d for d in range(2, n)))
        return [self.most, min(next(primes), self.most), self.least]


class Count:
    """An extent that depends on one open axis: a number for each length of that axis from the least on."""

    def __init__(self, axis, numbers):
        self.axis, self.numbers = axis, tuple(int(n) for n in numbers)
        self.axes = (axis,)

    def __eq__(self, other):
        return isinstance(other, Count) and self.axis is other.axis and self.numbers == other.numbers

    def __hash__(self):
        return hash((self.axis, self.numbers))

    def at(self, point):
        """The extent at a point, which has a length for each open axis."""
        return self.numbers[point[self.axis] - self.axis.least]

    def text(self, name):
        """An expression of C++ for it, where `name` is the length of the axis; or None."""
        lengths = np.array(self.axis.lengths)

        def plus(text, n):
            return text if n == 0 else f"{text} {'+' if n > 0 else '-'} {abs(n)}"

        factor = self.numbers[1] - self.numbers[0]
        offset = self.numbers[0] - factor * self.axis.least
        if factor > 0 and (lengths * factor + offset == self.numbers).all():
            return plus(name if factor == 1 else f"{factor} * {name}", offset)
        steps = np.flatnonzero(np.diff(self.numbers)) + 1  # the places of lengths that give another number
        if not len(steps):
            return None
        stride = int(steps[1] - steps[0] if len(steps) > 1 else max(steps[0], len(lengths) - steps[0]))
        shift = -int(lengths[steps[0]]) % stride
        quotients = (lengths + shift) // stride
        if (quotients + self.numbers[0] - quotients[0] != self.numbers).any():
            return None
        return plus(f"{f'({name} + {shift})' if shift else name} / {stride}", self.numbers[0] - int(quotients[0]))


class Merged:
    """The extent of an axis that a Reshape made of several, of which one after the first that has entries is open.

    `parts` are pairs of an extent and its count (None: all entries count). The entries that count are not adjacent: only
    operators that compute each of them by itself may have such an axis."""

    def __init__(self, parts):
        self.parts = tuple(parts)
        self.axes = tuple(dict.fromkeys(axis for _, count in self.parts if count is not None for axis in count.axes))

    def __eq__(self, other):
        return isinstance(other, Merged) and self.parts == other.parts

    def __hash__(self):
        return hash(self.parts)

    def at(self, point):
        """How many entries count at a point."""
        return int(np.prod([extent if count is None else count.at(point) for extent, count in self.parts], dtype=np.int64))

    def text(self, name):
        """An expression of C++ for the place after the last entry that counts; `name` gives the name of a count."""
        terms, behind = [], int(np.prod([extent for extent, _ in self.parts], dtype=np.int64))
        for extent, count in self.parts:
            behind //= extent
            if behind == 1:  # the last part that has more than one entry
                return " + ".join(terms + [str(extent) if count is None else name(count)])
            terms.append(f"{extent - 1 if count is None else f'({name(count)} - 1)'} * {behind}")


class Family:
    """A constant that depends on open axes: its array for each combination of their lengths, in the order of `axes`."""

    def __init__(self, axes, arrays):
        self.axes, self.arrays = tuple(axes), dict(arrays)
        for axis in axes:
            self.drop_if_same(axis)

    def drop_if_same(self, axis):
        """Drops an axis that changes nothing."""
        place = self.axes.index(axis)
        last = {lengths[:place] + lengths[place + 1:]: a for lengths, a in self.arrays.items() if lengths[place] == axis.most}
        if all(same(a, last[lengths[:place] + lengths[place + 1:]]) for lengths, a in self.arrays.items()):
            self.axes, self.arrays = self.axes[:place] + self.axes[place + 1:], last

    @property
    def last(self):
        """The array at the capacities."""
        return self.arrays[tuple(axis.most for axis in self.axes)]

    def at(self, point):
        return self.arrays[tuple(point[axis] for axis in self.axes)]


def same(a, b):
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def shape_at(value, point):
    return tuple(value.axes[i].at(point) if i in value.axes else n for i, n in enumerate(value.shape))


def axes_of_values(values):
    """The open axes on which values depend, by extents or entries, without repetitions."""
    found = {}
    for value in values:
        if value is not None:
            found |= dict.fromkeys(axis for count in value.axes.values() for axis in count.axes)
            found |= dict.fromkeys(value.family.axes if value.family is not None else ())
    return list(found)


def points_of(axes):
    """All combinations of the lengths of some axes, each a length by axis; the capacities are last."""
    return [dict(zip(axes, lengths)) for lengths in itertools.product(*(axis.lengths for axis in axes))]


def point_text(point):
    return " and ".join(f"{axis.name} is {length}" for axis, length in point.items())
