# SPDX-License-Identifier: BSL-1.0
"""The table of the reference: operator title -> function of a node and its arrays that returns arrays."""
import numpy as np

TABLE = {}
MOST_BYTES = 4 << 30  # of one value


def evaluates(*titles):
    """Registers a function f(node, *arrays) for operators. It returns an array or a tuple of arrays."""

    def register(function):
        for title in titles:
            TABLE[title] = function
        return function

    return register


def planes_first(function):
    """f(node, x, ...) of [batch, channels, ...] that also takes and returns [batch, ..., channels], as attribute channels_last says."""

    def evaluate(node, x, *rest):
        if not node.attribute("channels_last", 0):
            return function(node, x, *rest)
        result = function(node, np.moveaxis(x, -1, 1), *rest)
        return np.moveaxis(result[0] if isinstance(result, tuple) else result, 1, -1)

    return evaluate


def check_size(shape, dtype=np.float32):
    """Refuses shapes that no machine here can hold, before NumPy tries."""
    count = 1
    for extent in shape:
        count *= int(extent)
        if extent < 0 or count * np.dtype(dtype).itemsize > MOST_BYTES:
            raise MemoryError(f"a value of shape {list(map(int, shape))} is larger than {MOST_BYTES >> 30} GiB")


def pad_array(x, pads, value=0):
    """x with entries of one value around it: pads are pairs, one an axis."""
    check_size([n + a + b for n, (a, b) in zip(x.shape, pads)], x.dtype)
    return np.pad(x, pads, constant_values=value)
