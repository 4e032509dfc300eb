# SPDX-License-Identifier: BSL-1.0
"""The table of rules, and what they share."""
from dataclasses import dataclass

RULES = {}
BY_ROWS = set()  # operators that compute each entry of an axis by itself, unless the rule notes a mask along it
LOWEST, HIGHEST = "lowest", "highest"


def rule(*titles, by_rows=False):
    def register(function):
        for title in titles:
            RULES[title] = function
        BY_ROWS.update(titles if by_rows else ())
        return function

    return register


def mask(node, place, axis, fill):
    node.open.setdefault("masks", []).append((place, axis, fill))


def static(c, node, *places):
    """Refuses open axes of operands that this operator does not expect to have any."""
    for place in places:
        if c.is_open(node.input(place)):
            c.refuse(f"operand {place} depends on it")


@dataclass
class Operand:
    """What `broadcast` reads of a value."""

    name: str
    shape: tuple
    axes: dict


def broadcast(c, values, rank):
    """The open axes of operands that are broadcast against each other."""
    axes = {}
    for axis in range(rank):
        counts, others = set(), []
        for v in values:
            place = axis - rank + len(v.shape)
            if place in v.axes:
                counts.add(v.axes[place])
            elif place >= 0 and v.shape[place] != 1:
                others.append(v)
        if len(counts) > 1:
            c.refuse("operands have different extents")
        if counts and others:
            c.refuse(f"{others[0].name} has {others[0].shape[axis - rank]} entries whatever the count is")
        if counts:
            axes[axis] = counts.pop()
    return axes


def share(c, node, x, count):
    if x.dtype.kind != "f":
        c.refuse("a mean of integers")
    node.open.setdefault("share", []).append(count)
