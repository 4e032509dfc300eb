# SPDX-License-Identifier: BSL-1.0
"""What a model with a capacity computes at several lengths."""
import numpy as np

from .capacity import shape_at
from .errors import ModelError
from .evaluate import Evaluation


class Sample:
    """What a model computes at one length: pairs of a name in the file and an array of full extent."""

    def __init__(self, length):
        self.length, self.arrays = length, []

    def add(self, kind, text, value, array):
        """`value` tells the full shape; the entries behind the length are NaN, or the greatest integer."""
        full = np.full(value.shape, poison(value.dtype), value.dtype)
        full[tuple(slice(0, n) for n in array.shape)] = array
        self.arrays.append((f"{kind}{self.length}.{text}", full))


def poison(dtype):
    return np.nan if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max


def sample_lengths(model, translation, shapes_of, constants):
    """Evaluates the model at several lengths, on the beginnings of its samples."""
    capacity, samples = translation.open.capacity, []
    for length in capacity.lengths_to_test():
        beginnings = {v.name: v.array[tuple(slice(0, n) for n in shape_at(v, length))] for _, v in translation.inputs}
        found = Evaluation(model, shapes_of(length), constants, beginnings)
        sample = Sample(length)
        for text, v in translation.inputs:
            sample.add("input", text, v, beginnings[v.name])
        for (text, name, v), (_, at_length) in zip(translation.outputs, found.graph.outputs):
            if shape_at(v, length) != at_length.shape:
                raise ModelError(f"output {name}: {list(at_length.shape)} where {capacity.name} is {length}, "
                                 f"but the graph seemed to give {list(shape_at(v, length))}")
            sample.add("output", text, v, at_length.array)
        samples.append(sample)
    return samples
