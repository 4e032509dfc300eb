# SPDX-License-Identifier: BSL-1.0
"""Weights in few bits: the types of ashlar for them, what NumPy computes as these do, and the choice between them."""
from dataclasses import dataclass, replace

import numpy as np

from . import bf16
from .numpy_ops import TABLE

MOST_ERROR = 0.02  # of a layer's result for its sample inputs: root of the mean square, relative to that of the result
ROWS_AT_ONCE = 4096
PANEL = 16  # columns, and DEPTH rows, to whose multiples a matrix in 8 bits is padded
DEPTH = 4


def rounded_to_bytes(x):
    """Each row as integers from -127 to 127, in floats, and its scale: the rule of include/ashlar/core/quantization.hpp."""
    greatest = np.abs(x).max(-1, keepdims=True).astype(np.float32)
    with np.errstate(all="ignore"):
        inverse = np.where(greatest < 2.0**-120, 0, np.float32(127) / greatest).astype(np.float32)
        scale = np.where(greatest < 2.0**-120, 0, np.where(np.isfinite(greatest), greatest / np.float32(127), np.nan))
        return np.rint(x.astype(np.float32) * inverse), scale.astype(np.float32)


def spread_rows(x):
    """Each row times the Hadamard matrix of each group of entries: the rule of include/ashlar/core/smoothed.hpp."""
    apart, parts = x.shape[-1], 1
    while parts < 16 and apart % 2 == 0 and apart // 2 >= 16:
        parts, apart = 2 * parts, apart // 2
    if parts == 1:
        return x
    side = 4 if apart % 4 == 0 else 1
    hadamard = np.ones((1, 1), np.float32)
    while len(hadamard) < parts * side:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    groups = np.moveaxis(x.reshape(*x.shape[:-1], parts, apart // side, side), -3, -2)
    spread = groups.reshape(*groups.shape[:-2], parts * side) @ (hadamard / np.float32(np.sqrt(parts * side)))
    return np.moveaxis(spread.reshape(groups.shape), -2, -3).reshape(x.shape)


def product_of_bf16(x, w):
    return np.matmul(x, bf16.floats_of(bf16.bits_of(w)))


def product_of_bytes(x, w, spread=False):
    """x [..., depth] times w [depth, columns], with rows of x and columns of w in 8 bits. Sums are exact."""
    turn = spread_rows if spread else np.asarray
    columns, column_scales = rounded_to_bytes(turn(np.ascontiguousarray(w.T)))
    columns, rows = columns.T.astype(np.float64), x.reshape(-1, x.shape[-1])
    y = np.empty((len(rows), w.shape[1]), np.float32)
    for first in range(0, len(rows), ROWS_AT_ONCE):
        part, scales = rounded_to_bytes(turn(rows[first:first + ROWS_AT_ONCE]))
        y[first:first + ROWS_AT_ONCE] = (part @ columns).astype(np.float32) * column_scales[:, 0] * scales
    return y.reshape(*x.shape[:-1], w.shape[1])


def product_with_byte_columns(x, w):
    """The same with columns of w in 8 bits only."""
    columns, scales = rounded_to_bytes(np.ascontiguousarray(w.T))
    return np.matmul(x, (columns * scales).T)


def bytes_in_8_bits(depth, columns):
    padded = -(-columns // PANEL) * PANEL
    return -(-depth // DEPTH) * DEPTH * padded + 8 * padded  # a scale and a sum for each column


@dataclass(frozen=True)
class Kind:
    """A type of weights: its name in reports and as that of a module's weights, its matrix, and its product in NumPy."""

    name: str
    weight: str
    matrix: str
    product: object
    size: object  # bytes of a matrix by depth and columns
    grouped: bool  # whether convolutions in groups have it


FLOAT = Kind("float", "float", "packed<float, {}, {}>", None, lambda depth, columns: 4 * depth * columns, True)
BF16 = Kind("bf16", "bf16", "packed<bf16, {}, {}>", product_of_bf16, lambda depth, columns: 2 * depth * columns, True)
INT8 = Kind("int8", "std::int8_t", "quantized<float, {}, {}>", product_of_bytes, bytes_in_8_bits, False)
SMOOTHED = Kind("smoothed int8", "smoothed<std::int8_t>", "quantized<smoothed<float>, {}, {}>",
                lambda x, w: product_of_bytes(x, w, True), bytes_in_8_bits, False)
TAPS = Kind("int8", "", "", product_with_byte_columns, lambda depth, columns: (depth + 4) * columns, True)
KINDS = {"float": [], "bf16": [BF16], "int8": [INT8, SMOOTHED], "auto": [INT8, SMOOTHED, BF16]}

KINDS_OF_TAPS = {"float": [], "bf16": [BF16], "int8": [TAPS], "auto": [TAPS, BF16]}  # for depthwise convolutions


def relative_error(found, expected):
    """Root of the mean square of the difference, relative to that of what is expected."""
    found, expected = np.float64(found), np.float64(expected)
    size = np.linalg.norm(expected)
    return float(np.linalg.norm(found - expected) / size) if size else float(np.linalg.norm(found - expected))


def computed_with(node, kind, arrays):
    """The results of a node whose weights have this kind."""
    results = TABLE[node.title](replace(node, product=kind.product), *arrays)
    return results if isinstance(results, tuple) else (results,)


def arrays_of(values, call):
    return [None if v is None else call.get(id(v), v.array) for v in values]


@dataclass(frozen=True)
class Choice:
    """The kind of a member's matrices, the error of its layer with it, and the bytes of its matrices."""

    name: str
    kind: Kind
    error: float
    bytes: int
    refused: dict  # errors of the kinds that auto did not take


class Weights:
    """Chooses the kind of each weight of a graph, and remembers it."""

    def __init__(self, option, graph):
        self.option, self.choices, self.nodes, self.denormals = option, {}, {}, 0  # denormals: entries that became 0
        self.calls = [{}]  # arrays by id() that replace those of the graph; in a first call states are zeros and tell little
        if option != "float" and graph.states:
            self.calls.append(self.computed(graph, graph.second_call({})))

    def choose(self, node, matrices, grouped=False, kinds=KINDS):
        """What a Choice has but the name, for a node whose weights are matrices of these depths and columns."""
        size = {kind: sum(kind.size(*matrix) for matrix in matrices) for kind in [*kinds[self.option], FLOAT]}
        place = next(i for i, v in enumerate(node.outputs) if v is not None)
        result, errors = node.outputs[place], {}
        for kind in kinds[self.option]:
            if size[kind] < size[FLOAT] and (kind.grouped or not grouped) and result.dtype == np.float32:
                errors[kind] = max(relative_error(computed_with(node, kind, arrays_of(node.inputs, call))[place],
                                                  call.get(id(result), result.array)) for call in self.calls)
        fitting = [kind for kind in errors if errors[kind] <= MOST_ERROR]
        if self.option == "auto" or fitting:
            best = min(fitting, key=lambda kind: size[kind], default=FLOAT)
        else:  # asked for, whatever the error
            best = min(errors, key=errors.get, default=FLOAT)
        refused = {kind: error for kind, error in errors.items() if error > MOST_ERROR and kind is not best}
        return best, errors.get(best, 0.0), size[best] * (result.dtype.itemsize // 4 if best is FLOAT else 1), refused

    def without_denormals(self, array):
        """Weights whose denormal entries are 0: products with them take a hundred cycles each, and change no sum that is not
        denormal itself. Other constants keep theirs, since they may be divided by."""
        small = (array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny) if array.dtype.kind == "f" else np.zeros(1, bool)
        self.denormals += int(small.sum())
        return np.where(small, array.dtype.type(0), array) if small.any() else array

    def record(self, node, member, name, choice):
        self.choices.setdefault(member, Choice(name, *choice))
        if choice[0] is not FLOAT:
            self.nodes[id(node)] = choice[0]

    def computed(self, graph, given):
        """The values of a graph with the chosen kinds, by id(); `given` are the arrays of inputs and states."""
        arrays = dict(given)
        with np.errstate(all="ignore"):
            for node in graph.nodes:
                results = computed_with(node, self.nodes.get(id(node), FLOAT), arrays_of(node.inputs, arrays))
                arrays.update({id(v): np.asarray(a) for v, a in zip(node.outputs, results) if v is not None})
        return arrays
