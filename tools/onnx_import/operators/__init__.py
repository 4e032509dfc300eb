# SPDX-License-Identifier: BSL-1.0
"""The translation: one small function for each operator, which returns a C++ expression."""
from . import (arrangement, attention, caches, elementwise, fused, gathering, losses, norms, pools, products,  # noqa: F401
               quantization, recurrent, reductions, requantization, signals)
from .registry import TABLE

__all__ = ["TABLE"]
