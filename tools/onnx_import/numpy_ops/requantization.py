# SPDX-License-Identifier: BSL-1.0
"""Operators of com.microsoft between integers that have a scale."""
import numpy as np

from .attention import attend_rows
from .elementwise import sigmoid
from .products import average_pool
from .quantization import dynamic_quantize, matmul_integer, qlinear_convolution, rounded, zero_point
from .reductions import softmax_along
from .registry import evaluates, planes_first


def number(x, scale, zero=None):
    """The numbers that integers of one scale stand for."""
    return (x.astype(np.float64) - (0 if zero is None else zero.astype(np.float64))) * scale.astype(np.float64)


def integer(y, scale, zero, dtype):
    return rounded(np.round(y / scale) + (0 if zero is None else zero.astype(np.float64)), np.zeros((), dtype))


def of_two(function):
    def evaluate(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero=None):
        return integer(function(number(a, a_scale, a_zero), number(b, b_scale, b_zero)), y_scale, y_zero, a.dtype)

    return evaluate


def of_one(function):
    def evaluate(node, x, x_scale, x_zero, y_scale, y_zero=None):
        return integer(function(node, number(x, x_scale, x_zero)), y_scale, y_zero, x.dtype)

    return evaluate


evaluates("com.microsoft.QLinearAdd")(of_two(np.add))
evaluates("com.microsoft.QLinearMul")(of_two(np.multiply))
evaluates("com.microsoft.QLinearSigmoid")(of_one(lambda node, x: sigmoid(x)))
evaluates("com.microsoft.QLinearLeakyRelu")(of_one(lambda node, x: np.where(x < 0, x * node.attribute("alpha", 0.01), x)))
evaluates("com.microsoft.QLinearReduceMean")(
    of_one(lambda node, x: x.mean(tuple(node.attribute("axes")), keepdims=bool(node.attribute("keepdims", 1)))))


@evaluates("com.microsoft.QLinearSoftmax")
def qlinear_softmax(node, x, x_scale, x_zero, y_scale, y_zero=None):
    axis = node.attribute("axis", -1) % x.ndim
    axes = (axis,) if node.attribute("opset", 13) >= 13 else tuple(range(axis, x.ndim))
    return integer(softmax_along(number(x, x_scale, x_zero), axes), y_scale, y_zero, x.dtype)


evaluates("com.microsoft.QLinearGlobalAveragePool")(of_one(planes_first(
    lambda node, x: x.mean(tuple(range(2, x.ndim)), keepdims=True))))
evaluates("com.microsoft.QLinearAveragePool")(of_one(planes_first(average_pool)))
evaluates("com.microsoft.QLinearConv")(planes_first(qlinear_convolution))


@evaluates("com.microsoft.QLinearConcat")
def qlinear_concat(node, y_scale, y_zero, *parts):
    numbers = [number(*parts[i:i + 3]) for i in range(0, len(parts), 3)]
    return integer(np.concatenate(numbers, node.attribute("axis")), y_scale, y_zero, y_zero.dtype)


@evaluates("com.microsoft.QLinearWhere")
def qlinear_where(node, condition, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero):
    return integer(np.where(condition, number(x, x_scale, x_zero), number(y, y_scale, y_zero)), z_scale, z_zero, x.dtype)


@evaluates("com.microsoft.MatMulIntegerToFloat")
def matmul_to_float(node, a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
    y = matmul_integer(node, a, b, a_zero, b_zero) * (a_scale.astype(np.float64) * b_scale)
    return (y if bias is None else y + bias).astype(np.float32)


@evaluates("com.microsoft.DynamicQuantizeMatMul")
def dynamic_matmul(node, a, b, b_scale, b_zero=None, bias=None):
    integers, scale, zero = dynamic_quantize(node, a)
    return matmul_to_float(node, integers, b, scale, b_scale, zero, b_zero, bias)


@evaluates("com.microsoft.QGemm")
def quantized_gemm(node, a, a_scale, a_zero, b, b_scale, b_zero, c=None, y_scale=None, y_zero=None):
    left = a.astype(np.int64) - zero_point(a_zero, 0, 0)
    right = b.astype(np.int64)
    left, right = (left.T if node.attribute("transA", 0) else left), (right.T if node.attribute("transB", 0) else right)
    right = right - zero_point(b_zero, 2, 1)
    sums = left @ right + (0 if c is None else c)
    y = sums * (node.attribute("alpha", 1.0) * a_scale.astype(np.float64) * b_scale)
    return y.astype(np.float32) if y_scale is None else integer(y, y_scale, y_zero, y_zero.dtype)


@evaluates("com.microsoft.QAttention")
def quantized_attention(node, x, weights, bias, x_scale, w_scale, mask=None, x_zero=None, w_zero=None, past=None):
    if node.attribute("do_rotary") or node.attribute("past_present_share_buffer"):
        raise NotImplementedError("do_rotary and past_present_share_buffer")
    product = matmul_to_float(node, x, weights, x_scale, w_scale, x_zero, w_zero, bias)
    y, k, v = attend_rows(node, np.split(product, 3, -1), mask, None, (None, None) if past is None else past)
    return y, np.stack([k, v])
