# SPDX-License-Identifier: BSL-1.0
"""The graph that the translation works on: values with sample arrays, and nodes in the order of evaluation."""
from dataclasses import dataclass, field

import numpy as np

from .errors import Uncovered


@dataclass(eq=False)
class Value:
    """A tensor of the graph. `array` is what the sample inputs give; it is the value itself if `constant`."""

    name: str
    array: np.ndarray
    constant: bool = False
    sources: frozenset = frozenset()  # names of the inputs of the graph that it depends on
    uses: int = 0
    axes: dict = field(default_factory=dict)  # open axes: a count by position
    family: object = None  # of a constant that depends on open axes: its arrays, a Family

    @property
    def shape(self):
        return tuple(int(n) for n in self.array.shape)

    @property
    def dtype(self):
        return self.array.dtype


@dataclass(eq=False)
class Node:
    """An operator with its operands. An optional operand that is absent is None."""

    op: str
    domain: str
    name: str
    inputs: list
    outputs: list
    attributes: dict
    opset: int
    subgraphs: dict = field(default_factory=dict)
    product: object = None  # of rows and a constant matrix, if its elements are not those of the graph
    open: dict = field(default_factory=dict)  # what the translation does about open axes

    @property
    def title(self):
        return f"{self.domain}.{self.op}" if self.domain else self.op

    def attribute(self, name, default=None):
        return self.attributes.get(name, default)

    def input(self, place):
        return self.inputs[place] if place < len(self.inputs) else None

    def multiply(self, rows, matrix):
        """rows [..., depth] times a matrix [depth, columns]."""
        return (self.product or np.matmul)(rows, matrix)

    def array(self, place, default=None):
        value = self.input(place)
        return default if value is None else value.array

    def constant(self, place, what):
        """The array of an operand that the translation must know, or None if the operand is absent."""
        value = self.input(place)
        if value is None:
            return None
        if not value.constant:
            options = " ".join(f"--constant {name}=..." for name in sorted(value.sources))
            raise Uncovered(f"{what} must be a constant: use {options}")
        return value.array

    def integers(self, place, name, default=None):
        """Integers that older operator sets have as an attribute and newer ones as an operand."""
        value = self.input(place)
        if value is not None:
            return [int(n) for n in value.array.reshape(-1)]
        given = self.attribute(name)
        if given is None:
            return default
        return [int(n) for n in given] if isinstance(given, (list, tuple)) else [int(given)]


def computed(name, array, operands):
    """The value that a node makes of its operands; it is constant if they are."""
    given = [v for v in operands if v is not None and not v.constant]
    return Value(name, np.asarray(array), not given, frozenset().union(*(v.sources for v in given)))


@dataclass
class Graph:
    name: str
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)  # pairs of a name and a value
    nodes: list = field(default_factory=list)
    capacity: object = None
    states: list = field(default_factory=list)  # pairs of a value among the inputs and the one that replaces it
    growing: list = field(default_factory=list)  # states to which each call appends: objects of Growing
    again: dict = field(default_factory=dict)  # arrays of a second call, by id() of inputs, outputs and new states

    def results(self):
        """All values that a caller gets."""
        return [value for _, value in self.outputs + self.states] + [state.after for state in self.growing]

    def second_call(self, first):
        """The arrays of inputs and states of a second call, by id(); `first` are those of the first that differ from `array`."""
        return {id(v): self.again[id(v)] for v in self.inputs} | {
            id(before): first.get(id(after), after.array) for before, after in self.states}

    def remove_dead_nodes(self):
        """Drops nodes whose results nothing reads, and counts how often each value is read."""
        wanted = {id(value) for value in self.results()}
        live = []
        for node in reversed(self.nodes):
            if any(value is not None and id(value) in wanted for value in node.outputs):
                live.append(node)
                wanted.update(id(value) for value in node.inputs if value is not None)
        self.nodes = live[::-1]
        for value in self.inputs + self.results() + [value for node in self.nodes for value in node.inputs + node.outputs if value is not None]:
            value.uses = 0
        for value in (value for node in self.nodes for value in node.inputs if value is not None):
            value.uses += 1
        for value in self.results():
            value.uses += 1
