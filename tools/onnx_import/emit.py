# SPDX-License-Identifier: BSL-1.0
"""Writes the header, the test and the files of weights and samples."""
import contextlib

from .cpp import LICENSE, literal, tensor_type
from .embed import write_embedded
from .emit_counts import checks_of
from .emit_plan import write_plan
from .emit_test import samples_of, test_text
from .errors import ModelError
from .safetensors import write_safetensors

HEADER = """// {title}
// {origin}
#pragma once

#include <algorithm>
{array}#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
{tuple}#include <type_traits>

#include <ashlar/ashlar.hpp>
{includes}
namespace imported {{

using namespace ashlar;

{structs}/// The weights; io::load fills them from {name}.safetensors. Make it static: it is as large as its weights.
struct {name} {{
{members}{state}
    /// The values that operators write to memory.
    struct buffers {{
{buffers}    }};
    /// The buffers, and what the evaluation of the steps needs. Make it static, too.
    struct scratch;

{about}    void operator()({parameters},
                    scratch& memory) const;

    /// Calls step(destination, expression) for each value in memory; step returns the destination. A third argument
    /// tells how many rows are computed.
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

// Declared for the size of the scratch: nothing reads these objects, and only the program of --plan defines them.
{planned}
constexpr std::size_t most() {{
    std::size_t bytes = 0;
    model.steps({planned_arguments}, values, [&bytes]<class To, class From>(To& to, const From&, auto...) -> To& {{
        bytes = (std::max)(bytes, workspace_bytes_into<To, From>);
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
    steps({arguments}, memory.values, [&memory](auto& to, const auto& from, auto... rows) -> auto& {{
        evaluate(to, from, memory.work, rows...);
        return to;
    }});
{behind}}}

}}  // namespace imported
"""

STATE = """
    /// What a call leaves for the next one. It begins with {begins}.
    struct state {{
{members}
        /// Forgets all calls.
        void reset() {{
{zeros}        }}
    }};
"""


def commented(text):
    """Text of the model on one line; a backslash at its end would continue the comment."""
    return " ".join(text.split()).replace("\\", "/")


def line_text(line):
    note = f"  // {commented(line.comment)}"
    rows = f", rows_below({line.rows})" if line.rows else ""
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
        return f"        step({line.name}, {line.text}{rows});{note}"
    if line.place == "buffer":
        return f"        const auto& {line.name} = step(values.{line.name}, {line.text}{rows});{note}"
    return f"        const auto {line.name} = {line.text};{note}"


def listed(parts, indent):
    return (",\n" + " " * indent).join(parts)


def state_text(t):
    """The struct of the states; empty if there are none."""
    if not t.states and not t.growing:
        return ""
    tensors = [(member, v) for member, v in t.states if "." not in member]
    grown = [f"        {tensor_type(s.after.dtype, s.after.shape)} {member}{{}};\n" for member, s in t.growing]
    grown += ["        std::size_t length = 0;  // entries that calls have appended\n"] if grown else []
    members = [f"        {tensor_type(v.dtype, v.shape)} {member}{{}};\n" for member, v in tensors]
    members += [f"        {kind} {member}{{}};\n" for member, kind in t.state_objects.items()]
    zeros = [f"            {member} = {literal(0, v.dtype)};\n" for member, v in tensors]
    zeros += [f"            {member}.reset();\n" for member in t.state_objects]
    zeros += ["            length = 0;\n"] if grown else []
    return STATE.format(members="".join(members + grown), zeros="".join(zeros), begins="no entries" if grown else "zeros")


def about(t):
    if not t.open:
        return ""
    text = ""
    for axis, name in t.open.names.items():
        if t.growing and axis is t.open.capacity.growing_axis:
            text += (f"    /// Appends {t.graph.growing[0].count} to the states, which had at most {axis.most} entries before: "
                     f"{name} is kept.length.\n")
        else:
            text += f"    /// The axis {name} of inputs and outputs has {name} entries, from {axis.least} to {axis.most}.\n"
    if list(t.open.names) == [t.open.capacity.growing_axis]:
        return text + "    /// What is after that in an input is not used.\n"
    return text + "    /// What is after them in an input is not used; what is after them in an output is unspecified.\n"


def planned_call(name, t):
    """Declarations of the objects of a call that is planned and not made, and its arguments, without the buffers."""
    tensors = [(text, tensor_type(v.dtype, v.shape)) for text, v in t.inputs]
    tensors += [("kept", f"{name}::state")] if t.states or t.growing else []
    tensors += [(text, tensor_type(v.dtype, v.shape)) for text, _, v in t.outputs]
    objects = [f"{name} model", f"{name}::buffers values"] + [f"{kind} {text}" for text, kind in tensors]
    return objects, ", ".join([text for text, _ in tensors] + [str(axis.most) for axis in (t.open.names if t.open else ())])


def header_text(name, t, origin):
    inputs = [(text, tensor_type(v.dtype, v.shape)) for text, v in t.inputs]
    outputs = [(text, tensor_type(v.dtype, v.shape)) for text, _, v in t.outputs]
    kept = ["kept"] if t.states or t.growing else []
    parameters = [f"const {kind}& {text}" for text, kind in inputs] + [f"state& {text}" for text in kept]
    parameters += [f"{kind}& {text}" for text, kind in outputs]
    names = ", ".join([text for text, _ in inputs] + kept + [text for text, _ in outputs])
    outer, behind = list(parameters), ""
    if t.open:
        grown = t.open.capacity.growing_axis if t.growing else None
        parameters += [f"std::size_t {text}" for text in t.open.names.values()]
        outer += [f"std::size_t {text}" for axis, text in t.open.names.items() if axis is not grown]
        names = ", ".join([names] + ["kept.length" if axis is grown else text for axis, text in t.open.names.items()])
    if t.growing:
        behind = f"    kept.length += {t.graph.growing[0].count};\n"
    objects, planned = planned_call(name, t)
    used = t.structs + [m.kind + m.shown for m in t.members] + [line.text for line in t.lines]
    return HEADER.format(
        title=LICENSE, name=name, origin=commented(origin),
        includes="#include <ashlar/nn.hpp>\n" if any("nn::" in text for text in used) else "",
        array="#include <array>\n" if any("std::array" in text for text in used) else "",
        tuple="#include <tuple>\n" if any("std::tie" in text for text in used) else "",
        structs="".join(t.structs), members="".join(f"    {m.kind} {m.text}{{}};\n" for m in t.members),
        state=state_text(t),
        buffers=t.buffer_members(),
        about=about(t), parameters=listed(outer, 20), outer_parameters=", ".join(outer), behind=behind,
        step_parameters=listed(["[[maybe_unused]] " + p for p in parameters], 25), lines="\n".join(map(line_text, t.lines)),
        arguments=names,
        planned="".join(f"extern {o};\n" for o in objects), planned_arguments=planned,
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in t.members))


def write_all(folder, name, program, origin, embed=False, samples=(), plan=False):
    """Returns the paths of the four files, of those that embed the weights, and of the program that prints the plans.

    `samples` are those of several lengths; without them the test takes the arrays of the program.
    """
    arrays = [pair for sample in samples for pair in sample.arrays] or samples_of(program)
    paths = write_files(folder, name, program, header_text(name, program, origin),
                        test_text(name, program, checks_of(name, program, samples)), arrays, embed)
    with writing(folder):
        return paths + ([write_plan(folder, name, program, *planned_call(name, program))] if plan else [])


def write_files(folder, name, program, header, test, arrays, embed=False):
    """Writes the texts, the weights of a program and the arrays of its test. Returns the paths."""
    paths = [folder / f"{name}{end}" for end in (".hpp", "_test.cpp", ".safetensors", "_test.safetensors")]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(header)
        paths[1].write_text(test)
        write_safetensors(paths[2], [pair for m in program.members for pair in m.arrays.items()])
        write_safetensors(paths[3], arrays)
        return paths + (write_embedded(folder, name) if embed else [])


@contextlib.contextmanager
def writing(folder):
    """Raises ModelError where a file cannot be written."""
    try:
        yield
    except OSError as failure:
        raise ModelError(f"{folder}: cannot write: {failure.strerror}") from None
