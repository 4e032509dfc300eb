# SPDX-License-Identifier: BSL-1.0
"""What an importer writes: the lines, members and buffers of a C++ function."""
from dataclasses import dataclass

from .cpp import tensor_type
from .graph import Graph
from .sharing import shared_slots, size_of, slot_text


@dataclass(eq=False)
class Line:
    """One step: an expression with a name, which waits for its reader or is written to memory."""

    name: str
    text: str
    comment: str
    array: object
    place: str = "lazy"  # or "buffer", "output", "statement", "memory", "raw", "stub"
    heavy: bool = False
    view: bool = False
    moved: bool = False  # a view whose entries are in another order than in memory
    gathered: bool = False  # a reshape of such a view: its entries lie at no strides
    operations: int = 1
    scores: bool = False  # a product, and functions of its elements
    weights: bool = False  # a softmax of scores that is one expression with them
    states: frozenset = frozenset()  # that an expression reads when it is evaluated
    rows: str = None  # how many rows are computed, if fewer than all
    keys: bool = False  # a softmax that keeps the keys below a count


@dataclass(eq=False)
class Nested:
    """A member of the buffers that is no tensor: a state, or the buffers of a part."""

    name: str
    kind: str
    size: int  # in bytes


@dataclass(eq=False)
class Member:
    """Weights: a tensor, a packed matrix or a module of ashlar. `arrays` are those of the file, by name."""

    text: str
    stored: str
    kind: str
    shown: str
    arrays: dict


class Program:
    """What the writers of headers, tests and reports take. Texts are names in C++."""

    def __init__(self, graph=None):
        self.graph = graph or Graph("")  # whose states the test compares
        self.structs, self.nested = [], []  # definitions before the struct; further buffers
        self.members, self.lines, self.inputs, self.outputs = [], [], [], []
        self.states, self.state_objects = [], {}  # pairs of a member and a value; types of members that are no tensors
        self.growing = []  # pairs of a member and an object of Growing
        self.distances = {}, {}  # those of the results of two calls, if weights are narrow
        self.rounding = {}, {}  # errors of floats in the results of two calls
        self.wide_products = []  # pairs of a node and why it multiplies 32-bit integers instead of bytes
        self.open = None  # OpenAxes, if an axis has a capacity
        self.returned = ""  # the text of what the function returns, which reads buffers after the last line

    def buffers(self):
        """The lines whose values are in the scratch."""
        return [line for line in self.lines if line.place in ("buffer", "memory", "stub")]

    def buffer_slots(self):
        """The buffers as lists that share memory. With an open axis entries after it stay from call to call: none share."""
        return [[line] for line in self.buffers()] if self.open else shared_slots(self.lines, self.returned)

    def buffer_members(self):
        """The members of the struct of buffers as text."""
        slots = [[(tensor_type(b.array.dtype, b.array.shape), b.name) for b in slot] for slot in self.buffer_slots()]
        return "".join(map(slot_text, slots + [[(nested.kind, nested.name)] for nested in self.nested]))

    def buffer_bytes(self):
        return sum(max(map(size_of, slot)) for slot in self.buffer_slots()) + sum(nested.size for nested in self.nested)
