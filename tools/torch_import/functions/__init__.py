# SPDX-License-Identifier: BSL-1.0
"""Functions of torch as operators of ONNX."""
from . import convolutions, elementwise, products, reductions, shapes  # noqa: F401
from . import aten  # noqa: F401  of these
from .registry import TABLE

__all__ = ["TABLE"]
