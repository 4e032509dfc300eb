# SPDX-License-Identifier: BSL-1.0
"""How each operator treats an open axis: rule(capacity, node, outputs) returns the open axes of the results.

A rule notes in node.open what the translation must do: `masks` are triples of an operand, an axis and what entries beyond the
count become; `share` lists counts by which a mean is divided instead of the capacity."""
from . import arrangement, attention, products, recurrent, rows, windows  # noqa: F401
from .registry import BY_ROWS, HIGHEST, LOWEST, RULES

__all__ = ["BY_ROWS", "HIGHEST", "LOWEST", "RULES"]
