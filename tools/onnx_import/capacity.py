# SPDX-License-Identifier: BSL-1.0
"""Axes whose extents are known when the program runs: `--capacity batch=4 --capacity tokens=128`.

The model is evaluated at the capacities. This module follows the axes through the graph. A value may have open axes: below
their counts, its entries are those of the model at these lengths. A constant that depends on lengths has a family: its array
for each combination of lengths from the least to the capacity. What cannot be proved is refused."""
import copy
import re

import numpy as np

from .counts import Count, Family, Merged, axes_of_values, point_text, points_of, shape_at
from .errors import ModelError, Uncovered, first_line
from .graph import Value
from .numpy_ops import TABLE
from .operators import TABLE as TRANSLATIONS
from .sequences import POSITIONS

MOST_ENTRIES = 1 << 14  # of a constant that is evaluated at every point
MOST_POINTS = 1 << 14  # at which constants are evaluated
MOST_OF_TABLE = 1 << 22  # entries of a constant at all points
NOT_ADJACENT = ("a Reshape merged it with an axis before it, so the entries of a call are not adjacent; only operators that compute "
                "each row by itself are known until another Reshape splits them")


class Capacity:
    """The open axes of a model, in the order of the options."""

    def __init__(self, axes, longer=None):
        """`longer` has named axes that are longer than an open one: a pair of that one's name and a number by name."""
        self.axes, self.longer, self.involved = list(axes), longer or {}, list(axes)
        self.growing = frozenset().union(*(axis.growing for axis in axes))
        names = [axis.name for axis in axes]
        if len(set(names)) < len(names):
            raise ModelError(f"--capacity {max(names, key=names.count)}: it is given twice")
        if sum(bool(axis.growing) for axis in axes) > 1:
            raise ModelError(f"--capacity {' and '.join(a.name for a in axes if a.growing)}: states grow along one axis only")

    @property
    def growing_axis(self):
        return next((axis for axis in self.axes if axis.growing), None)

    @property
    def most(self):
        """The point of the capacities."""
        return {axis: axis.most for axis in self.axes}

    def longer_axis(self, name):
        """An open axis and by how much a named axis is longer, also by a text such as `past + 1`. None: it has an extent of
        its own."""
        for axis in self.axes:
            found = re.fullmatch(rf"{re.escape(axis.name)}(?: *\+ *(\d+))?", name)
            if found is not None:
                return axis, int(found[1] or 0)
            if self.longer.get(name, ("",))[0] == axis.name:
                return axis, self.longer[name][1]
        return None

    def named_extents(self, model, point):
        """The extents of all named axes that follow from the lengths."""
        names = {d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
        known = {name: self.longer_axis(name) for name in names | {axis.name for axis in self.axes}}
        return {name: (point[found[0]] + found[1],) for name, found in known.items() if found is not None}

    @staticmethod
    def array_at(value, point):
        """The array of a constant at a point."""
        if value.family is not None:
            return value.family.at(point)
        return value.array[tuple(slice(0, n) for n in shape_at(value, point))]

    def refuse(self, reason):
        names = ", ".join(axis.name for axis in self.involved)
        raise Uncovered(f"{'axis' if len(self.involved) == 1 else 'axes'} {names}: {reason}")

    def points(self, *values):
        """All combinations of the lengths on which values depend."""
        axes = axes_of_values(values)
        count = int(np.prod([len(axis.lengths) for axis in axes], dtype=np.int64))
        if count > MOST_POINTS:
            self.refuse(f"a shape or a constant depends on {count} combinations of lengths, more than {MOST_POINTS}")
        return points_of(axes)

    def count(self, axis, numbers):
        """A count of these extents; refuses those that cannot be written or that are empty."""
        found = Count(axis, numbers)
        empty = next((n for n in axis.lengths[::-1] if found.at({axis: n}) < 1), None)
        if empty is not None:
            self.refuse(f"the result has no entries where {axis.name} is {empty}; "
                        f"use --capacity {axis.name}={empty + 1}..{axis.most}")
        if found.text("n") is None:
            end = next(n for n in axis.lengths if set(found.numbers[n - axis.least:]) == {found.numbers[-1]})
            if end < axis.most:
                self.refuse(f"the result grows up to {axis.name} = {end} only; use --capacity {axis.name}={end}")
            self.refuse("the extent of the result is no simple function of it")
        return found

    def changed(self, count, change):
        """The count whose numbers are those of another one changed by a function."""
        if isinstance(count, Merged):
            self.refuse(NOT_ADJACENT)
        return self.count(count.axis, [change(n) for n in count.numbers])

    def axes_of(self, points, shapes):
        """Open axes of a shape that is given for each point."""
        axes = {}
        for i, column in enumerate(zip(*shapes)):
            if len(set(column)) == 1:
                continue
            for axis in points[0]:
                by_length = {}
                for point, extent in zip(points, column):
                    by_length.setdefault(point[axis], set()).add(extent)
                if all(len(extents) == 1 for extents in by_length.values()):
                    axes[i] = self.count(axis, [by_length[n].pop() for n in axis.lengths])
                    break
            else:
                self.refuse("an extent of the result depends on more than one of them; use --shape for one")
        return axes

    def mark_input(self, value, declared):
        for i, dim in enumerate(declared.type.tensor_type.shape.dim):
            found = self.longer_axis(dim.dim_param) if dim.dim_param else None
            if found is None:
                continue
            axis, added = found
            if value.shape[i] != axis.most + added:
                raise ModelError(f"input {value.name}: --shape gives {value.shape[i]} entries of {dim.dim_param}, "
                                 f"--capacity {axis.most + added}")
            if value.constant:
                raise ModelError(f"--constant {value.name}: its axis {dim.dim_param} has a capacity")
            value.axes[i] = Count(axis, [n + added for n in axis.lengths])

    @staticmethod
    def is_open(value):
        return value is not None and (bool(value.axes) or value.family is not None)

    def follow(self, node, outputs):
        """Finds the open axes of a node's results, and notes in node.open what the translation masks."""
        from .capacity_rules import BY_ROWS, RULES
        if not any(self.is_open(v) for v in node.inputs):
            return
        self.involved = axes_of_values(node.inputs)
        if node.op in ("Shape", "Size") and not node.domain:
            return self.evaluate_points(node, outputs)
        constant = all(v is None or v.constant for v in node.inputs)
        if constant and all(v is None or v.array.size <= MOST_ENTRIES for v in outputs):
            return self.evaluate_points(node, outputs)
        self.name_families(node, constant)
        rule = RULES.get(node.title)
        if rule is None:
            self.refuse("how this operator mixes its entries is not known")
        merged = [v is not None and any(isinstance(count, Merged) for count in v.axes.values()) for v in node.inputs]
        if any(merged) and node.title not in BY_ROWS:
            self.refuse(NOT_ADJACENT)
        results = rule(self, node, outputs)
        if any(isinstance(node.inputs[place].axes.get(axis), Merged) for place, axis, _ in node.open.get("masks", [])):
            self.refuse(NOT_ADJACENT)
        if constant and node.open:
            self.refuse(f"a constant of more than {MOST_ENTRIES} entries depends on it")
        results = results if isinstance(results, list) else [results] * len(outputs)
        for value, axes in zip(outputs, results):
            if value is not None:
                value.axes = dict(axes)
                self.check_extents(value)

    def name_families(self, node, constant):
        """Operands that depend on a length are no constants for the translation; few operators may have them."""
        if node.title in ("ConstantOfShape", "Reshape", "Expand", "Slice"):
            return
        for i, value in enumerate(node.inputs):
            if value is not None and value.family is not None:
                if constant or not TRANSLATIONS[node.title].translate.__module__.endswith(".elementwise"):
                    self.refuse(f"the entries of {value.name} depend on it")
                node.inputs[i] = Value(value.name, value.array, axes=value.axes, family=value.family)

    def check_extents(self, value):
        if any(value.shape[i] != count.at(self.most) for i, count in value.axes.items()):
            self.refuse(f"the shape {list(value.shape)} of {value.name} is not what follows from it")

    def check_output(self, name, value):
        """A caller cannot tell which entries of an axis count that a Reshape merged."""
        merged = next((count for count in value.axes.values() if isinstance(count, Merged)), None)
        if merged is not None:
            raise ModelError(f"output {name}: axes {', '.join(axis.name for axis in merged.axes)}: {NOT_ADJACENT}")

    def check_control(self, node):
        """Graphs inside a node are unrolled, which is the same for every length only if no operand depends on it."""
        if node.op != "If" or self.is_open(node.inputs[0]):
            self.involved = axes_of_values(node.inputs) or self.axes
            self.refuse("how often a graph inside runs may depend on it")

    def check_sequence(self, node):
        """Tensors are joined without a rule for open axes, and positions are those at the capacities."""
        if node.op == "ConcatFromSequence" and self.is_open(node.inputs[0]):
            self.involved = axes_of_values(node.inputs)
            self.refuse("tensors of a sequence have it")
        position = node.input(POSITIONS[node.op]) if node.op in POSITIONS else None
        if self.is_open(position):
            self.involved = axes_of_values([position])
            self.refuse("a position in a sequence depends on it")

    def evaluate_points(self, node, outputs):
        """The results of constants, and of shapes, for every combination of lengths."""
        points, results, clone = self.points(*node.inputs), [], copy.copy(node)
        for point in points:
            if node.op in ("Shape", "Size"):
                arrays = [np.broadcast_to(np.zeros((), v.dtype), shape_at(v, point)) for v in node.inputs]
            else:
                arrays = [None if v is None else self.array_at(v, point) for v in node.inputs]
            clone.inputs = [None if a is None else Value(v.name, a, True) for v, a in zip(node.inputs, arrays)]
            try:
                made = TABLE[node.title](clone, *arrays)
            except (ArithmeticError, IndexError, ValueError) as failure:
                self.refuse(f"it cannot be evaluated where {point_text(point)}: {first_line(failure)}")
            results.append(made if isinstance(made, tuple) else (made,))
        for value, arrays in zip(outputs, zip(*results)):
            if value is not None:
                self.note_family(value, points, [np.asarray(a) for a in arrays])

    def note_family(self, value, points, arrays):
        """Notes the arrays of a constant at all points: as open axes only if they are beginnings of the last one."""
        family = Family(points[0], zip((tuple(point.values()) for point in points), arrays))
        if not family.axes:
            return
        arrays, last = list(family.arrays.values()), family.last
        if any(a.ndim != last.ndim for a in arrays):
            self.refuse(f"the rank of {value.name} depends on it")
        value.axes = self.axes_of(points_of(family.axes), [a.shape for a in arrays])
        if not all(np.array_equal(a, last[tuple(slice(0, n) for n in a.shape)]) for a in arrays):
            if len(arrays) * last.size > MOST_OF_TABLE:
                self.refuse(f"{value.name} has {last.size} entries, others at each of {len(arrays)} points: too many for a table")
            value.family = family

    def points_to_test(self):
        """The capacities, primes and least lengths; then each axis at its least length, and the others at their capacities."""
        rows = list(zip(*(axis.lengths_to_test() for axis in self.axes)))
        rows += [tuple(axis.least if axis is shortest else axis.most for axis in self.axes) for shortest in self.axes]
        return [dict(zip(self.axes, lengths)) for lengths in dict.fromkeys(rows)]
