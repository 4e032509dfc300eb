# SPDX-License-Identifier: BSL-1.0
"""Translates what capacity.py found: counts as arguments, masks of operands, and rows that steps compute."""
import numpy as np

from .capacity import Count
from .capacity_rules import HIGHEST, LOWEST


class OpenAxes:
    """The open axis of a translation: its argument, and what is computed of it before the steps."""

    def __init__(self, translation, capacity):
        self.translation, self.capacity = translation, capacity
        self.name = translation.names.make(capacity.name)
        self.counts, self.definitions = {Count(capacity.lengths, capacity.least): self.name}, []
        above = f"{self.name} >= {capacity.least} && " if capacity.least else ""
        self.define(f'ASHLAR_ASSERT({above}{self.name} <= {capacity.most}, '
                    f'"{self.name} is between {capacity.least} and {capacity.most}");')
        self.numbers = {}

    def define(self, text):
        self.definitions.append(text)

    def count(self, count):
        """The name of a count."""
        if count not in self.counts:
            name = self.counts[count] = self.translation.names.make(f"{self.name}_count")
            self.define(f"[[maybe_unused]] const std::size_t {name} = {count.text(self.name)};")
        return self.counts[count]

    def number(self, count, kind):
        """A count as a number of another type."""
        if (count, kind) not in self.numbers:
            end = {"std::int32_t": "end"}.get(kind, kind)
            name = self.numbers[count, kind] = self.translation.names.make(f"{self.count(count)}_{end}")
            self.define(f"[[maybe_unused]] const auto {name} = static_cast<{kind}>({self.count(count)});")
        return self.numbers[count, kind]

    def rows(self, value):
        """What rows_below takes to compute no more of a value than its count; None if its rows are not open."""
        count = value.axes.get(len(value.shape) - 2)
        return None if count is None or len(value.shape) < 2 else self.count(count)

    def look_up(self, value):
        """A constant of the length: an entry of a table of all lengths."""
        shape = value.shape or (1,)
        table = np.stack([np.asarray(a).reshape(shape) for a in value.family])
        place = f"{self.name} - {self.capacity.least}" if self.capacity.least else self.name
        text = f"row({self.translation.member(f'{value.name}_of_{self.name}', table)}, {place})"
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
            return  # the masked softmax reads no row of the right operand behind the count
        for place, axis, fill in step.node.open.get("masks", []):
            value = step.node.inputs[place]
            if value.constant and np.isfinite(value.array).all():
                continue  # these numbers behind the count meet zeros of the other operand
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
