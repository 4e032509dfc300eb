# SPDX-License-Identifier: BSL-1.0
"""Translates a graph into the lines of a C++ function."""
import re
from dataclasses import dataclass

import numpy as np

from .cpp import Names, ctype, literal, shared_prefix, tensor_type
from .errors import ModelError, Uncovered
from .open_axes import OpenAxes
from .operators import TABLE

MOST_OPERATIONS = 10  # of an expression that waits for its reader


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
    operations: int = 1
    rows: str = None  # how many rows are computed, if fewer than all
    keys: bool = False  # a softmax that keeps the keys below a count


@dataclass(eq=False)
class Member:
    """Weights: a tensor, a packed matrix or a module of ashlar. `arrays` are those of the file, by name."""

    text: str
    stored: str
    kind: str
    shown: str
    arrays: dict


class Translation:
    """The lines, members and buffers of a graph; `problems` are pairs of a node and a reason."""

    def __init__(self, graph, struct):
        prefix = shared_prefix(value.name for node in graph.nodes for value in node.outputs if value is not None)
        self.graph, self.names = graph, Names([struct], prefix)
        self.lines, self.members, self.problems = [], [], []
        self.texts, self.producers = {}, {}
        self.inputs = [(self.named(v), v) for v in graph.inputs]
        self.open = OpenAxes(self, graph.capacity) if graph.capacity else None
        self.outputs = []
        outputs, taken = {}, set()
        for name, value in graph.outputs:
            text = self.names.make(name)
            self.outputs.append((text, name, value))
            if not value.constant and id(value) not in self.texts and id(value) not in taken:
                outputs[id(value)] = text
                taken.add(id(value))
        for node in graph.nodes:
            self.translate(node, outputs)
        for text, name, value in self.outputs:
            if 0 in value.shape:
                raise ModelError(f"output {name}: shape {list(value.shape)} has no entries")
            if self.texts.get(id(value)) == text:
                continue
            self.lines.append(Line(text, self.text(value), f"the output {name}", value.array, "output"))
        if self.open:
            self.lines[:0] = [Line("", definition, "", None, "raw") for definition in self.open.definitions]

    def named(self, value):
        self.texts[id(value)] = self.names.make(value.name)
        return self.texts[id(value)]

    def text(self, value):
        """The name of a value; constants become members."""
        if id(value) not in self.texts:
            if value.family is not None:
                self.texts[id(value)] = self.open.look_up(value)
                return self.texts[id(value)]
            if not value.constant:
                raise Uncovered(f"{value.name} is not known")
            self.texts[id(value)] = self.member(value.name, value.array)
        return self.texts[id(value)]

    def member(self, name, array):
        """A tensor among the weights; returns its name."""
        if array.size == 0:
            raise Uncovered(f"{name} has no entries")
        array = np.asarray(array)
        return self.add_member(name, tensor_type(array.dtype, array.shape), "self.{}", {"": array})

    def add_member(self, name, kind, shown, arrays):
        """A member of type `kind`; `arrays` are by what follows its name in the file."""
        text = self.names.make(name)
        known = {member.stored for member in self.members}
        stored = name if re.fullmatch(r"[A-Za-z0-9_./:-]+", name) and name not in known else text
        self.members.append(Member(text, stored, kind, shown.format(text), {stored + end: a for end, a in arrays.items()}))
        return text

    def packed(self, value, transposed):
        """The name of a constant matrix at the right of a product, packed; None if it must stay a tensor."""
        if not value.constant or value.uses != 1 or len(value.shape) != 2 or value.dtype.name not in ("float32", "float64"):
            return None
        rows, columns = value.shape[::-1] if transposed else value.shape
        return self.add_member(value.name, f"packed<{ctype(value.dtype)}, {rows}, {columns}>",
                               "nn::transposed(self.{})" if transposed else "self.{}", {"": value.array})

    def translate(self, node, outputs):
        step = Step(self, node)
        comment = f"{node.title} {node.name}"
        try:
            entry = TABLE.get(node.title)
            if entry is None:
                raise Uncovered("this operator is supported between constants only")
            if self.open:
                self.open.apply(step, entry)
            else:
                step.materialise_operands(entry)
            results = entry.translate(step)
            if node.open.get("share"):
                results = self.open.finish(step, results)
        except Uncovered as reason:
            self.problems.append((node, str(reason)))
            entry, results = None, [None] * len(node.outputs)
        results = results if isinstance(results, (list, tuple)) else [results]
        for value, result in zip(node.outputs, list(results) + [None] * len(node.outputs)):
            if value is None:
                continue
            if result is None:
                if value.uses == 0:
                    continue
                if entry is not None:
                    self.problems.append((node, f"its output {value.name} is not supported"))
                self.texts[id(value)] = self.names.make(value.name)
                self.add_line(value, "", comment, outputs, None, step)
            elif re.fullmatch(r"[A-Za-z_]\w*", result) and id(value) not in outputs:
                self.texts[id(value)] = result  # the same value by another name
                self.producers[id(value)] = step.line_of(result)
                if self.producers[id(value)] is not None and value.uses > 1:
                    self.materialise(self.producers[id(value)])
            else:
                self.add_line(value, result, comment, outputs, entry, step)

    def add_line(self, value, text, comment, outputs, entry, step):
        name = outputs.get(id(value)) or self.texts.get(id(value)) or self.names.make(value.name)
        self.texts[id(value)] = name
        line = Line(name, text, f"{comment}: {list(value.shape)}", value.array)
        operands = [o for o in step.operand_lines() if o.place == "lazy"]
        line.heavy = entry is not None and entry.heavy or any(o.heavy for o in operands)
        free = self.open is not None and entry is not None and entry.view  # scores reach their softmax as an expression
        line.operations = (0 if free else 1) + sum(o.operations for o in operands)
        line.view = entry is not None and entry.view and all(o.view for o in operands)
        if self.open:
            line.rows = self.open.rows(value)
            line.keys = step.op == "Softmax" and step.node.open.get("masks", []) != [] and "keys_below(" in text
        self.lines.append(line)
        self.producers[id(value)] = line
        if id(value) in outputs:
            line.place = "output" if entry is not None else "stub_output"
        elif entry is None:
            line.place = "stub"
        elif not line.view and (value.uses > 1 or line.operations > MOST_OPERATIONS):
            self.materialise(line)

    def materialise(self, line):
        if line.place == "lazy":
            line.place = "buffer"


class Step:
    """What a function of the table sees of its node: operands as text, shapes, attributes."""

    def __init__(self, translation, node):
        self.translation, self.node = translation, node
        self.attribute, self.opset, self.op = node.attribute, node.opset, node.op
        self.shapes = [None if v is None else v.shape for v in node.inputs]
        self.out = next((v for v in node.outputs if v is not None), None)
        self.dtype = self.out.dtype
        self.replaced = {}  # texts that stand for operands, by place

    def open_keys(self):
        """The mask of keys whose number is known when the program runs, or ''."""
        return self.translation.open.keys(self) if self.translation.open else ""

    @property
    def rank(self):
        return len(self.shapes[0])

    def line_of(self, text):
        return next((line for line in reversed(self.translation.lines) if line.name == text), None)

    def operand_lines(self):
        found = (self.translation.producers.get(id(v)) for v in self.node.inputs if v is not None)
        return [line for line in found if line is not None]

    def materialise_operands(self, entry, fused=None):
        """At most one product or reduction for each step: others are in memory before, but for `fused`."""
        heavy = [line for line in self.operand_lines() if line.place == "lazy" and line.heavy and line is not fused]
        for line in heavy if entry.heavy or entry.view else heavy[1:]:
            self.translation.materialise(line)

    def has(self, place):
        return self.node.input(place) is not None

    def x(self, place=0):
        return self.replaced.get(place) or self.translation.text(self.node.inputs[place])

    def memory(self, place=0):
        """An operand that is read several times."""
        if place in self.replaced:
            # All rows are written: those behind an open axis hold what the operand is masked with.
            self.replaced[place] = self.buffer(f"operand{place}", self.replaced[place], self.node.inputs[place].dtype,
                                               self.shapes[place])
            return self.replaced[place]
        line = self.translation.producers.get(id(self.node.inputs[place]))
        if line is not None and not line.view:
            self.translation.materialise(line)
        return self.x(place)

    def number(self, place, shape=None):
        """An operand; as a number if it is a constant of one entry and the shape of the others is the result's."""
        value = self.node.inputs[place]
        if value.constant and value.array.size == 1:
            others = [v.shape for i, v in enumerate(self.node.inputs) if v is not None and i != place and not (
                v.constant and v.array.size == 1)]
            if others and np.broadcast_shapes(*others) == self.out.shape:
                return literal(value.array.reshape(-1)[0], value.dtype)
        return self.x(place)

    def literal(self, number, dtype=None):
        return literal(number, self.dtype if dtype is None else dtype)

    def constant(self, name, array):
        """A member that is no tensor of the graph."""
        return self.translation.member(f"{self.node.outputs[0].name if self.node.outputs[0] else self.node.name}_{name}", array)

    def buffer(self, name, text, dtype, shape, like=None):
        """A tensor in memory beside the results. It has the open axes of the value `like`."""
        name = self.translation.names.make(f"{self.out.name}_{name}")
        line = Line(name, text, f"for {self.node.title} {self.node.name}: {list(shape)}",
                    np.broadcast_to(np.zeros((), dtype), shape), "buffer")
        if self.translation.open and like is not None:
            line.rows = self.translation.open.rows(like)
        self.translation.lines.append(line)
        return name

    def memory_buffer(self, name, shape):
        """A tensor of the scratch that lines of `raw` write."""
        name = self.translation.names.make(f"{self.out.name}_{name}")
        self.translation.lines.append(Line(name, "", "", np.broadcast_to(np.zeros((), self.dtype), shape), "memory"))
        return name

    def raw(self, text):
        """A line as it is."""
        self.translation.lines.append(Line("", text, "", None, "raw"))

    def statement(self, name, text):
        """A value of another type, such as the result of topk."""
        name = self.translation.names.make(f"{self.out.name}_{name}")
        text = f"std::is_constant_evaluated() ? decltype({text}){{}} : {text}"  # a plan of the steps evaluates nothing
        self.translation.lines.append(Line(name, text, f"for {self.node.title} {self.node.name}", None, "statement"))
        return name

    @property
    def type(self):
        return ctype(self.dtype)

    @staticmethod
    def ctype(dtype):
        return ctype(dtype)

    def reshape(self, shape, text, old=None):
        shape = tuple(int(n) for n in shape)
        if old is not None and tuple(old) == shape:
            return text
        return "reshape<" + ", ".join(map(str, shape)) + f">({text})"

