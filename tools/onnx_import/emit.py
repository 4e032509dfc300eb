# SPDX-License-Identifier: BSL-1.0
"""Writes the header, the test and the files of weights and samples."""
import numpy as np

from .cpp import tensor_type
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
{members}
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
{planned}
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
{tensors}
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
{loads}    model({arguments});
    bool good = true;
{checks}    return good;
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


def buffer_members(translation):
    """The members of the struct of buffers, as text."""
    tensors = [(tensor_type(b.array.dtype, b.array.shape), b.name) for b in buffers_of(translation)]
    return [f"{kind} {name}{{}};" for kind, name in tensors + [(n.kind, n.name) for n in translation.nested]]


def buffer_bytes(translation):
    buffers = sum(line.array.dtype.itemsize * line.array.size for line in buffers_of(translation))
    return buffers + sum(n.size for n in translation.nested)


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


def write_header(path, name, translation, origin):
    t = translation
    inputs = [(text, tensor_type(v.dtype, v.shape)) for text, v in t.inputs]
    outputs = [(text, tensor_type(v.dtype, v.shape)) for text, _, v in t.outputs]
    parameters = [f"const {kind}& {text}" for text, kind in inputs] + [f"{kind}& {text}" for text, kind in outputs]
    names = ", ".join(text for text, _ in inputs + outputs)
    used = t.structs + [m.kind + m.shown for m in t.members] + [line.text for line in t.lines]
    text = HEADER.format(
        title=LICENSE, name=name, origin=commented(origin),
        includes="#include <ashlar/nn.hpp>\n" if any("nn::" in text for text in used) else "",
        array="#include <array>\n" if any("std::array" in text for text in used) else "",
        tuple="#include <tuple>\n" if any("std::tie" in text for text in used) else "",
        structs="".join(t.structs), members="".join(f"    {m.kind} {m.text}{{}};\n" for m in t.members),
        buffers="".join(f"        {member}\n" for member in buffer_members(t)),
        parameters=listed(parameters, 20), outer_parameters=", ".join(parameters),
        step_parameters=listed(["[[maybe_unused]] " + p for p in parameters], 25), lines="\n".join(map(line_text, t.lines)),
        arguments=names,
        planned="".join(f"extern {kind} {text};\n" for text, kind in inputs + outputs), planned_arguments=names,
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in t.members))
    path.write_text(text)


def write_test(path, name, translation):
    t = translation
    tensors, named, checks = [], [], []
    for text, v in t.inputs:
        tensors.append(f"static {tensor_type(v.dtype, v.shape)} in_{text};\n")
        named.append(f'io::named("input.{text}", in_{text})')
    for text, _, v in t.outputs:
        kind = tensor_type(v.dtype, v.shape)
        tensors.append(f"static {kind} out_{text}, expected_{text};\n")
        named.append(f'io::named("output.{text}", expected_{text})')
        tolerance = "2e-3" if v.dtype == np.float16 else "1e-5"
        checks.append(f'    good &= agree("{text}", out_{text}, expected_{text}, {tolerance});\n')
    loads = f'    if (!loaded(io::load(model, folder + "/{name}.safetensors"))) return false;\n' if t.members else ""
    loads += (f'    if (!loaded(io::load(std::tuple({", ".join(named)}),\n'
              f'                         folder + "/{name}_test.safetensors")))\n        return false;\n')
    arguments = [f"in_{text}" for text, _ in t.inputs] + [f"out_{text}" for text, _, _ in t.outputs] + ["scratch"]
    path.write_text(TEST.format(title=LICENSE, name=name, tensors="".join(tensors), loads=loads, arguments=", ".join(arguments),
                                checks="".join(checks)))


def write_all(folder, name, translation, origin):
    """Returns the paths of the four files."""
    paths = [folder / f"{name}{end}" for end in (".hpp", "_test.cpp", ".safetensors", "_test.safetensors")]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_header(paths[0], name, translation, origin)
        write_test(paths[1], name, translation)
        write_safetensors(paths[2], [pair for m in translation.members for pair in m.arrays.items()])
        samples = [(f"input.{text}", v.array) for text, v in translation.inputs]
        samples += [(f"output.{text}", v.array) for text, _, v in translation.outputs]
        write_safetensors(paths[3], samples)
    except OSError as failure:
        raise ModelError(f"{folder}: cannot write: {failure.strerror}") from None
    return paths


def summary(name, what, translation, notes, paths):
    """The lines of a report about what was written."""
    t = translation
    weights = sum(a.nbytes for m in t.members for a in m.arrays.values())
    arrays = sum(len(m.arrays) for m in t.members)
    lines = [f"{name}: {what}, {arrays} arrays of weights ({weights} bytes), "
             f"{len(buffer_members(t))} buffers ({buffer_bytes(t)} bytes)"]
    lines += [f"  input  {text} {list(v.shape)} {v.dtype}" for text, v in t.inputs]
    lines += [f"  output {text} {list(v.shape)} {v.dtype}" for text, _, v in t.outputs]
    return lines + notes + [f"wrote {path}" for path in paths]


def report(name, graph, translation, problems, notes, paths):
    """What was made, as text."""
    lines = summary(name, f"{len(graph.nodes)} operators", translation, notes, paths)
    if problems:
        lines.append(f"{len(problems)} operators are not covered:")
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in problems]
    return "\n".join(lines)
