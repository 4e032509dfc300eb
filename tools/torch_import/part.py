# SPDX-License-Identifier: BSL-1.0
"""Scopes as C++: the module itself with its steps, and the modules inside it as structs with a call of their own."""
import re

from onnx_import.cpp import Names
from onnx_import.emit import commented, line_text, listed
from onnx_import.errors import ModelError, Uncovered
from onnx_import.narrow import Weights
from onnx_import.operators.registry import Entry
from onnx_import.program import Line, Member
from onnx_import.translation import Translation
from onnx_import.translation import Step as OperatorStep

from . import modules

STRUCT = """/// {title}: {shapes}.
struct {name} {{
{members}
    struct buffers {{
{buffers}    }};

    /// step(destination, expression) evaluates what several lines read.
    constexpr {result} operator()({parameters}) const {{
{lines}
    }}

    template <class Self, class Visitor>
    static constexpr void members([[maybe_unused]] Self& self, [[maybe_unused]] Visitor&& visit) {{
{visits}    }}
}};

"""


def snake(name):
    """A name of a class as this library writes names of types."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class Structs:
    """The definitions of all parts; parts with the same text share one."""

    def __init__(self, name):
        self.space, self.free, self.names, self.texts = f"{name}_parts", Names(), {}, []

    def add(self, title, text):
        """The qualified name of the struct whose text has {name} where its name belongs."""
        if text not in self.names:
            name = self.names[text] = self.free.make(snake(title))
            self.texts.append(text.replace("\0", name))
        return f"{self.space}::{self.names[text]}"

    def definitions(self):
        if not self.texts:
            return []
        return [f"namespace {self.space} {{\n\n", *self.texts, f"}}  // namespace {self.space}\n\n"]


class ScopeTranslation(Translation):
    """The lines of one scope. `taken` are names that it may not use."""

    def __init__(self, scope, taken, structs):
        self.scope, self.structs_of_all = scope, structs
        self.called, self.parts, self.places, self.matrices = {}, {}, {}, {}  # the first: what is called, by path
        super().__init__(scope.graph, taken, Weights("float", scope.graph))

    def prepare(self):
        super().prepare()
        kinds, arrays = {}, {}
        for path, module in self.scope.modules.items():
            entry = modules.mapped(module)
            kinds[path], arrays[path] = entry.kind(module), entry.arrays(module)
            if path in self.scope.folds:
                kinds[path] = modules.folded_kind(kinds[path])
                arrays[path] = modules.folded(module, self.scope.folds[path])
            if path in self.scope.turned:
                kinds[path] = modules.channels_last_kind(kinds[path])
        for path, children in self.scope.children.items():
            found = {}  # calls with other shapes are of other structs
            for child in children:
                part = self.parts[id(child)] = PartTranslation(child, self.structs_of_all)
                place = self.places[id(child)] = found.setdefault(part.kind, f"{path}_{len(found) + 1}" if found else path)
                kinds[place], arrays[place] = part.kind, part.arrays
        for place in dict.fromkeys(self.place_of(node) for node in self.graph.nodes if node.domain in ("torch.nn", "torch.part")):
            if place not in self.called:
                self.declare(place, kinds, arrays)

    def place_of(self, node):
        """The path of the module that a node calls; a number follows if it has other shapes than before."""
        return self.places[id(node.attribute("scope"))] if node.domain == "torch.part" else node.attribute("path")

    def packed(self, node, value, transposed):
        """As the base class has it, also for a matrix that several products share, as a loop over steps has them."""
        readers = [reader for reader in self.graph.nodes if any(v is value for v in reader.inputs)]
        if len(readers) < 2 or any(reader.title != "MatMul" or reader.inputs[0] is value for reader in readers):
            return super().packed(node, value, transposed)
        if id(value) not in self.matrices:
            value.uses = 1
            self.matrices[id(value)] = super().packed(node, value, transposed)
        return self.matrices[id(value)]

    def declare(self, path, kinds, arrays):
        """A member for a module; an array for all modules of a list, if their types are the same."""
        stem, _, place = path.rpartition(".")
        siblings = [p for p in kinds if p.rpartition(".")[0] == stem] if place.isdigit() else []
        counted = [f"{stem}.{i}" for i in range(len(siblings))]
        if stem and len(siblings) > 1 and set(siblings) == set(counted) and len({kinds[p] for p in counted}) == 1:
            kind = f"std::array<{kinds[path]}, {len(counted)}>"
            text = self.hold(stem, kind, {f"{i}.{name}": a for i, p in enumerate(counted) for name, a in arrays[p].items()})
            self.called.update({p: f"{text}[{i}]" for i, p in enumerate(counted)})
        else:
            self.called[path] = self.hold(path, kinds[path], arrays[path])

    def hold(self, path, kind, arrays):
        text = self.names.make(path)
        self.members.append(Member(text, path, kind, f"self.{text}", {f"{path}.{name}": a for name, a in arrays.items()}))
        return text

    def entry_of(self, node):
        if node.domain == "torch.nn":
            return modules.mapped(node.attribute("module")).entry()
        if node.domain == "torch.part":
            part = self.parts[id(node.attribute("scope"))]
            return Entry(call_part, "", part.heavy, False, False, part.operations)
        if node.domain == "torch":
            return Entry(refuse, "")
        return super().entry_of(node)

    def comment_of(self, node):
        if node.domain == "torch.nn":
            return f"{node.op} {node.attribute('path')}"
        if node.domain == "torch.part":
            return f"{node.attribute('scope').title} {node.attribute('path')}"
        return super().comment_of(node)

    def step_of(self, node):
        return Step(self, node)

    @property
    def arrays(self):
        return {name: array for m in self.members for name, array in m.arrays.items()}


def refuse(s):
    raise Uncovered(s.attribute("reason"))


def call_part(s):
    """A call of a part: an expression, or references to its buffers."""
    part = s.translation.parts[id(s.attribute("scope"))]
    arguments = [s.memory(i) for i in range(len(s.node.inputs))]
    values = s.nested(None, f"{part.kind}::buffers", part.buffer_bytes())
    call = f"{s.module()}({', '.join(arguments + [values, 'step'])})"
    outputs = s.node.outputs
    if len(outputs) == 1 and (not part.refers or id(outputs[0]) in s.translation.destinations):
        return call
    if len(outputs) == 1:
        return s.reference(None, call)
    names = [s.translation.names.make(v.name) for v in outputs]
    s.raw(f"[[maybe_unused]] const auto [{', '.join(names)}] = {call};")
    for name, value in zip(names, outputs):
        s.translation.lines.append(Line(name, "", "", value.array, "reference"))
    return names


class Step(OperatorStep):
    """What a function of the tables sees of its node."""

    def module(self):
        return self.translation.called[self.translation.place_of(self.node)]

    def nested(self, name, kind, size):
        """A member of the buffers that is no tensor; returns its path."""
        stem = re.sub(r"\W", "_", self.attribute("path"))
        return self.object_buffer(f"{stem}_{name}" if name else f"{stem}_values", kind, size)

    def reference(self, name, text):
        """A name for a value that is in memory."""
        name = self.translation.names.make(f"{self.out.name}_{name}" if name else self.out.name)
        self.raw(f"[[maybe_unused]] const auto& {name} = {text};")
        self.translation.lines.append(Line(name, "", "", self.out.array, "reference"))
        return name


class PartTranslation(ScopeTranslation):
    """A module inside another one. Its result is an expression; `refers` if it is in memory instead."""

    def __init__(self, scope, structs):
        super().__init__(scope, "values", structs)
        self.kind = structs.add(scope.title, self.text_of_struct())

    def prepare(self):
        outputs, self.graph.outputs = self.graph.outputs, []
        super().prepare()
        self.graph.outputs = outputs

    def finish(self):
        """The last lines: what the call returns."""
        results = [value for _, value in self.graph.outputs]
        lines = [self.producers.get(id(value)) for value in results]
        local = any(line.place == "statement" for line in self.lines)
        for value, line in zip(results, lines):
            if line is not None and line.place == "lazy" and (len(results) > 1 or local and not line.view):
                self.materialise(line)
        line, value = lines[0], results[0]
        self.refers = len(results) > 1 or line is None or line.place != "lazy"
        self.heavy = bool(not self.refers and line.heavy)
        self.operations = 1 if self.refers else line.operations
        if len(results) > 1:
            for value in results:
                if not self.is_memory(value):
                    raise ModelError(f"{self.scope.path}: it returns a view among several results")
            self.returned = f"return std::tie({', '.join(self.text(value) for value in results)});"
        elif self.refers:
            self.returned = f"return {self.text(value)};"
        else:
            self.returned = f"return {line.text};  // {commented(line.comment)}"
            if self.lines[-1] is line:
                self.lines.pop()
            else:
                self.returned = f"return {line.name};"
        self.result = "auto" if len(results) > 1 or not self.refers else "const auto&"

    def is_memory(self, value):
        line = self.producers.get(id(value))
        return re.fullmatch(r"\w+", self.text(value)) is not None and (line is None or line.place != "lazy")

    def text_of_struct(self):
        inputs = [f"[[maybe_unused]] const auto& {text}" for text, _ in self.inputs]
        parameters = inputs + ["[[maybe_unused]] buffers& values", "[[maybe_unused]] const auto& step"]
        shapes = " to ".join(", ".join(f"{list(v.shape)}{' with channels last' if id(v) in self.scope.last else ''}" for _, v in values)
                             for values in (self.inputs, self.graph.outputs))
        lines = [line_text(line) for line in self.lines if line.place != "reference"] + [f"        {self.returned}"]
        return STRUCT.format(
            title=self.scope.title, shapes=shapes, name="\0", members="".join(f"    {m.kind} {m.text}{{}};\n" for m in self.members),
            buffers=self.buffer_members(), result=self.result,
            parameters=listed(parameters, 4 + len(f"constexpr {self.result} operator()(")), lines="\n".join(lines),
            visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in self.members))


class NetTranslation(ScopeTranslation):
    """The module that is imported: its steps write the outputs."""

    def __init__(self, scope, name):
        structs = Structs(name)
        super().__init__(scope, name, structs)
        self.structs = structs.definitions()
        self.lines = [line for line in self.lines if line.place != "reference"]


