# SPDX-License-Identifier: BSL-1.0
"""Between integers and floats with a scale, and products of such integers."""
import numpy as np

from ..parameters import axis_of
from .products import convolution
from .registry import evaluates


def zero_point(value, rank, axis):
    """A zero point, one number or one an entry of an axis, as an array that broadcasts to x."""
    if value is None:
        return 0
    return value.astype(np.int64).reshape([-1 if i == axis else 1 for i in range(rank)] if value.size > 1 else [])


@evaluates("MatMulInteger")
def matmul_integer(node, a, b, a_zero=None, b_zero=None):
    left = a.astype(np.int64) - zero_point(a_zero, a.ndim, a.ndim - 2)
    right = b.astype(np.int64) - zero_point(b_zero, b.ndim, b.ndim - 1)
    return np.asarray(np.matmul(left, right)).astype(np.int32)


@evaluates("ConvInteger")
def convolution_integer(node, x, w, x_zero=None, w_zero=None):
    y = convolution(node, x.astype(np.int64) - zero_point(x_zero, 0, 0),
                    w.astype(np.int64) - zero_point(w_zero, w.ndim, 0))
    return y.astype(np.int32)


def rounded(y, like):
    limits = np.iinfo(like.dtype)
    return np.clip(np.round(y), limits.min, limits.max).astype(like.dtype)


def along(value, rank, axis):
    return value if value.ndim == 0 or value.size == 1 else value.reshape([-1 if i == axis else 1 for i in range(rank)])


@evaluates("QuantizeLinear", "com.microsoft.QuantizeLinear")
def quantize_linear(node, x, scale, zero=None):
    axis = axis_of(node.attribute("axis", 1), x.ndim) if scale.size > 1 else 0
    zero = np.zeros(scale.shape, np.uint8) if zero is None else zero
    y = np.round(x / along(scale, x.ndim, axis)) + along(zero, x.ndim, axis).astype(np.float64)
    return rounded(y, zero)


@evaluates("DequantizeLinear", "com.microsoft.DequantizeLinear")
def dequantize_linear(node, x, scale, zero=None):
    axis = axis_of(node.attribute("axis", 1), x.ndim) if scale.size > 1 else 0
    zero = np.zeros(scale.shape, x.dtype) if zero is None else zero
    return ((x.astype(np.int64) - along(zero, x.ndim, axis).astype(np.int64)) * along(scale, x.ndim, axis)).astype(scale.dtype)


@evaluates("DynamicQuantizeLinear")
def dynamic_quantize(node, x):
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = np.float32((high - low) / np.float32(255))
    scale = np.float32(1) if scale == 0 else scale
    zero = np.uint8(np.clip(np.round((0 - low) / scale), 0, 255))
    return np.clip(np.round(x / scale) + zero, 0, 255).astype(np.uint8), np.array(scale), np.array(zero)


@evaluates("QLinearMatMul")
def qlinear_matmul(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    product = matmul_integer(node, a, b, a_zero, b_zero).astype(np.float64)
    return rounded(product * (a_scale.astype(np.float64) * b_scale / y_scale) + y_zero, y_zero)


@evaluates("QLinearConv")
def qlinear_convolution(node, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None):
    sums = convolution_integer(node, x, w, x_zero, w_zero).astype(np.int64)
    if bias is not None:
        sums = sums + by_rows(bias, sums.ndim)
    factor = x_scale.astype(np.float64) * w_scale / y_scale
    return rounded(sums * by_rows(factor, sums.ndim) + y_zero, y_zero)


def by_rows(vector, rank):
    return vector.reshape((-1,) + (1,) * (rank - 2)) if vector.size > 1 else vector.reshape(-1)[0]
