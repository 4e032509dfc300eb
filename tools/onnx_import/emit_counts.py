# SPDX-License-Identifier: BSL-1.0
"""The test of a model with a capacity: it runs at several lengths, with what must not be read behind each."""
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


def kept(value, length):
    """A function of C++ that tells whether an entry lies below the length along all open axes."""
    terms = []
    for axis, count in sorted(value.axes.items()):
        behind = int(np.prod(value.shape[axis + 1:], dtype=np.int64))
        place = "i" if behind == 1 else f"i / {behind}"
        terms.append(f"{place} % {value.shape[axis]} < {count.at(length)}")
    return f", [](std::size_t i) {{ return {' && '.join(terms)}; }}" if terms else ""


def checks_of(name, translation, samples):
    """The lines of the test: for each length they load the sample, run the model and compare."""
    text = ""
    for sample in samples:
        named = [f'io::named("input{sample.length}.{text}", in_{text})' for text, _ in translation.inputs]
        named += [f'io::named("output{sample.length}.{text}", expected_{text})' for text, _, _ in translation.outputs]
        text += (f'    if (!loaded(io::load(std::tuple({", ".join(named)}),\n'
                 f'                         folder + "/{name}_test.safetensors", {{.ignore_unexpected = true}})))\n'
                 "        return false;\n")
        arguments = [f"in_{t}" for t, _ in translation.inputs] + [f"out_{t}" for t, _, _ in translation.outputs]
        text += f"    model({', '.join(arguments + [str(sample.length)])}, scratch);\n"
        for t, _, v in translation.outputs:
            tolerance = "2e-3" if v.dtype == np.float16 else "1e-5"
            text += (f'    good &= agree("{t} at {sample.length}", out_{t}, expected_{t}, {tolerance}'
                     f'{kept(v, sample.length)});\n')
    return text
