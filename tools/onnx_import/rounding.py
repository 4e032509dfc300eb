# SPDX-License-Identifier: BSL-1.0
"""How much the rounding of floats changes the results of a model: those of NumPy's floats beside those of its doubles."""
import numpy as np

from .narrow_errors import LEAST_TOLERANCE, difference_of_calls
from .numpy_ops import TABLE

FACTOR = 4  # of NumPy's error: other orders of sums have other errors
MOST_ERROR = 1e-2  # of rounding; above it a step such as Round or Equal gives other entries, and the error tells nothing


def wide(array):
    return array.astype(np.float64) if array.dtype in (np.float16, np.float32) else array


def in_doubles(graph, given):
    """The results of a graph whose floats are doubles, by id(); `given` are the arrays of inputs and states."""
    arrays = {key: wide(array) for key, array in given.items()}
    last = {id(v): i for i, node in enumerate(graph.nodes) for v in node.inputs} | {id(v): -1 for v in graph.results()}
    with np.errstate(all="ignore"):
        for i, node in enumerate(graph.nodes):
            operands = [None if v is None else arrays[id(v)] if id(v) in arrays else wide(v.array) for v in node.inputs]
            results = TABLE[node.title](node, *operands)
            results = results if isinstance(results, tuple) else (results,)
            arrays.update({id(v): wide(np.asarray(a)) for v, a in zip(node.outputs, results) if v is not None})
            for v in node.inputs:
                if last[id(v)] == i:
                    arrays.pop(id(v), None)
    return arrays


def rounding_errors(graph):
    """Of a call and, with states, of a second one: largest errors, relative to values above 1, by the id of a result."""
    return tuple({key: distance.largest for key, distance in call.items()} for call in difference_of_calls(graph, in_doubles))


def tolerance(error):
    """What the test of a program accepts."""
    return float(f"{FACTOR * error:.1e}") if LEAST_TOLERANCE < FACTOR * error and error <= MOST_ERROR else LEAST_TOLERANCE
