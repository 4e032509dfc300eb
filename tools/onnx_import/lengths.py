# SPDX-License-Identifier: BSL-1.0
"""What a model with a capacity computes at several lengths."""
import numpy as np

from .capacity import shape_at
from .errors import ModelError
from .evaluate import Evaluation


class Sample:
    """What a model computes at one length: pairs of a name in the file and an array of full extent. A call that continues
    starts from the states of the previous sample."""

    def __init__(self, length, goes_on=False):
        self.length, self.goes_on, self.arrays = length, goes_on, []

    def add(self, kind, text, value, array):
        """`value` tells the full shape; the entries behind the length are NaN, or the greatest integer."""
        full = np.full(value.shape, poison(value.dtype), value.dtype)
        full[tuple(slice(0, n) for n in array.shape)] = array
        self.arrays.append((f"{kind}{self.length}.{text}", full))


def poison(dtype):
    return np.nan if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max


def sample_lengths(model, translation, shapes_of, constants):
    """Evaluates the model at several lengths, on the beginnings of its samples; with growing states a last time after the
    first call."""
    capacity, growing, samples = translation.open.capacity, translation.graph.growing, []
    inputs = [v for _, v in translation.inputs] + [state.before for state in growing]
    steps = [(length, False) for length in capacity.lengths_to_test()] + [(state.count, True) for state in growing[:1]]
    after = {}  # of the sample before
    for length, goes_on in steps:
        if length > capacity.most:
            continue
        beginnings = {v.name: v.array[tuple(slice(0, n) for n in shape_at(v, length))] for v in inputs}
        if goes_on:
            beginnings |= {state.before.name: after[state.name] for state in growing}
        found = Evaluation(model, shapes_of(length), constants, beginnings, may_be_empty=capacity.growing).graph
        results = {name: value.array for name, value in found.outputs}
        sample = Sample(length, goes_on)
        for text, v in translation.inputs:
            sample.add("input", text, v, beginnings[v.name])
        for text, name, v in translation.outputs:
            check_shape(capacity, name, shape_at(v, length), results[name].shape, length)
            sample.add("output", text, v, results[name])
        for member, state in translation.growing:
            array = after[state.name] = results[state.name]
            check_shape(capacity, state.name, shape_at(state.after, length), array.shape, length)
            if not goes_on:
                sample.add("input", member, state.after, beginnings[state.before.name])
            sample.add("output", member, state.after, array)
        samples.append(sample)
    return samples


def check_shape(capacity, name, expected, found, length):
    if expected != found:
        raise ModelError(f"output {name}: {list(found)} where {capacity.name} is {length}, "
                         f"but the graph seemed to give {list(expected)}")
