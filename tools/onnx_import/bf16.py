# SPDX-License-Identifier: BSL-1.0
"""Numbers of bfloat16, the upper half of the bits of a float, for which NumPy has no type."""
import numpy as np


def bits_of(array):
    """Bits of the nearest bf16, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, dtype="<f4").view(np.uint32).reshape(np.shape(array))
    rounded = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), (bits >> 16 | 0x40).astype(np.uint16), rounded)


def floats_of(bits):
    """The numbers of these bits, which a float holds exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
