# SPDX-License-Identifier: BSL-1.0
"""Writes the header of a model that gets its signal block by block, its test, and the files of weights and samples."""
from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx_import.cpp import LICENSE, tensor_type
from onnx_import.emit import commented, line_text, write_files
from onnx_import.emit_test import TEST, agreement, load_of

from .chain import Chain

HEADER = """// {title}
// {origin}
#pragma once

#include <cstddef>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace imported {{

using namespace ashlar;

/// The weights; io::load fills them from {name}.safetensors. Make it static: it is as large as its weights. Several
/// signals share it, each with a state and a scratch of its own. Nothing is allocated.
struct {name} {{
    static constexpr std::size_t block = {block};  // most samples of a call
    static constexpr std::size_t in_channels = {into}, out_channels = {out};
    static constexpr double sample_rate = {rate};  // in Hz; 0: the file does not say
    static constexpr std::size_t prewarm_samples = {prewarm};
    using input = tensor<float, block, in_channels>;
    using output = tensor<float, block, out_channels>;

{members}
    /// What the samples so far leave for the next ones. Make it static, too.
    struct state {{
{state}
        /// Borrows the weights, and forgets all samples. Call it when the weights are loaded.
        void attach([[maybe_unused]] const {name}& model) {{
{attach}        }}
        /// Forgets all samples.
        void reset() {{
{reset}        }}
    }};
    /// The values that layers write to memory.
    struct scratch {{
{buffers}    }};

    /// The next block of the signal. A call with rows_below(n) at the end takes its first n samples, and makes n.
    template <class... Limit>
    void operator()(const input& x, [[maybe_unused]] state& kept, output& y, [[maybe_unused]] scratch& values,
                    Limit... limit) const {{
        const auto step = [&](auto& to, const auto& from) -> auto& {{
            evaluate(to, from, limit...);
            return to;
        }};
{lines}
    }}

    /// Plays silence: `prewarm_samples`, rounded up to whole blocks. Behind these the state is that of a device that
    /// has been on for a while, where NeuralAmpModeler begins. It takes the time of as many samples.
    void prewarm(state& kept, scratch& values) const {{
        static constexpr input silence{{}};
        output unheard{{}};
        for (std::size_t i = 0; i < prewarm_samples; i += block) (*this)(silence, kept, unheard, values);
    }}

    template <class Self, class Visitor>
    static constexpr void members([[maybe_unused]] Self& self, [[maybe_unused]] Visitor&& visit) {{
{visits}    }}
}};

}}  // namespace imported
"""

TENSORS = """static {name}::state kept;
static {name}::input in_x;
static {name}::output out_y;
static {samples} samples;
static {results} expected_y, found_y{warm};

static void run();
/// Plays the samples in blocks of these lengths, one after the other and again from the front.
template <std::size_t Count>
static void play(const std::size_t (&lengths)[Count]) {{
    for (std::size_t at = 0, turn = 0; at < {count}; ++turn) {{
        const std::size_t n = (std::min)(lengths[turn % Count], {count} - at);
        for (std::size_t i = 0; i < n * {name}::in_channels; ++i) in_x.data()[i] = samples.data()[at * {name}::in_channels + i];
        if (n == {name}::block)
            run();
        else
            model(in_x, kept, out_y, scratch, rows_below(n));
        for (std::size_t i = 0; i < n * {name}::out_channels; ++i) found_y.data()[at * {name}::out_channels + i] = out_y.data()[i];
        at += n;
    }}
}}
"""

CALLS = """    kept.attach(model);
    play({{{name}::block}});
{whole}    kept.reset();
    play({{1, {name}::block / 2 + 1, {name}::block, 0, (std::min)({name}::block, std::size_t{{7}})}});
{uneven}"""
WARM = """    kept.reset();
    model.prewarm(kept, scratch);
    play({{{name}::block}});
{warm}"""


def attach_lines(t: Chain) -> list[str]:
    """The bodies of attach and of reset: streams borrow layers, recurrent states begin somewhere."""
    begins = any(begin for _, _, begin in t.kept)
    attach, reset = [], []
    if begins:
        attach.append("weights = &model;")
    for member, kind, begin in t.kept:
        if kind.startswith("nn::stream"):
            attach.append(f"{member}.attach(model.{member});")
            reset.append(f"{member}.reset();")
        elif begin:
            reset += [f"{member}.{part} = weights->{text};" for part, text in begin]
        else:
            reset.append(f"{member}.reset();")
    if any(not kind.startswith("nn::stream") for _, kind, _ in t.kept):
        attach.append("reset();")
    return ["".join(f"            {line}\n" for line in lines) for lines in (attach, reset)]


def header_text(name: str, t: Chain, origin: str, into: int) -> str:
    attach, reset = attach_lines(t)
    state = [f"        {kind} {member}{{}};\n" for member, kind, _ in t.kept]
    if any(begin for _, _, begin in t.kept):
        state.insert(0, f"        const {name}* weights = nullptr;\n")
    return HEADER.format(
        title=LICENSE, name=name, origin=commented(origin), block=t.block, into=into, out=t.outputs[0][2].array.shape[1],
        rate=repr(float(t.sample_rate)), prewarm=t.prewarm_samples, state="".join(state), attach=attach, reset=reset,
        members="".join(f"    {m.kind} {m.text}{{}};\n" for m in t.members),
        buffers=t.buffer_members(),
        lines="\n".join(map(line_text, t.lines)),
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in t.members))


def test_text(name: str, t: Chain, samples: np.ndarray, expected: np.ndarray, warm: np.ndarray | None) -> str:
    named = ['io::named("input.x", samples)', 'io::named("output.y", expected_y)']
    named += ['io::named("prewarmed.y", expected_warm)'] if warm is not None else []
    loads = f'    if (!loaded(io::load(model, folder + "/{name}.safetensors"))) return false;\n' if t.members else ""
    calls = CALLS.format(name=name, whole=agreement("y", "found_y", "expected_y", expected),
                         uneven=agreement("y, blocks of other lengths", "found_y", "expected_y", expected))
    if warm is not None:
        calls += WARM.format(name=name, warm=agreement("y, after prewarm", "found_y", "expected_warm", expected))
    text = TEST.format(
        title=LICENSE, name=name, near="", state="", at=", of one block", run="model(in_x, kept, out_y, scratch)", loads=loads,
        calls=load_of(name, named) + calls,
        tensors=TENSORS.format(name=name, count=len(samples), samples=tensor_type(np.float32, samples.shape),
                               results=tensor_type(np.float32, expected.shape), warm=", expected_warm" if warm is not None else ""))
    return text.replace("#include <cmath>", "#include <algorithm>\n#include <cmath>\n#include <cstddef>", 1)


def write_all(folder: Path, name: str, t: Chain, origin: str, samples: np.ndarray, expected: np.ndarray, warm: np.ndarray | None,
              embed: bool) -> list[Path]:
    """Returns the paths of what is written."""
    arrays = [("input.x", samples), ("output.y", expected)] + ([("prewarmed.y", warm)] if warm is not None else [])
    return write_files(folder, name, t, header_text(name, t, origin, samples.shape[1]), test_text(name, t, samples, expected, warm),
                       [(key, array.astype(np.float32)) for key, array in arrays], embed)
