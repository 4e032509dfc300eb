# SPDX-License-Identifier: BSL-1.0
"""The table of the translation: operator title -> function of a step that returns C++ expressions."""
from dataclasses import dataclass

TABLE = {}


@dataclass(frozen=True)
class Entry:
    """`uses` names the functions of ashlar, for the page. A heavy operator reads memory or cheap expressions only."""

    translate: object
    uses: str
    heavy: bool = False
    view: bool = False  # of memory the result is a view, or costs nothing
    whole: bool = False  # the expression is a step of its own: a stack of layers, a recurrent layer
    operations: int = 1


def translates(*titles, uses, heavy=False, view=False):
    """Registers f(step). It returns the expression of the first output, or a list with one for each output."""

    def register(function):
        for title in titles:
            TABLE[title] = Entry(function, uses, heavy, view)
        return function

    return register


def template(values):
    """Template arguments."""
    return "<" + ", ".join(str(int(v)) for v in values) + ">"
