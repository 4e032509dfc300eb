# SPDX-License-Identifier: BSL-1.0
"""The reference: every operator in NumPy. It folds constants, finds shapes and makes the values that tests compare with."""
from . import (attention, caches, elementwise, fused, losses, products, quantization, recurrent, reductions,  # noqa: F401
               requantization, resize, shapes, signals)
from .registry import TABLE, check_size

__all__ = ["TABLE", "check_size"]
