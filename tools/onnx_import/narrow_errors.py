# SPDX-License-Identifier: BSL-1.0
"""How far the results of a whole program with other numbers, such as narrow weights, are from those with floats."""
from dataclasses import dataclass

import numpy as np

LEAST_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Distance:
    """The largest error, relative to values above 1, and the cosine between two tensors."""

    largest: float
    cosine: float

    @property
    def tolerance(self):
        """What the test of the program accepts: twice the error, since activations that are rounded otherwise change it."""
        return float(f"{2 * self.largest + LEAST_TOLERANCE:.1e}")

    @property
    def least_cosine(self):
        return float(f"{1 - 2 * (1 - self.cosine) - 1e-6:.7f}")


def distance_between(found, expected):
    found, expected = np.float64(found).reshape(-1), np.float64(expected).reshape(-1)
    known = np.isfinite(found) & np.isfinite(expected)
    found, expected = found[known], expected[known]
    sizes = np.linalg.norm(found) * np.linalg.norm(expected)
    largest = float((np.abs(found - expected) / (1 + np.abs(expected))).max(initial=0))
    return Distance(largest, float(found @ expected / sizes) if sizes else 1.0)


def difference_of_calls(graph, computed):
    """Of a call and, with states, of a second one: the distances of the results of `computed(graph, given)` from those of the
    graph, as two dictionaries by the id of a value."""
    results = graph.results()
    given = {id(v): v.array for v in graph.inputs} | {id(before): before.array for before, _ in graph.states}
    first = computed(graph, given)
    of_first = {id(v): distance_between(first.get(id(v), v.array), v.array) for v in results}
    if not graph.states:
        return of_first, {}
    second = computed(graph, graph.second_call(first))
    return of_first, {id(v): distance_between(second.get(id(v), v.array), graph.again[id(v)]) for v in results}
