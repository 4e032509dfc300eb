# SPDX-License-Identifier: BSL-1.0
"""A language model that decodes token by token: its header with a state, `prefill` and `step`, and the test of both."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onnx_import.cpp import LICENSE
from onnx_import.emit import commented, write_files
from onnx_import.emit_test import TEST, load_of, samples_of
from onnx_import.errors import ModelError
from onnx_import.graph import Value
from onnx_import.program import Program

from .text import options

GREEDY = 8  # tokens of the test after the prompt, if there is room for them
CONSTANT_ANGLES = 60_000  # that a compiler computes; larger tables of rotations are filled when the program runs
MEMBERS = "context block vocabulary scores prefill hidden head rows many one work tokens".split()  # and types inside the struct

HEADER = """// {title}
// {origin}
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace imported {{

using namespace ashlar;

/// The weights; io::load fills them from {name}.safetensors. Make it static: it is as large as its weights.
struct {name} {{
    /// The most tokens of a conversation, the tokens that `prefill` takes at once, and the number of words.
    static constexpr std::size_t context = {context}, block = {block}, vocabulary = {words};
    using scores = tensor<float, vocabulary>;

{members}
    /// One conversation: the keys and values of its tokens. Make it static; several may share the weights.
    struct state {{
        std::array<nn::kv_cache<float, context, {kv_heads}, {width}>, {layers}> caches{{}};
{table}
        /// The number of tokens so far, and how many more there is room for.
        [[nodiscard]] std::size_t length() const {{ return caches[0].length(); }}
        [[nodiscard]] std::size_t room() const {{ return caches[0].room(); }}
        /// Forgets the tokens from `rows` on.
        void truncate(std::size_t rows) {{
            for (auto& cache : caches) cache.truncate(rows);
        }}
        /// Forgets all tokens.
        void reset() {{ truncate(0); }}
    }};
    /// What a call computes with. Make it static, too.
    struct scratch;

    /// Appends tokens to the state. `logits` are the scores of the token after the last one; without tokens they stay.
    /// Returns false, and does nothing, if there is no room for the tokens.
    [[nodiscard]] bool prefill(std::span<const std::int64_t> tokens, state& kept, scores& logits, scratch& memory) const;
    /// The same for one token.
    [[nodiscard]] bool step(std::int64_t token, state& kept, scores& logits, scratch& memory) const;

    /// The rows after all layers, lazily; the evaluation appends to the state.
    template <std::size_t Rows>
    auto hidden(const basic_tensor<std::int64_t, Rows>& tokens, state& kept) const {{
        return {hidden};
    }}
    /// The scores of the next token for one of these rows.
    auto head(const auto& x) const {{ return {head}; }}

    template <class Self, class Visitor>
    static constexpr void members([[maybe_unused]] Self& self, [[maybe_unused]] Visitor&& visit) {{
{visits}    }}
}};

struct {name}::scratch {{
    template <std::size_t Rows>
    struct rows {{
        tensor<std::int64_t, Rows> tokens{{}};
        tensor<float, Rows, {embed}> hidden{{}};
        static constexpr std::size_t bytes = (std::max)(
            workspace_bytes<decltype(std::declval<const {name}&>().hidden(tokens, std::declval<state&>()))>,
            workspace_bytes<decltype(std::declval<const {name}&>().head(row(hidden, 0)))>);
    }};
    rows<block> many{{}};
    rows<1> one{{}};
    workspace<(std::max)(rows<block>::bytes, rows<1>::bytes)> work{{}};
}};

inline bool {name}::prefill(std::span<const std::int64_t> tokens, state& kept, scores& logits, scratch& memory) const {{
    if (tokens.size() > kept.room()) return false;
    while (!tokens.empty()) {{
        const std::size_t count = (std::min)(tokens.size(), block), length = kept.length();
        if (count == 1 || kept.room() < block) {{
            static_cast<void>(step(tokens[0], kept, logits, memory));
            tokens = tokens.subspan(1);
            continue;
        }}
        // Rows after the last token are computed and forgotten; no token sees them.
        for (std::size_t i = 0; i < block; ++i) memory.many.tokens(i) = tokens[(std::min)(i, count - 1)];
        evaluate(memory.many.hidden, hidden(memory.many.tokens, kept), memory.work);
        kept.truncate(length + count);
        tokens = tokens.subspan(count);
        if (tokens.empty()) evaluate(logits, head(row(memory.many.hidden, count - 1)), memory.work);
    }}
    return true;
}}

inline bool {name}::step(std::int64_t token, state& kept, scores& logits, scratch& memory) const {{
    if (kept.room() == 0) return false;
    memory.one.tokens(0) = token;
    evaluate(memory.one.hidden, hidden(memory.one.tokens, kept), memory.work);
    evaluate(logits, head(row(memory.one.hidden, 0)), memory.work);
    return true;
}}

}}  // namespace imported
"""

TABLE = """        {kind} turn{{}};

        state() {{ turn.fill(); }}
"""

CHECKS = """    const std::span<const std::int64_t> tokens(in_tokens.data(), {count});
    // The best tokens, each chosen by the scores after the one before it.
    run();
    for (std::size_t i = {prompt}; good; ++i) {{
        good &= follows(i);
        if (i == tokens.size()) break;
        const auto best = std::max_element(out_logits.begin(), out_logits.end()) - out_logits.begin();
        if (best != tokens[i]) std::printf("{name}: token %zu is %td, expected %d\\n", i, best, static_cast<int>(tokens[i]));
        good &= best == tokens[i] && fits(model.step(best, kept, out_logits, scratch));
    }}
    // All tokens at once, and all but the first, which is a step, in the memory of the same conversation.
    kept.reset();
    good &= fits(model.prefill(tokens, kept, out_logits, scratch)) && follows(tokens.size());
    kept.reset();
    good &= fits(model.step(tokens[0], kept, out_logits, scratch));
    good &= fits(model.prefill(tokens.subspan(1), kept, out_logits, scratch)) && follows(tokens.size());
    // No token is appended where there is no room for all.
    static std::array<std::int64_t, {name}::context> many{{}};
    good &= !model.prefill(many, kept, out_logits, scratch) && kept.length() == tokens.size() && follows(tokens.size());
    good &= kept.room() > 0 || !model.step(0, kept, out_logits, scratch);
"""

FOLLOWS = """/// Whether the scores are those of the token after `count` tokens.
static bool follows(std::size_t count) {{
    static {name}::scores expected;
    expected = row(expected_logits, count - {prompt});
    return agree("logits", out_logits, expected, 1e-5);
}}
static bool fits(bool done) {{
    if (!done) std::puts("{name}: there is no room for its tokens");
    return done;
}}

"""


@dataclass(frozen=True)
class Decoding:
    """How a model decodes. Texts are C++: `hidden` computes rows, `head` their scores; `score` is the reference for tokens."""

    hidden: str
    head: str
    embed: int
    words: int
    layers: int
    kv_heads: int
    width: int
    block: int  # tokens that prefill takes at once: those of --input
    score: Callable[[np.ndarray], np.ndarray]
    table: str = ""  # the type of a table of rotations in the state

    def note(self, context: int) -> str:
        size = 2 * self.layers * context * self.kv_heads * self.width * 4
        return f"a conversation has at most {context} tokens, whose keys and values take {size} bytes; prefill takes {self.block} at once"


def check_context(context: int, tokens: np.ndarray, places: int) -> None:
    """The most tokens of a conversation fit the model, and there is room after the prompt."""
    if tokens.ndim != 1:
        raise ModelError("--context: a conversation has no batch; give the tokens that prefill takes at once: --input 16")
    if context > places:
        raise ModelError(f"--context {context}: the model has {places} positions")
    if context <= tokens.size:
        raise ModelError(f"--context {context}: there must be room after the {tokens.size} tokens of --input")


def rotation(rope: dict, angles: int) -> tuple[str, str]:
    """The table of rotations for a call, and the type of the member that holds it if the compiler does not compute it."""
    return (f"nn::rope_tables<{options(**rope)}>", "") if angles <= CONSTANT_ANGLES else ("kept.turn", f"nn::rope<{options(**rope)}>")


def decode(plan: Program, decoding: Decoding, tokens: np.ndarray) -> None:
    """The tokens of the test are the prompt and the best ones after it. The reference computes all of them each time."""
    for _ in range(min(plan.context - decoding.block, GREEDY)):
        tokens = np.append(tokens, np.argmax(decoding.score(tokens)[-1]))
    plan.decoding = decoding
    plan.inputs.append(("tokens", Value("tokens", tokens.astype(np.int64))))
    logits = decoding.score(tokens)[decoding.block - 1:].astype(np.float32)
    plan.outputs.append(("logits", "logits", Value("logits", logits)))


def write_all(folder: Path, name: str, plan: Program, origin: str) -> list[Path]:
    """Returns the paths of the four files."""
    return write_files(folder, name, plan, header_text(name, plan, origin), test_text(name, plan), samples_of(plan))


def header_text(name: str, plan: Program, origin: str) -> str:
    d = plan.decoding
    return HEADER.format(
        title=LICENSE, origin=commented(origin), name=name, context=plan.context, block=d.block, words=d.words, kv_heads=d.kv_heads,
        width=d.width, layers=d.layers, embed=d.embed, hidden=d.hidden, head=d.head,
        table=TABLE.format(kind=d.table) if d.table else "", members="".join(f"    {m.kind} {m.text}{{}};\n" for m in plan.members),
        visits="".join(f"        visit(\"{m.stored}\", {m.shown});\n" for m in plan.members))


def test_text(name: str, plan: Program) -> str:
    tokens, logits, prompt = plan.inputs[0][1], plan.outputs[0][2], plan.decoding.block
    tensors = (f"static tensor<std::int64_t, {tokens.shape[0]}> in_tokens;\n"
               f"static tensor<float, {logits.shape[0]}, {logits.shape[1]}> expected_logits;\nstatic {name}::scores out_logits;\n")
    loads = f'    if (!loaded(io::load(model, folder + "/{name}.safetensors"))) return false;\n'
    loads += load_of(name, ['io::named("input.tokens", in_tokens)', 'io::named("output.logits", expected_logits)'])
    run = (f"kept.reset(); static_cast<void>(model.prefill(std::span<const std::int64_t>(in_tokens.data(), {prompt}), kept, "
           "out_logits, scratch))")
    return TEST.format(title=LICENSE, name=name, tensors=tensors, loads=loads, run=run, at=" of prefill",
                       calls=CHECKS.format(name=name, count=tokens.shape[0], prompt=prompt),
                       near=FOLLOWS.format(name=name, prompt=prompt), state=f"static {name}::state kept;\n")
