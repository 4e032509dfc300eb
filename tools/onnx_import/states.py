# SPDX-License-Identifier: BSL-1.0
"""States: inputs of a graph that an output of the same shape replaces for the next call."""
import re
from dataclasses import dataclass

import numpy as np

from .errors import ModelError
from .load import NUMPY_TYPES

STATE_WORDS = {"h", "c", "hx", "cx", "hidden", "cell", "state", "states", "cache", "cached", "caches", "memory", "buffer", "buf"}
BEFORE = {"in", "input", "old", "prev", "previous", "past", "initial"}
AFTER = {"out", "output", "new", "next", "present", "updated", "n"}


@dataclass(frozen=True)
class StatePair:
    """An input of the graph, the output that replaces it, and whether only their names say so."""

    before: str
    after: str
    by_name: bool


def words_of(name):
    """Lower-case words: `stateN` has two, `hn` and `h0` are h and what follows."""
    name = name.replace("past_key_values", "past")
    found = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)]
    return [part for word in found for part in (list(word) if word in ("hn", "cn") else [word])]


def names_match(before, after):
    """Whether names make it certain that `after` is the next `before`: `h` and `hn`, `past_key` and `present_key`."""
    old, new = words_of(before), words_of(after)
    if old[-1:] == ["0"] and old[:-1] in (["h"], ["c"]):
        old = old[:-1]
    stem = [word for word in old if word not in BEFORE]
    if before == after or not stem or stem != [word for word in new if word not in AFTER]:
        return False
    if stem == old and stem == new:
        return False
    return not STATE_WORDS.isdisjoint(stem) or ("past" in old and "present" in new)


def candidates(model, given, automatic, excluded):
    """Pairs of an input and an output: those of `given`, a dictionary, and those whose names match no others."""
    inputs = [v.name for v in model.graph.input if v.name not in {t.name for t in model.graph.initializer}]
    outputs = [v.name for v in model.graph.output]
    for before, after in given.items():
        for name, known, what in ((before, inputs, "input"), (after, outputs, "output")):
            if name not in known:
                raise ModelError(f"--state {before}={after}: the model has no {what} {name}; it has {', '.join(known)}")
        if before in excluded:
            raise ModelError(f"--state {before}={after}: a state begins with zeros; it takes no --constant and no --input")
    if len(set(given.values())) != len(given):
        raise ModelError("--state: each state needs an output of its own")
    pairs = [StatePair(before, after, False) for before, after in given.items()]
    if not automatic:
        return pairs
    inputs = [name for name in inputs if name not in given and name not in excluded]
    outputs = [name for name in outputs if name not in given.values()]
    for before in inputs:
        after = [name for name in outputs if names_match(before, name)]
        if len(after) == 1 and [name for name in inputs if names_match(name, after[0])] == [before]:
            pairs.append(StatePair(before, after[0], True))
    return pairs


def kept_pairs(pairs, graph, notes):
    """The pairs whose output has the shape and type of the input and is computed. Others are noted, or an error if given."""
    inputs, outputs, kept = {v.name: v for v in graph.inputs}, dict(graph.outputs), []
    for pair in pairs:
        before, after = inputs.get(pair.before), outputs[pair.after]
        why = ""
        if before is None:
            why = "it is no input of the graph that is left"
        elif (before.shape, before.dtype) != (after.shape, after.dtype):
            why = f"{before.dtype} {list(before.shape)} becomes {after.dtype} {list(after.shape)}"
        elif after.constant:
            why = f"{pair.after} does not depend on the inputs"
        if why and not pair.by_name:
            raise ModelError(f"--state {pair.before}={pair.after}: {why}")
        if why:
            notes.append(f"{pair.before} -> {pair.after} is no state: {why}")
        else:
            kept.append(pair)
    return kept


def zeros_of(pairs, model, shapes):
    """Samples of the first call."""
    kinds = {v.name: NUMPY_TYPES.get(v.type.tensor_type.elem_type, np.float32) for v in model.graph.input}
    return {pair.before: np.zeros(shapes[pair.before], kinds[pair.before]) for pair in pairs if pair.before in shapes}


def split_off(graph, pairs):
    """Moves the states of a graph out of its inputs and outputs."""
    inputs, outputs = {v.name: v for v in graph.inputs}, dict(graph.outputs)
    graph.states = [(inputs[pair.before], outputs[pair.after]) for pair in pairs]
    graph.inputs = [v for v in graph.inputs if all(v.name != pair.before for pair in pairs)]
    graph.outputs = [(name, v) for name, v in graph.outputs if all(name != pair.after for pair in pairs)]
