# SPDX-License-Identifier: BSL-1.0
"""Writes the test of an imported model: a program that compares it with the reference values."""
from dataclasses import dataclass

import numpy as np

from .cpp import LICENSE, tensor_type
from .rounding import tolerance

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

/// Whether entries agree to the tolerance, relative to the expected one where that is above 1; those that count.
template <class Found, class Expected>
static bool agree(
    const char* name, const Found& found, const Expected& expected, double tolerance,
    bool (*counts)(std::size_t) = [](std::size_t) {{ return true; }}) {{
    auto entry = expected.begin();
    for (std::size_t i = 0; i < Found::size; ++i, ++entry) {{
        const double a = number(found.begin()[static_cast<std::ptrdiff_t>(i)]), b = number(*entry);
        if (!counts(i) || a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
        std::printf("{name}: %s, entry %zu: %.9g, expected %.9g\\n", name, i, a, b);
        return false;
    }}
    return true;
}}

{near}static bool loaded(const io::result& r) {{
    if (!r) std::printf("{name}: %s\\n", r.message().c_str());
    return static_cast<bool>(r);
}}

/// The first call{at}.
static void run() {{ {run}; }}

/// The folder has {name}.safetensors and {name}_test.safetensors.
static bool passes(const std::string& folder) {{
    bool good = true;
{loads}{calls}    return good;
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

NEAR = """/// Whether narrow weights change a result no more than the importer allows, which is twice what NumPy finds with the same
/// weights: an error relative to expected values above 1, and a cosine. The reference values are those of floats.
template <class Found, class Expected>
static bool near(const char* name, const Found& found, const Expected& expected, double tolerance, double least_cosine) {{
    double largest = 0, products = 0, squares = 0, expected_squares = 0;
    auto entry = expected.begin();
    for (std::size_t i = 0; i < Found::size; ++i, ++entry) {{
        const double a = number(found.begin()[static_cast<std::ptrdiff_t>(i)]), b = number(*entry);
        if (a == b || (std::isnan(a) && std::isnan(b))) {{
            if (!std::isfinite(a)) continue;
        }} else if (const double error = std::abs(a - b) / (1 + std::abs(b)); !(error <= largest)) {{
            largest = error;
        }}
        products += a * b;
        squares += a * a;
        expected_squares += b * b;
    }}
    const double sizes = std::sqrt(squares * expected_squares), cosine = sizes > 0 ? products / sizes : 1;
    std::printf("{name}: %s: largest error %.2g (at most %.2g), cosine %.7f (at least %.7f)\\n", name, largest, tolerance,
                cosine, least_cosine);
    return largest <= tolerance && cosine >= least_cosine;
}}

"""


@dataclass(frozen=True)
class Compared:
    """A tensor that the test compares: where it is, where the reference values of a call are, and their name in the file."""

    found: str
    expected: str
    stored: str
    value: object
    distance: object  # with narrow weights
    rounding: float = 0.0  # the error of floats

    def check(self, call):
        name = self.stored.removeprefix("again.").removeprefix("output.")
        if self.distance is not None:
            return (f'    good &= near("{name}{call}", {self.found}, {self.expected}, {self.distance.tolerance}, '
                    f"{self.distance.least_cosine});\n")
        return agreement(f"{name}{call}", self.found, self.expected, self.value, self.rounding)


def agreement(title, found, expected, value, rounding=0.0, counts=""):
    """A line that compares entries of floats, of which NumPy's have an error; `counts` is a function of C++ that chooses them."""
    accepted = max(2e-3 if value.dtype == np.float16 else 0.0, tolerance(rounding))
    return f'    good &= agree("{title}", {found}, {expected}, {accepted}{counts and ", " + counts});\n'


def compared(t, prefix=""):
    """Of a call: outputs, and states after it."""
    end, call = "_again" if prefix else "", 1 if prefix else 0

    def errors(v):
        return t.distances[call].get(id(v)), t.rounding[call].get(id(v), 0.0)

    return [Compared(f"out_{text}", f"expected_{text}{end}", f"{prefix}output.{text}", v, *errors(v)) for text, _, v in t.outputs] + \
           [Compared(f"kept.{member}", f"expected_state_{member.replace('.', '_')}{end}", f"{prefix}state.{member}", new, *errors(new))
            for (member, _), (_, new) in zip(t.states, t.graph.states)]


def call_of(t, end="", point=None):
    """A call of the model; `point` has the lengths of the open axes, which are the capacities unless given."""
    arguments = [f"in_{text}{end}" for text, _ in t.inputs] + (["kept"] if t.states or t.growing else [])
    arguments += [f"out_{text}" for text, _, _ in t.outputs]
    if t.open:
        grown = t.open.capacity.growing_axis if t.growing else None
        arguments += [str(n) for axis, n in (point or t.open.capacity.most).items() if axis is not grown]
    return f"model({', '.join(arguments + ['scratch'])})"


def load_of(name, named, options=""):
    """A line that loads tensors of the test's file, if it has them."""
    return (f'    if (!loaded(io::load(std::tuple({", ".join(named)}),\n'
            f'                         folder + "/{name}_test.safetensors"{options})))\n        return false;\n')


def test_text(name, t, checks=""):
    """`checks` are lines that load, call and compare, instead of those for the arrays of the program."""
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
    tensors += [f"static {tensor_type(s.after.dtype, s.after.shape)} expected_state_{member};\n" for member, s in t.growing]
    for prefix, call in [("", "")] + ([("again.", ", second call"), ("", ", after reset")] if t.states else []):
        lines.append("    kept.reset();\n" if "reset" in call else "")
        lines.append(f"    {call_of(t, '_again')};\n" if prefix else "    run();\n")
        lines += [c.check(call) for c in compared(t, prefix)]
    loads = f'    if (!loaded(io::load(model, folder + "/{name}.safetensors"))) return false;\n' if t.members else ""
    return TEST.format(title=LICENSE, name=name, tensors="".join(tensors), loads=loads,
                       run=(f"kept.length = {t.open.capacity.growing_axis.most}; " if t.growing else "") + call_of(t),
                       at=", at the capacity" if t.open else "", calls=checks or load_of(name, named) + "".join(lines),
                       near=NEAR.format(name=name) if t.distances[0] else "",
                       state=f"static {name}::state kept;\n" if t.states or t.growing else "")


def samples_of(t):
    """The arrays of the test, by their names in its file."""
    arrays = [(f"input.{text}", v.array) for text, v in t.inputs] + [(c.stored, c.value.array) for c in compared(t)]
    if t.states:
        arrays += [(f"again.input.{text}", t.graph.again[id(v)]) for text, v in t.inputs]
        arrays += [(c.stored, t.graph.again[id(c.value)]) for c in compared(t, "again.")]
    return arrays
