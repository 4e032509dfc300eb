# SPDX-License-Identifier: BSL-1.0
"""What a model with capacities computes at several lengths."""
import numpy as np

from .counts import point_text, shape_at
from .errors import ModelError
from .evaluate import Evaluation


class Sample:
    """What a model computes at one point: pairs of a name in the file and an array of full extent. A call that continues
    starts from the states of the previous sample."""

    def __init__(self, point, goes_on=False):
        self.point, self.goes_on, self.arrays = point, goes_on, []
        self.title = "x".join(map(str, point.values()))

    def add(self, kind, text, value, array):
        """`value` tells the full shape; the entries after the lengths are NaN, or the greatest integer."""
        full = np.full(value.shape, poison(value.dtype), value.dtype)
        full[tuple(slice(0, n) for n in array.shape)] = array
        self.arrays.append((f"{kind}{self.title}.{text}", full))


def poison(dtype):
    return np.nan if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max


def steps_of(capacity, growing):
    """Points, and whether a call continues: with growing states the one after a first call."""
    steps, axis = [], capacity.growing_axis
    for point in capacity.points_to_test():
        steps.append((point, False))
        if growing and point[axis] == 0 and growing[0].count <= axis.most and not any(goes_on for _, goes_on in steps):
            steps.append((point | {axis: growing[0].count}, True))
    return steps


def sample_lengths(model, translation, shapes_of, constants):
    """Evaluates the model at several points, on the beginnings of its samples."""
    capacity, growing, samples = translation.open.capacity, translation.graph.growing, []
    inputs = [v for _, v in translation.inputs] + [state.before for state in growing]
    after = {}  # of the sample before
    for point, goes_on in steps_of(capacity, growing):
        beginnings = {v.name: v.array[tuple(slice(0, n) for n in shape_at(v, point))] for v in inputs}
        if goes_on:
            beginnings |= {state.before.name: after[state.name] for state in growing}
        found = Evaluation(model, shapes_of(point), constants, beginnings, may_be_empty=capacity.growing).graph
        results = {name: value.array for name, value in found.outputs}
        sample = Sample(point, goes_on)
        for text, v in translation.inputs:
            sample.add("input", text, v, beginnings[v.name])
        for text, name, v in translation.outputs:
            check_shape(name, shape_at(v, point), results[name].shape, point)
            sample.add("output", text, v, results[name])
        for member, state in translation.growing:
            array = after[state.name] = results[state.name]
            check_shape(state.name, shape_at(state.after, point), array.shape, point)
            if not goes_on:
                sample.add("input", member, state.after, beginnings[state.before.name])
            sample.add("output", member, state.after, array)
        samples.append(sample)
    return samples


def check_shape(name, expected, found, point):
    if expected != found:
        raise ModelError(f"output {name}: {list(found)} where {point_text(point)}, "
                         f"but the graph seemed to give {list(expected)}")
