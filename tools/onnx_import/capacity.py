# SPDX-License-Identifier: BSL-1.0
"""An axis whose extent is known when the program runs: `--capacity tokens=128`.

The model is evaluated at the capacity. This module follows the axis through the graph. A value may have open axes: below
their count, its entries are those of the model at that length. A constant that depends on the length has a family: its array
for each length from the least to the capacity. What cannot be proved is refused."""
import copy
import itertools
import re

import numpy as np

from .errors import ModelError, Uncovered, first_line
from .graph import Value
from .numpy_ops import TABLE
from .operators import TABLE as TRANSLATIONS

MOST_ENTRIES = 1 << 14  # of a constant that is evaluated at every length
MOST_CAPACITY = 4096
STRIDES = range(2, 65)  # of counts such as (tokens + 1) / 2


class Count:
    """The extent of an open axis: a number for each length from the least on."""

    def __init__(self, numbers, least=1):
        self.numbers, self.least = tuple(int(n) for n in numbers), least

    def __eq__(self, other):
        return isinstance(other, Count) and self.numbers == other.numbers

    def __hash__(self):
        return hash(self.numbers)

    def at(self, length):
        return self.numbers[length - self.least]

    def text(self, name):
        """An expression of C++ for it, or None."""
        lengths = np.arange(self.least, self.least + len(self.numbers))

        def plus(text, n):
            return text if n == 0 else f"{text} {'+' if n > 0 else '-'} {abs(n)}"

        factor = self.numbers[1] - self.numbers[0]
        offset = self.numbers[0] - factor * self.least
        if factor > 0 and (lengths * factor + offset == self.numbers).all():
            return plus(name if factor == 1 else f"{factor} * {name}", offset)
        for stride in STRIDES:
            for shift in range(stride):
                quotients = (lengths + shift) // stride
                if (quotients + self.numbers[0] - quotients[0] == self.numbers).all():
                    inner = f"({name} + {shift})" if shift else name
                    return plus(f"{inner} / {stride}", self.numbers[0] - int(quotients[0]))
        return None


def shape_at(value, length):
    return tuple(value.axes[i].at(length) if i in value.axes else n for i, n in enumerate(value.shape))


class Capacity:
    """The name of the open axis, and its least and greatest extent."""

    def __init__(self, name, most, least=None, others=None, growing=()):
        """`others` are axes that are longer: a number by name. `growing` are inputs that may be growing states."""
        self.name, self.most, self.others, self.growing = name, most, others or {}, frozenset(growing)
        if self.growing and least:
            raise ModelError(f"--capacity {name}={least}..{most}: it is the length of a state, which begins with no entries")
        self.least = 0 if self.growing else 1 if least is None else least
        if not (self.growing or self.least >= 1) or not self.least < most <= MOST_CAPACITY or most < 2:
            raise ModelError(f"--capacity {name}={self.least}..{most}: a capacity is between 2 and {MOST_CAPACITY}, "
                             "and above the least length")
        self.lengths = range(self.least, most + 1)

    def added_to(self, axis):
        """By how much a named axis is longer: those with a text such as `past + 1`, too. None: it has an extent of its own."""
        found = re.fullmatch(rf"{re.escape(self.name)}(?: *\+ *(\d+))?", axis)
        return self.others.get(axis) if found is None else int(found[1] or 0)

    def named_extents(self, model, length):
        """The extents of all named axes that follow from the length."""
        axes = {d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
        return {axis: (length + self.added_to(axis),) for axis in axes | {self.name} if self.added_to(axis) is not None}

    def array_at(self, value, length):
        """The array of a constant at a length."""
        if value.family is not None:
            return value.family[length - self.least]
        return value.array[tuple(slice(0, n) for n in shape_at(value, length))]

    def refuse(self, reason):
        raise Uncovered(f"axis {self.name}: {reason}")

    def count(self, numbers):
        """An open axis of these extents; refuses those that cannot be written or that are empty."""
        found = Count(numbers, self.least)
        empty = next((n for n in self.lengths[::-1] if found.at(n) < 1), None)
        if empty is not None:
            self.refuse(f"the result has no entries where {self.name} is {empty}; "
                        f"use --capacity {self.name}={empty + 1}..{self.most}")
        if found.text("n") is None:
            end = next(n for n in self.lengths if set(found.numbers[n - self.least:]) == {found.numbers[-1]})
            if end < self.most:
                self.refuse(f"the result grows up to {self.name} = {end} only; use --capacity {self.name}={end}")
            self.refuse("the extent of the result is no simple function of it")
        return found

    def axes_of(self, extents):
        """Open axes of a shape that is given for each length."""
        columns = list(zip(*extents))
        return {i: self.count(column) for i, column in enumerate(columns) if len(set(column)) > 1}

    def mark_input(self, value, declared):
        for i, dim in enumerate(declared.type.tensor_type.shape.dim):
            added = self.added_to(dim.dim_param) if dim.dim_param else None
            if added is not None:
                if value.shape[i] != self.most + added:
                    raise ModelError(f"input {value.name}: --shape gives {value.shape[i]} entries of {dim.dim_param}, "
                                     f"--capacity {self.most + added}")
                if value.constant:
                    raise ModelError(f"--constant {value.name}: its axis {dim.dim_param} has a capacity")
                value.axes[i] = Count([n + added for n in self.lengths], self.least)

    @staticmethod
    def is_open(value):
        return value is not None and (bool(value.axes) or value.family is not None)

    def follow(self, node, outputs):
        """Finds the open axes of a node's results, and notes in node.open what the translation masks."""
        from .capacity_rules import RULES
        if not any(self.is_open(v) for v in node.inputs):
            return
        if node.op in ("Shape", "Size") and not node.domain:
            return self.evaluate_lengths(node, outputs)
        constant = all(v is None or v.constant for v in node.inputs)
        if constant and all(v is None or v.array.size <= MOST_ENTRIES for v in outputs):
            return self.evaluate_lengths(node, outputs)
        self.name_families(node, constant)
        rule = RULES.get(node.title)
        if rule is None:
            self.refuse("how this operator mixes its entries is not known")
        results = rule(self, node, outputs)
        if constant and node.open:
            self.refuse(f"a constant of more than {MOST_ENTRIES} entries depends on it")
        results = results if isinstance(results, list) else [results] * len(outputs)
        for value, axes in zip(outputs, results):
            if value is not None:
                value.axes = dict(axes)
                self.check_extents(value)

    def name_families(self, node, constant):
        """Operands that depend on the length are no constants for the translation; few operators may have them."""
        if node.title in ("ConstantOfShape", "Reshape", "Expand", "Slice"):
            return
        for i, value in enumerate(node.inputs):
            if value is not None and value.family is not None:
                if constant or not TRANSLATIONS[node.title].translate.__module__.endswith(".elementwise"):
                    self.refuse(f"the entries of {value.name} depend on it")
                node.inputs[i] = Value(value.name, value.array, family=value.family)

    def check_extents(self, value):
        if any(value.shape[i] != count.at(self.most) for i, count in value.axes.items()):
            self.refuse(f"the shape {list(value.shape)} of {value.name} is not what follows from it")

    def check_control(self, node):
        """Graphs inside a node are unrolled, which is the same for every length only if no operand depends on it."""
        if node.op != "If" or self.is_open(node.inputs[0]):
            self.refuse("how often a graph inside runs may depend on it")

    def evaluate_lengths(self, node, outputs):
        """The results of constants, and of shapes, for every length."""
        results = []
        for length in self.lengths:
            clone = copy.copy(node)
            if node.op in ("Shape", "Size"):
                arrays = [np.broadcast_to(np.zeros((), v.dtype), shape_at(v, length)) for v in node.inputs]
            else:
                arrays = [None if v is None else self.array_at(v, length) for v in node.inputs]
            clone.inputs = [None if a is None else Value(v.name, a, True) for v, a in zip(node.inputs, arrays)]
            try:
                made = TABLE[node.title](clone, *arrays)
            except (ArithmeticError, IndexError, ValueError) as failure:
                self.refuse(f"it cannot be evaluated where {self.name} is {length}: {first_line(failure)}")
            results.append(made if isinstance(made, tuple) else (made,))
        for value, family in zip(outputs, zip(*results)):
            if value is not None:
                self.note_family(value, [np.asarray(a) for a in family])

    def note_family(self, value, family):
        """Notes the arrays of a constant for all lengths: as open axes if they are beginnings of the last one."""
        last = family[-1]
        if all(a.ndim == last.ndim and np.array_equal(a, last[tuple(slice(0, n) for n in a.shape)]) for a in family):
            value.axes = self.axes_of([a.shape for a in family])
        elif len({a.shape for a in family}) == 1:
            value.family = family
        else:
            self.refuse("the entries of a constant depend on it and its shape, too")

    def lengths_to_test(self):
        """The capacity, a prime in between, and the least length: shorter ones find values of longer ones in memory."""
        primes = (n for n in itertools.count(max(2, (self.least + self.most) // 2)) if all(n % d for d in range(2, n)))
        return sorted({self.least, min(next(primes), self.most), self.most}, reverse=True)
