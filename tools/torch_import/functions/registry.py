# SPDX-License-Identifier: BSL-1.0
"""The table of functions: the name of a function or method of torch -> a function of a builder and its arguments.

Functions, methods and operators of one name share an entry: torch.softmax, torch.nn.functional.softmax, Tensor.softmax.
"""

TABLE = {}


def translates(*names):
    """Registers f(builder, *args, **kwargs) with the signature of torch. Tensors are values of the graph."""

    def register(function):
        for name in names:
            TABLE[name] = function
        return function

    return register


def axis_of(axis, rank):
    return axis % rank if rank else 0


def ints(given, count=None):
    """Sizes as a list: one number counts for all axes."""
    if isinstance(given, int):
        return [given] * (count or 1)
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    given = [int(n) for n in given]
    return given * count if count and len(given) == 1 else given
