# SPDX-License-Identifier: BSL-1.0
"""Translates what capacity.py found: counts as arguments, masks of operands, and rows that steps compute."""
import numpy as np

from .capacity_rules import HIGHEST, LOWEST
from .counts import Count, Merged, points_of
from .program import Line


class OpenAxes:
    """The open axes of a translation: their arguments, and what is computed of them before the steps."""

    def __init__(self, translation, capacity):
        self.translation, self.capacity = translation, capacity
        self.names = {axis: translation.names.make(axis.name) for axis in capacity.axes}
        self.counts = {Count(axis, axis.lengths): name for axis, name in self.names.items()}
        self.definitions, self.numbers, self.limits, self.limit_lines = [], {}, {}, []
        for axis, name in self.names.items():
            above = f"{name} >= {axis.least} && " if axis.least else ""
            self.define(f'ASHLAR_ASSERT({above}{name} <= {axis.most}, "{name} is between {axis.least} and {axis.most}");')

    def define(self, text):
        self.definitions.append(text)

    def lines(self):
        """The lines before the steps; numbers of rows only where a step takes them."""
        read = {line.rows for line in self.translation.lines if line.place in ("buffer", "output")}
        limits = [line for line in self.limit_lines if line.name in read]
        return [Line("", text, "", None, "raw") for text in self.definitions] + limits

    def count(self, count):
        """The name of a count."""
        if count not in self.counts:
            axes = [self.names[axis] for axis in count.axes]
            text = count.text(self.count if isinstance(count, Merged) else axes[0])
            name = self.counts[count] = self.translation.names.make("_".join([*axes, "count"]))
            self.define(f"[[maybe_unused]] const std::size_t {name} = {text};")
        return self.counts[count]

    def number(self, count, kind):
        """A count as a number of another type."""
        if (count, kind) not in self.numbers:
            end = {"std::int32_t": "end"}.get(kind, kind)
            name = self.numbers[count, kind] = self.translation.names.make(f"{self.count(count)}_{end}")
            self.define(f"[[maybe_unused]] const auto {name} = static_cast<{kind}>({self.count(count)});")
        return self.numbers[count, kind]

    def rows(self, value):
        """What rows_below takes to compute no more of a value than its counts: a number, or one for each entry of open axes
        before the rows; None if only the last axis is open."""
        before = {i: count for i, count in value.axes.items() if i < len(value.shape) - 2}
        if len(value.shape) < 2 or not before and len(value.shape) - 2 not in value.axes:
            return None
        rows = value.axes.get(len(value.shape) - 2)
        if not before:
            return self.count(rows)
        shape = tuple(value.shape[i] if i in before else 1 for i in range(max(before) + 1))
        key = shape, tuple(before.items()), rows or value.shape[-2]
        if key not in self.limits:
            self.limits[key] = self.limit_line(shape, before, rows, value.shape[-2])
        return self.limits[key].name

    def limit_line(self, shape, before, rows, extent):
        """A line that writes how many rows of each entry are computed: none of those after the counts."""
        end = str(extent) if rows is None else self.number(rows, "std::int32_t")
        name = self.translation.names.make("_".join(["rows", *(self.count(count) for count in before.values())]))
        zeros = f"zeros<std::int32_t, {', '.join(map(str, shape))}>()"
        kept = " && ".join(f"index<{i}>({zeros}) < {self.number(count, 'std::int32_t')}" for i, count in sorted(before.items()))
        line = Line(name, f"where({kept}, {end}, 0)", "rows of each entry", np.zeros(shape, np.int32), "buffer")
        self.limit_lines.append(line)
        return line

    def look_up(self, value):
        """A constant of the lengths: an entry of a table of all of them."""
        axes, points = value.family.axes, points_of(value.family.axes)
        table = np.zeros((len(points), *(value.shape or (1,))), value.dtype)
        for entry, point in zip(table, points):
            array = value.family.at(point)
            entry[tuple(slice(0, n) for n in array.shape)] = array
        place = ""
        for axis in axes:
            name = f"{self.names[axis]} - {axis.least}" if axis.least else self.names[axis]
            place = f"({place}) * {len(axis.lengths)} + {name}" if place else name
        ends = "_".join(self.names[axis] for axis in axes)
        text = f"row({self.translation.member(f'{value.name}_of_{ends}', table)}, {place})"
        return text if value.shape else f"reshape<>({text})"

    def fused(self, step):
        """The operand that stays an expression: scores of a softmax, and its result at the left of a product."""
        masks = step.node.open.get("masks", [])
        line = self.translation.producers.get(id(step.node.inputs[0])) if step.node.inputs[0] is not None else None
        if line is None or line.place != "lazy" or not masks:
            return None
        if step.op in ("Softmax", "LogSoftmax") and masks == [(0, step.rank - 1, LOWEST)]:
            return line
        return line if step.op == "MatMul" and line.keys else None

    def apply(self, step, entry):
        """Brings operands to memory as the translation wants, and masks those that are read beyond a count."""
        line = self.fused(step)
        step.materialise_operands(entry, line)
        if step.op == "MatMul" and line is not None:
            return  # the masked softmax reads no row of the right operand after the count
        for place, axis, fill in step.node.open.get("masks", []):
            value = step.node.inputs[place]
            if value.constant and np.isfinite(value.array).all():
                continue  # these numbers after the count meet zeros of the other operand
            if step.op in ("Softmax", "LogSoftmax") and axis == step.rank - 1:
                step.replaced[place] = f"masked({step.x(place)}, keys_below({self.count(value.axes[axis])}))"
                continue
            x, end = step.x(place), self.number(value.axes[axis], "std::int32_t")
            step.replaced[place] = f"where(index<{axis}>({x}) < {end}, {x}, {self.fill(fill, value.dtype, step)})"

    @staticmethod
    def fill(fill, dtype, step):
        if fill in (LOWEST, HIGHEST):
            if dtype.kind == "f":
                fill = -np.inf if fill == LOWEST else np.inf
            elif dtype.kind == "b":
                fill = fill == HIGHEST
            else:
                fill = np.iinfo(dtype).min if fill == LOWEST else np.iinfo(dtype).max
        return step.literal(fill, dtype)

    def finish(self, step, text):
        """The mean of the entries below the counts, from that of all."""
        kind = "double" if step.dtype == np.float64 else "float"
        for count in step.node.open.get("share", []):
            text = f"({text}) * ({step.literal(count.at(self.capacity.most))} / {self.number(count, kind)})"
        return text

    def keys(self, step):
        """The mask of attention whose keys are open, or ''."""
        count = step.node.open.get("keys")
        return "" if count is None else f"keys_below({self.count(count)})"
