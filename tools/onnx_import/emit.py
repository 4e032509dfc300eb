# SPDX-License-Identifier: BSL-1.0
"""Writes the header, the test and the files of weights and samples."""
from dataclasses import dataclass

import numpy as np

from .cpp import literal, tensor_type
from .safetensors import write_safetensors

HEADER = """// {title}
// {origin}
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/ashlar.hpp>
{includes}
namespace imported {{

using namespace ashlar;

/// The weights; io::load fills them from {name}.safetensors. Make it static: it is as large as its weights.
struct {name} {{
{members}{state}
    /// The values that operators write to memory.
    struct buffers {{
{buffers}    }};
    /// The buffers, and what the evaluation of the steps needs. Make it static, too.
    struct scratch;

    void operator()({parameters},
                    scratch& memory) const;

    /// Calls step(destination, expression) for each value in memory; step returns the destination.
    template <class Step>
    constexpr void steps({step_parameters},
                         [[maybe_unused]] buffers& values, [[maybe_unused]] const Step& step) const {{
{lines}
    }}

    template <class Self, class Visitor>
    static constexpr void members([[maybe_unused]] Self& self, [[maybe_unused]] Visitor&& visit) {{
{visits}    }}
}};

namespace {name}_plan {{

extern {name} model;  // declared for the size of the scratch only: nothing reads or defines these objects
extern {name}::buffers values;
{planned_state}{planned}
constexpr std::size_t most() {{
    std::size_t bytes = 0;
    model.steps({planned_arguments}, values, [&bytes]<class To, class From>(To& to, const From&) -> To& {{
        bytes = (std::max)(bytes, workspace_bytes<From>);
        return to;
    }});
    return bytes;
}}

}}  // namespace {name}_plan

struct {name}::scratch {{
    static constexpr std::size_t step_bytes = {name}_plan::most();
    buffers values{{}};
    workspace<step_bytes> work{{}};
}};
inline constexpr std::size_t {name}_workspace_bytes = sizeof({name}::scratch);

inline void {name}::operator()({outer_parameters}, scratch& memory) const {{
    steps({arguments}, memory.values, [&memory](auto& to, const auto& from) -> auto& {{
        evaluate(to, from, memory.work);
        return to;
    }});
}}

}}  // namespace imported
"""

STATE = """
    /// What a call leaves for the next one. It begins with zeros.
    struct state {{
{members}
        /// Forgets all calls.
        void reset() {{
{zeros}        }}
    }};
"""

TEST = """// {title}
// Loads the weights of {name}, runs it with the sample inputs and compares with the reference values.
#include "{name}.hpp"

#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>

#include <ashlar/io.hpp>

namespace {name}_test {{

using namespace imported;

static {name} model;
static {name}::scratch scratch;
{state}{tensors}
static double number(auto element) {{ return static_cast<double>(element); }}
[[maybe_unused]] static double number(f16 element) {{ return static_cast<double>(static_cast<float>(element)); }}

/// Whether entries agree to the tolerance, relative to the expected one where that is above 1.
template <class Found, class Expected>
static bool agree(const char* name, const Found& found, const Expected& expected, double tolerance) {{
    auto entry = expected.begin();
    for (std::size_t i = 0; i < Found::size; ++i, ++entry) {{
        const double a = number(found.begin()[static_cast<std::ptrdiff_t>(i)]), b = number(*entry);
        if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
        std::printf("{name}: %s, entry %zu: %.9g, expected %.9g\\n", name, i, a, b);
        return false;
    }}
    return true;
}}

static bool loaded(const io::result& r) {{
    if (!r) std::printf("{name}: %s\\n", r.message().c_str());
    return static_cast<bool>(r);
}}

/// The folder has {name}.safetensors and {name}_test.safetensors.
static bool passes(const std::string& folder) {{
{loads}    bool good = true;
{calls}    return good;
}}

}}  // namespace {name}_test

#ifndef ASHLAR_IMPORT_NO_MAIN
int main(int count, char** arguments) {{
    const bool good = {name}_test::passes(count > 1 ? arguments[1] : ".");
    if (good) std::puts("{name}: all outputs agree");
    return good ? 0 : 1;
}}
#endif
"""
LICENSE = "SPDX-License-Identifier: 0BSD"


def commented(text):
    """Text of the model on one line; a backslash at its end would continue the comment."""
    return " ".join(text.split()).replace("\\", "/")


def buffers_of(translation):
    return [line for line in translation.lines if line.place in ("buffer", "memory", "stub")]


def line_text(line):
    note = f"  // {commented(line.comment)}"
    if line.place == "stub_output":
        return f"        // TODO: write step({line.name}, ...) for {commented(line.comment)}"
    if line.place == "stub":
        return (f"        // TODO: write step(values.{line.name}, ...) for {commented(line.comment)}\n"
                f"        const auto& {line.name} = values.{line.name};")
    if line.place == "raw":
        return f"        {line.text}"
    if line.place == "memory":
        return f"        auto& {line.name} = values.{line.name};"
    if line.place == "output":
        return f"        step({line.name}, {line.text});{note}"
    if line.place == "buffer":
        return f"        const auto& {line.name} = step(values.{line.name}, {line.text});{note}"
    return f"        const auto {line.name} = {line.text};{note}"


def listed(parts, indent):
    return (",\n" + " " * indent).join(parts)


def state_text(t):
    """The struct of the states; empty if there are none."""
    if not t.states:
        return ""
    return STATE.format(members="".join(f"        {tensor_type(v.dtype, v.shape)} {member}{{}};\n" for member, v in t.states),
                        zeros="".join(f"            {member} = {literal(0, v.dtype)};\n" for member, v in t.states))


def write_header(path, name, translation, origin):
    t = translation
    buffers = buffers_of(t)
    inputs = [(text, tensor_type(v.dtype, v.shape)) for text, v in t.inputs]
    outputs = [(text, tensor_type(v.dtype, v.shape)) for text, _, v in t.outputs]
    kept = ["kept"] if t.states else []
    parameters = [f"const {kind}& {text}" for text, kind in inputs] + [f"state& {text}" for text in kept]
    parameters += [f"{kind}& {text}" for text, kind in outputs]
    names = ", ".join([text for text, _ in inputs] + kept + [text for text, _ in outputs])
    used = [m.kind + m.shown for m in t.members] + [line.text for line in t.lines]
    text = HEADER.format(
        title=LICENSE, name=name, origin=commented(origin),
        includes="#include <ashlar/nn.hpp>\n" if any("nn::" in text for text in used) else "",
        members="".join(f"    {m.kind} {m.text}{{}};\n" for m in t.members),
        state=state_text(t), planned_state=f"extern {name}::state kept;\n" if kept else "",
        buffers="".join(f"        {b.kind or tensor_type(b.array.dtype, b.array.shape)} {b.name}{{}};\n" for b in buffers),
        parameters=listed(parameters, 20), outer_parameters=", ".join(parameters),
        step_parameters=listed(["[[maybe_unused]] " + p for p in parameters], 25), lines="\n".join(map(line_text, t.lines)),
        arguments=names,
        planned="".join(f"extern {kind} {text};\n" for text, kind in inputs + outputs), planned_arguments=names,
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in t.members))
    path.write_text(text)


@dataclass(frozen=True)
class Compared:
    """A tensor that the test compares: where it is, where the reference values of a call are, and their name in the file."""

    found: str
    expected: str
    stored: str
    value: object

    def check(self, call):
        tolerance = "2e-3" if self.value.dtype == np.float16 else "1e-5"
        name = self.stored.removeprefix("again.").removeprefix("output.")
        return f'    good &= agree("{name}{call}", {self.found}, {self.expected}, {tolerance});\n'


def compared(t, prefix=""):
    """Of a call: outputs, and states after it."""
    end = "_again" if prefix else ""
    return [Compared(f"out_{text}", f"expected_{text}{end}", f"{prefix}output.{text}", v) for text, _, v in t.outputs] + \
           [Compared(f"kept.{member}", f"expected_state_{member}{end}", f"{prefix}state.{member}", new)
            for (member, _), (_, new) in zip(t.states, t.graph.states)]


def write_test(path, name, translation):
    t = translation
    calls = ("", "again.") if t.states else ("",)
    tensors, named, lines = [], [], []
    for prefix in calls:
        end = "_again" if prefix else ""
        for text, v in t.inputs:
            tensors.append(f"static {tensor_type(v.dtype, v.shape)} in_{text}{end};\n")
            named.append(f'io::named("{prefix}input.{text}", in_{text}{end})')
        for c in compared(t, prefix):
            tensors.append(f"static {tensor_type(c.value.dtype, c.value.shape)} {c.expected};\n")
            named.append(f'io::named("{c.stored}", {c.expected})')
    tensors += [f"static {tensor_type(v.dtype, v.shape)} out_{text};\n" for text, _, v in t.outputs]
    for prefix, call in [("", "")] + ([("again.", ", second call"), ("", ", after reset")] if t.states else []):
        lines.append("    kept.reset();\n" if "reset" in call else "")
        arguments = [f"in_{text}{'_again' if prefix else ''}" for text, _ in t.inputs] + (["kept"] if t.states else [])
        lines.append(f"    model({', '.join(arguments + [f'out_{text}' for text, _, _ in t.outputs] + ['scratch'])});\n")
        lines += [c.check(call) for c in compared(t, prefix)]
    loads = f'    if (!loaded(io::load(model, folder + "/{name}.safetensors"))) return false;\n' if t.members else ""
    loads += (f'    if (!loaded(io::load(std::tuple({", ".join(named)}),\n'
              f'                         folder + "/{name}_test.safetensors")))\n        return false;\n')
    path.write_text(TEST.format(title=LICENSE, name=name, tensors="".join(tensors), loads=loads, calls="".join(lines),
                                state=f"static {name}::state kept;\n" if t.states else ""))


def samples_of(t):
    """The arrays of the test, by their names in its file."""
    arrays = [(f"input.{text}", v.array) for text, v in t.inputs] + [(c.stored, c.value.array) for c in compared(t)]
    if t.states:
        arrays += [(f"again.input.{text}", t.graph.again[id(v)]) for text, v in t.inputs]
        arrays += [(c.stored, t.graph.again[id(c.value)]) for c in compared(t, "again.")]
    return arrays


def write_all(folder, name, translation, origin):
    """Returns the paths of the four files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}{end}" for end in (".hpp", "_test.cpp", ".safetensors", "_test.safetensors")]
    write_header(paths[0], name, translation, origin)
    write_test(paths[1], name, translation)
    write_safetensors(paths[2], [pair for m in translation.members for pair in m.arrays.items()])
    write_safetensors(paths[3], samples_of(translation))
    return paths


def report(name, graph, translation, problems, notes, paths):
    """What was made, as text."""
    t = translation
    buffers = buffers_of(t)
    size = sum(line.array.dtype.itemsize * line.array.size for line in buffers)
    weights = sum(a.nbytes for m in t.members for a in m.arrays.values())
    arrays = sum(len(m.arrays) for m in t.members)
    lines = [f"{name}: {len(graph.nodes)} operators, {arrays} arrays of weights ({weights} bytes), "
             f"{len(buffers)} buffers ({size} bytes)"]
    lines += [f"  input  {text} {list(v.shape)} {v.dtype}" for text, v in t.inputs]
    lines += [f"  state  {member} {list(v.shape)} {v.dtype}" for member, v in t.states]
    lines += [f"  output {text} {list(v.shape)} {v.dtype}" for text, _, v in t.outputs]
    lines += notes + [f"wrote {path}" for path in paths]
    if problems:
        lines.append(f"{len(problems)} operators are not covered:")
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in problems]
    return "\n".join(lines)
