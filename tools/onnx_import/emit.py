# SPDX-License-Identifier: BSL-1.0
"""Writes the header, the test and the files of weights and samples."""
import numpy as np

from .cpp import tensor_type
from .emit_counts import checks_of
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
{members}
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

extern {name} model;  // declared for the size of the scratch only: nothing reads or defines these objects
extern {name}::buffers values;
{planned}
constexpr std::size_t most() {{
    std::size_t bytes = 0;
    model.steps({planned_arguments}, values, [&bytes]<class To, class From>(To& to, const From&, auto...) -> To& {{
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
    steps({arguments}, memory.values, [&memory](auto& to, const auto& from, auto... rows) -> auto& {{
        evaluate(to, from, memory.work, rows...);
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

/// Whether entries agree to the tolerance, relative to the expected one where that is above 1; those that are kept.
template <class Found, class Expected>
static bool agree(
    const char* name, const Found& found, const Expected& expected, double tolerance,
    bool (*kept)(std::size_t) = [](std::size_t) {{ return true; }}) {{
    auto entry = expected.begin();
    for (std::size_t i = 0; i < Found::size; ++i, ++entry) {{
        const double a = number(found.begin()[static_cast<std::ptrdiff_t>(i)]), b = number(*entry);
        if (!kept(i) || a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
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
    bool good = true;
{loads}{checks}    return good;
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


def about(translation):
    if not translation.open:
        return ""
    name, capacity = translation.open.name, translation.open.capacity
    return (f"    /// The axis {name} of inputs and outputs has {name} entries, from {capacity.least} to {capacity.most}.\n"
            "    /// What is behind them in an input is not used; what is behind them in an output is unspecified.\n")


def write_header(path, name, translation, origin):
    t = translation
    buffers = buffers_of(t)
    inputs = [(text, tensor_type(v.dtype, v.shape)) for text, v in t.inputs]
    outputs = [(text, tensor_type(v.dtype, v.shape)) for text, _, v in t.outputs]
    parameters = [f"const {kind}& {text}" for text, kind in inputs] + [f"{kind}& {text}" for text, kind in outputs]
    names = planned = ", ".join(text for text, _ in inputs + outputs)
    if t.open:
        parameters.append(f"std::size_t {t.open.name}")
        names, planned = f"{names}, {t.open.name}", f"{planned}, {t.open.capacity.most}"
    used = [m.kind + m.shown for m in t.members] + [line.text for line in t.lines]
    text = HEADER.format(
        title=LICENSE, name=name, origin=commented(origin),
        includes="#include <ashlar/nn.hpp>\n" if any("nn::" in text for text in used) else "",
        members="".join(f"    {m.kind} {m.text}{{}};\n" for m in t.members),
        buffers="".join(f"        {tensor_type(b.array.dtype, b.array.shape)} {b.name}{{}};\n" for b in buffers),
        about=about(t), parameters=listed(parameters, 20), outer_parameters=", ".join(parameters),
        step_parameters=listed(["[[maybe_unused]] " + p for p in parameters], 25), lines="\n".join(map(line_text, t.lines)),
        arguments=names,
        planned="".join(f"extern {kind} {text};\n" for text, kind in inputs + outputs), planned_arguments=planned,
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in t.members))
    path.write_text(text)


def write_test(path, name, translation, samples=()):
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
    if samples:
        path.write_text(TEST.format(title=LICENSE, name=name, tensors="".join(tensors), loads=loads,
                                    checks=checks_of(name, t, samples)))
        return
    loads += (f'    if (!loaded(io::load(std::tuple({", ".join(named)}),\n'
              f'                         folder + "/{name}_test.safetensors")))\n        return false;\n')
    arguments = [f"in_{text}" for text, _ in t.inputs] + [f"out_{text}" for text, _, _ in t.outputs] + ["scratch"]
    loads += f"    model({', '.join(arguments)});\n"
    path.write_text(TEST.format(title=LICENSE, name=name, tensors="".join(tensors), loads=loads, checks="".join(checks)))


def write_all(folder, name, translation, origin, counts=()):
    """Returns the paths of the four files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}{end}" for end in (".hpp", "_test.cpp", ".safetensors", "_test.safetensors")]
    write_header(paths[0], name, translation, origin)
    write_test(paths[1], name, translation, counts)
    write_safetensors(paths[2], [pair for m in translation.members for pair in m.arrays.items()])
    samples = [(f"input.{text}", v.array) for text, v in translation.inputs]
    samples += [(f"output.{text}", v.array) for text, _, v in translation.outputs]
    write_safetensors(paths[3], [pair for sample in counts for pair in sample.arrays] or samples)
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
    lines += [f"  output {text} {list(v.shape)} {v.dtype}" for text, _, v in t.outputs]
    lines += notes + [f"wrote {path}" for path in paths]
    if problems:
        lines.append(f"{len(problems)} operators are not covered:")
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in problems]
    return "\n".join(lines)
