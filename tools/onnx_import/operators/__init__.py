# SPDX-License-Identifier: BSL-1.0
"""The translation: one small function for each operator, which returns a C++ expression."""
from . import (arrangement, attention, caches, elementwise, gathering, losses, norms, pools, products, quantization, recurrent,  # noqa: F401
               reductions, signals)
from .registry import TABLE

__all__ = ["TABLE"]
