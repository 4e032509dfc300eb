# SPDX-License-Identifier: BSL-1.0
"""Sequences of tensors: lists that the importer resolves, so that the header knows tensors only."""
from dataclasses import dataclass

import numpy as np

from .errors import Uncovered
from .graph import Value

OPERATORS = {"SequenceEmpty", "SequenceConstruct", "SequenceInsert", "SequenceErase", "SequenceAt", "SequenceLength",
             "ConcatFromSequence"}
POSITIONS = {"SequenceAt": 1, "SequenceErase": 1, "SequenceInsert": 2}  # operands that tell a position


@dataclass(eq=False)
class Sequence:
    """The tensors of a sequence."""

    values: tuple = ()
    constant = False  # no operand that must be a constant is a sequence
    sources = frozenset()

    @property
    def axes(self):
        """The open axes of its tensors, by the tensor and the axis."""
        return {(i, axis): count for i, value in enumerate(self.values) for axis, count in value.axes.items()}

    @property
    def family(self):
        """A constant among its tensors that depends on open axes."""
        return next((value.family for value in self.values if value.family is not None), None)


def place_of(node, values, default, most):
    """The position that an operand tells, from the front, where `most` is the last one."""
    array = node.constant(POSITIONS[node.op], "the position in a sequence")
    place = default if array is None else int(array)
    if not -len(values) <= place <= most:
        raise Uncovered(f"position {place} of a sequence of {len(values)}")
    return place + len(values) if place < 0 else place


def results_of(evaluation, node):
    """The results of an operator of sequences; `evaluation` adds the nodes that join tensors."""
    if node.op in ("SequenceEmpty", "SequenceConstruct"):
        return [Sequence(tuple(node.inputs))]
    given = node.input(0)
    if not isinstance(given, Sequence):
        raise Uncovered("its operand is no sequence")
    values = given.values
    if node.op == "SequenceInsert":
        place = place_of(node, values, len(values), len(values))
        return [Sequence(values[:place] + (node.inputs[1],) + values[place:])]
    if node.op == "SequenceLength":
        return [Value(node.name, np.array(len(values), np.int64), constant=True)]
    if not values:
        raise Uncovered("the sequence is empty")
    if node.op == "ConcatFromSequence":
        axis = node.attribute("axis")
        return [evaluation.stacked(node, list(values), axis) if node.attribute("new_axis", 0)
                else evaluation.derived(node, "Concat", list(values), {"axis": axis})]
    place = place_of(node, values, len(values) - 1, len(values) - 1)
    return [values[place]] if node.op == "SequenceAt" else [Sequence(values[:place] + values[place + 1:])]
