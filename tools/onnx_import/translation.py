# SPDX-License-Identifier: BSL-1.0
"""Translates a graph into the lines of a C++ function."""
import re

import numpy as np

from .cpp import Names, ctype, literal, shared_prefix, tensor_type
from .errors import MALFORMED, ModelError, Uncovered, malformed
from .narrow import FLOAT
from .open_axes import OpenAxes
from .operators import TABLE
from .program import Line, Member, Nested, Program

MOST_OPERATIONS = 10  # of an expression that waits for its reader


class Translation(Program):
    """The lines, members and buffers of a graph; `problems` are pairs of a node and a reason."""

    def __init__(self, graph, struct, weights):
        prefix = shared_prefix(value.name for node in graph.nodes for value in node.outputs if value is not None)
        super().__init__(graph)
        self.names = Names([struct] + (["state", "kept"] if graph.states or graph.growing else []), prefix)
        self.weights, self.problems = weights, []
        self.texts, self.producers, self.modules = {}, {}, {}
        self.inputs = [(self.named(v), v) for v in graph.inputs]
        self.open = OpenAxes(self, graph.capacity) if graph.capacity else None
        self.state_names = Names(["reset", "length"])
        self.states = self.named_states()
        self.growing = [(self.state_names.make(state.before.name), state) for state in graph.growing]
        self.destinations = {}
        self.prepare()
        for node in graph.nodes:
            self.translate(node, self.destinations)
        self.finish()

    def prepare(self):
        """Gives each output a name; the operators that compute them write there."""
        for name, value in self.graph.outputs:
            text = self.names.make(name)
            self.outputs.append((text, name, value))
            if not value.constant and id(value) not in self.texts:
                self.destinations.setdefault(id(value), text)

    def finish(self):
        """Copies outputs that are inputs, constants or other outputs; then the states get their new values."""
        for text, name, value in self.outputs:
            if 0 in value.shape:
                raise ModelError(f"output {name}: shape {list(value.shape)} has no entries")
            if self.texts.get(id(value)) == text:
                continue
            self.lines.append(Line(text, self.text(value), f"the output {name}", value.array, "output"))
        self.write_states()
        if self.open:
            self.lines[:0] = self.open.lines()

    def named_states(self):
        """Pairs of a member of the state and the value in the graph. Steps know the member by a name of its own."""
        pairs = []
        for value, _ in self.graph.states:
            member = self.state_names.make(value.name)
            text = f"const auto& {self.named(value)} = kept.{member};"
            self.lines += [Line("", text, "", None, "raw")] if value.uses else []
            pairs.append((member, value))
        return pairs

    def owned_state(self, module, kind, parts):
        """The name of a module's state among the states of the graph, if nothing else reads and replaces these; or None.

        `parts` are pairs of the values before and after, by the names of the state's members.
        """
        places = {part: next((i for i, pair in enumerate(self.graph.states) if pair[0] is old and pair[1] is new), None)
                  for part, (old, new) in parts.items()}
        if any(i is None or any(v.uses != 1 for v in self.graph.states[i]) for i in places.values()):
            return None
        name = self.state_names.make(f"{module}_state")
        self.state_objects[name] = kind
        for part, i in places.items():
            member, value = self.states[i]
            self.lines = [line for line in self.lines if line.text != f"const auto& {self.texts[id(value)]} = kept.{member};"]
            self.states[i] = (f"{name}.{part}", value)
        return f"kept.{name}"

    def appended(self, node):
        """Writes the new rows of a growing state after those that it has; returns the name of the state."""
        member, state = next((member, state) for member, state in self.growing if state.after is node.outputs[0])
        name, rows = self.named(state.after), self.names.make(f"new_{member}")
        self.lines.append(Line("", f"auto& {name} = kept.{member};", "", None, "raw"))
        length = self.open.names[self.open.capacity.growing_axis]
        place = f"{length} * {state.distance()}" if state.distance() > 1 else length
        part = f"slice<{state.axis}, 0, {state.count}>({name})"
        self.lines.append(Line("", f"const auto {rows} = decltype({part})({name}.data() + {place});", "", None, "raw"))
        self.lines.append(Line(rows, self.text(state.rows), f"{self.comment_of(node)}: {list(state.rows.shape)}",
                               state.rows.array, "output"))
        return name

    def write_states(self):
        """The last lines: each state gets its new value. One that another new value is made of is not overwritten before."""
        names = {self.texts[id(value)] for _, value in self.states}
        last = []
        for (member, old), (_, new) in zip(self.states, self.graph.states):
            if member.partition(".")[0] in self.state_objects:
                continue
            text, own, line = self.text(new), self.texts[id(old)], self.producers.get(id(new))
            reads = line.states if line is not None and line.place == "lazy" else {text} & names
            if reads - {own}:
                if line is None:
                    line = Line(self.names.make(f"next_{member}"), text, f"the next {member}", new.array, "buffer")
                    self.lines.append(line)
                self.materialise(line)
                text = line.name
            if text != own:
                last.append(Line(f"kept.{member}", text, f"the next {member}", new.array, "output"))
        self.lines += last

    def entry_of(self, node):
        """How a node is translated, or None."""
        return TABLE.get(node.title)

    def comment_of(self, node):
        return f"{node.title} {node.name}"

    def step_of(self, node):
        return Step(self, node)

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

    def add_member(self, name, kind, shown, arrays, short=None):
        """A member of type `kind`; `arrays` are by what follows its name in the file, which `short` replaces in the code."""
        text = self.names.make(short or name)
        known = {member.stored for member in self.members}
        stored = name if re.fullmatch(r"[A-Za-z0-9_./:-]+", name) and name not in known else text
        self.members.append(Member(text, stored, kind, shown.format(text), {stored + end: a for end, a in arrays.items()}))
        return text

    def module(self, node, values, kind, element, arrays, grouped=False):
        """The name of a module of ashlar whose weights are `values`; nodes with the same weights share it.

        `kind` is its type up to the options, and `arrays()` are those of the file, by what follows its name.
        """
        key = (kind, *map(id, values))
        if key not in self.modules:
            weight = next(v.name for v in values if v is not None)
            name = weight[:-7] if weight.endswith(".weight") else node.name
            short = name
            if name == node.name:  # PyTorch names the first result after the node, and its prefix is known here
                short = next((v.name[:-9] for v in node.outputs if v is not None and v.name.endswith("_output_0")), name)
            stored = {end: self.weights.without_denormals(array) for end, array in arrays().items()}
            choice = self.weights.choose(node, [(a[0].size, len(a)) for a in stored.values() if a.ndim > 1], grouped)
            types = f", float, {choice[0].weight}" if choice[0] is not FLOAT else "" if element == "float" else f", {element}"
            self.modules[key] = self.add_member(name, f"{kind}{types}>", "self.{}", stored, short), name, choice
        text, name, choice = self.modules[key]
        self.weights.record(node, text, name, choice)
        return text

    def packed(self, node, value, transposed):
        """The name of a constant matrix at the right of a product, packed; None if it must stay a tensor."""
        if not value.constant or value.uses != 1 or len(value.shape) != 2 or value.dtype.name not in ("float32", "float64"):
            return None
        return self.matrix(node, value.name, value.array, transposed)

    def matrix(self, node, name, array, transposed):
        """The name of a matrix of the file that is packed as the right operand of a product; `transposed` there."""
        return self.chosen_matrix(node, name, array, transposed,
                                  self.weights.choose(node, [array.shape[::-1] if transposed else array.shape]))

    def chosen_matrix(self, node, name, array, transposed, choice):
        """The same with a choice of `Weights` that may be that of several matrices."""
        rows, columns = array.shape[::-1] if transposed else array.shape
        array = self.weights.without_denormals(array)
        chosen, error, _, refused = choice
        kind = chosen.matrix if array.dtype == np.float32 else f"packed<{ctype(array.dtype)}, {{}}, {{}}>"
        text = self.add_member(name, kind.format(rows, columns), "nn::transposed(self.{})" if transposed else "self.{}",
                               {"": array})
        size = array.nbytes if chosen is FLOAT else chosen.size(rows, columns)
        self.weights.record(node, text, name, (chosen, error, size, refused))
        return text

    def translate(self, node, outputs):
        step = self.step_of(node)
        comment = self.comment_of(node)
        try:
            entry = self.entry_of(node)
            if entry is None:
                raise Uncovered("this operator is supported between constants only")
            if self.open:
                self.open.apply(step, entry)
            else:
                step.materialise_operands(entry, step.kept_expression())
            results = entry.translate(step)
            if node.open.get("share"):
                results = self.open.finish(step, results)
        except Uncovered as reason:
            self.problems.append((node, str(reason)))
            entry, results = None, [None] * len(node.outputs)
        except MALFORMED as failure:
            raise malformed(node.name, node.title, failure) from None
        results = results if isinstance(results, (list, tuple)) else [results]
        for value, result in zip(node.outputs, list(results) + [None] * len(node.outputs)):
            if value is None or value.uses == 0:
                continue
            if result is None:
                if entry is not None:
                    self.problems.append((node, f"its output {value.name} is not supported"))
                self.texts[id(value)] = self.names.make(value.name)
                self.add_line(value, "", comment, outputs, None, step)
            elif re.fullmatch(r"[A-Za-z_]\w*" + (r"(\.\w+)*" if step.in_memory else ""), result) and id(value) not in outputs:
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
        read = {self.texts.get(id(v)) for v in step.node.inputs if v is not None} & {self.texts[id(v)] for _, v in self.states}
        line.states = frozenset(read).union(*(o.states for o in operands))
        line.heavy = entry is not None and entry.heavy or any(o.heavy for o in operands)
        own = 0 if entry is not None and entry.view else entry.operations if entry is not None else 1
        line.operations = own + sum(o.operations for o in operands)
        line.view = entry is not None and entry.view and all(o.view for o in operands)
        line.moved = line.view and (step.op in ("Transpose", "Slice", "Split") or any(o.moved for o in operands))
        line.gathered = line.view and any(o.gathered or o.moved and step.op == "Reshape" for o in operands)
        products = [o for o in operands if o.heavy]
        by_element = entry is not None and not entry.heavy and not entry.view
        line.scores = step.op == "MatMul" and not products or (
            by_element and len(products) == 1 and products[0].scores and products[0].array.shape == value.shape)
        line.weights = text.startswith(f"softmax<{len(value.shape) - 1}>(") and any(o.scores for o in products)
        if step.in_memory:
            line.heavy, line.view = False, True
        if self.open:
            line.rows = self.open.rows(value)
            line.keys = step.op == "Softmax" and step.node.open.get("masks", []) != [] and "keys_below(" in text
        self.lines.append(line)
        self.producers[id(value)] = line
        if id(value) in outputs:
            line.place = "output" if entry is not None else "stub_output"
        elif entry is None:
            line.place = "stub"
        elif entry.whole or not line.view and (value.uses > 1 or line.operations > MOST_OPERATIONS):
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
        self.in_memory = False  # whether the results are views of buffers
        self.replaced = {}  # texts that stand for operands, by place

    @property
    def comment(self):
        return self.translation.comment_of(self.node)

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

    def kept_expression(self):
        """The operand that the plan computes together with its reader, as in attention: scores of a softmax along their last
        axis, and its result at the left of a product."""
        line = self.translation.producers.get(id(self.node.inputs[0])) if self.node.inputs[0] is not None else None
        if line is None or line.place != "lazy":
            return None
        along_rows = self.op == "Softmax" and self.attribute("axis", -1 if self.opset >= 13 else 1) in (-1, self.rank - 1)
        return line if along_rows and line.scores or self.op == "MatMul" and line.weights else None

    def materialise_operands(self, entry, fused=None):
        """At most one product or reduction for each step: others are in memory before, but for `fused`. So are gathered entries
        of which a part is taken, as in a shuffle of channels: each one would be looked up by itself."""
        heavy = [line for line in self.operand_lines() if line.place == "lazy" and line.heavy and line is not fused]
        gathered = [line for line in self.operand_lines() if line.gathered and self.op in ("Slice", "Split")]
        for line in (heavy if entry.heavy or entry.view else heavy[1:]) + gathered:
            self.translation.materialise(line)

    def has(self, place):
        return self.node.input(place) is not None

    def x(self, place=0):
        return self.replaced.get(place) or self.translation.text(self.node.inputs[place])

    def memory(self, place=0):
        """An operand that is read several times."""
        if place in self.replaced:
            # All rows are written: those after an open axis hold what the operand is masked with.
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
        line = Line(name, text, f"for {self.comment}: {list(shape)}",
                    np.broadcast_to(np.zeros((), dtype), shape), "buffer")
        if self.translation.open and like is not None:
            line.rows = self.translation.open.rows(like)
        self.translation.lines.append(line)
        return name

    def memory_buffer(self, name, shape):
        """A tensor of the scratch that lines of `raw` write."""
        name = self.translation.names.make(f"{self.out.name}_{name}")
        self.translation.lines.append(Line(name, "", f"for {self.comment}: {list(shape)}",
                                           np.broadcast_to(np.zeros((), self.dtype), shape), "memory"))
        return name

    def object_buffer(self, name, kind, size):
        """An object of the scratch that is no tensor, of `size` bytes; returns its path."""
        name = self.translation.names.make(name)
        self.translation.nested.append(Nested(name, kind, size))
        return f"values.{name}"

    def raw(self, text):
        """A line as it is."""
        self.translation.lines.append(Line("", text, "", None, "raw"))

    def statement(self, name, text):
        """A value of another type, such as the result of topk."""
        name = self.translation.names.make(f"{self.out.name}_{name}")
        text = f"std::is_constant_evaluated() ? decltype({text}){{}} : {text}"  # a plan of the steps evaluates nothing
        self.translation.lines.append(Line(name, text, f"for {self.comment}", None, "statement"))
        return name

    @property
    def type(self):
        return ctype(self.dtype)

    @staticmethod
    def ctype(dtype):
        return ctype(dtype)

    def reshape(self, shape, text, old=None):
        shape = tuple(map(int, shape))
        return text if old is not None and tuple(old) == shape else f"reshape<{', '.join(map(str, shape))}>({text})"

