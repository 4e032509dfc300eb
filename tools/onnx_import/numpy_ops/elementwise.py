# SPDX-License-Identifier: BSL-1.0
"""Elementwise operators."""
import math

import numpy as np

from .registry import evaluates

_erf = np.vectorize(math.erf, otypes=[np.float64])


def erf(x):
    return _erf(x.astype(np.float64)).astype(x.dtype).reshape(x.shape)


def sigmoid(x):
    with np.errstate(over="ignore"):
        return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def softplus(x):
    return (np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))).astype(x.dtype)


def unary(function):
    return lambda node, x: np.asarray(function(x)).astype(x.dtype)


for title, function in {
    "Abs": np.abs, "Neg": np.negative, "Floor": np.floor, "Ceil": np.ceil, "Round": np.round, "Sqrt": np.sqrt, "Exp": np.exp,
    "Log": np.log, "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan,
    "Sinh": np.sinh, "Cosh": np.cosh, "Tanh": np.tanh, "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh,
    "Sign": np.sign, "Erf": erf, "Sigmoid": sigmoid, "Softplus": softplus, "Relu": lambda x: np.maximum(x, 0),
    "Reciprocal": lambda x: 1 / x, "Softsign": lambda x: x / (1 + np.abs(x)), "Identity": lambda x: x,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Mish": lambda x: x * np.tanh(softplus(x)),
    "BitwiseNot": np.invert,
}.items():
    evaluates(title)(unary(function))

for title, function in {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor,
    "Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal, "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
}.items():
    evaluates(title)(lambda node, x, y, function=function: np.asarray(function(x, y)))

evaluates("com.microsoft.QuickGelu")(lambda node, x: (x * sigmoid(node.attribute("alpha", 1.702) * x)).astype(x.dtype))
evaluates("Not")(lambda node, x: np.logical_not(x))
evaluates("IsNaN")(lambda node, x: np.isnan(x))
evaluates("Where")(lambda node, c, x, y: np.where(c, x, y))
evaluates("Max")(lambda node, *x: _fold(np.maximum, x))
evaluates("Min")(lambda node, *x: _fold(np.minimum, x))
evaluates("Sum")(lambda node, *x: _fold(np.add, x))
evaluates("Mean")(lambda node, *x: (_fold(np.add, x) / len(x)).astype(x[0].dtype))
evaluates("LeakyRelu")(lambda node, x: np.where(x < 0, x * x.dtype.type(node.attribute("alpha", 0.01)), x))
evaluates("PRelu")(lambda node, x, slope: np.where(x < 0, x * slope, x))
evaluates("ThresholdedRelu")(lambda node, x: np.where(x > node.attribute("alpha", 1.0), x, 0).astype(x.dtype))


def _fold(function, arrays):
    result = np.asarray(arrays[0])
    for x in arrays[1:]:
        result = function(result, x)
    return np.asarray(result)


@evaluates("Div")
def divide(node, x, y):
    if np.issubdtype(x.dtype, np.floating):
        return np.asarray(x / y)
    safe = np.where(y == 0, 1, y)
    quotient = np.abs(x) // np.abs(safe)
    return np.asarray(np.where((x < 0) != (safe < 0), -quotient if x.dtype.kind == "i" else quotient, quotient)).astype(x.dtype)


@evaluates("Mod")
def modulo(node, x, y):
    if node.attribute("fmod", 0):
        return np.asarray(np.fmod(x, y))
    return np.asarray(np.mod(x, np.where(y == 0, 1, y)))


@evaluates("Pow")
def power(node, x, y):
    with np.errstate(all="ignore"):
        return np.asarray(np.power(x, y)).astype(x.dtype)


@evaluates("BitShift")
def bit_shift(node, x, y):
    return x << y if node.attribute("direction") == "LEFT" else x >> y


@evaluates("Clip")
def clip(node, x, low=None, high=None):
    low = node.attribute("min") if low is None else low
    high = node.attribute("max") if high is None else high
    x = x if low is None else np.maximum(x, x.dtype.type(low))
    return np.asarray(x if high is None else np.minimum(x, x.dtype.type(high)))


@evaluates("IsInf")
def is_inf(node, x):
    positive = node.attribute("detect_positive", 1)
    return np.isinf(x) & (((x > 0) & bool(positive)) | ((x < 0) & bool(node.attribute("detect_negative", 1))))


@evaluates("Elu")
def elu(node, x):
    return np.where(x < 0, node.attribute("alpha", 1.0) * np.expm1(np.minimum(x, 0)), x).astype(x.dtype)


@evaluates("Celu")
def celu(node, x):
    alpha = node.attribute("alpha", 1.0)
    return (np.maximum(x, 0) + np.minimum(alpha * np.expm1(np.minimum(x, 0) / alpha), 0)).astype(x.dtype)


@evaluates("Selu")
def selu(node, x):
    alpha, gamma = node.attribute("alpha", 1.67326319217681884765625), node.attribute("gamma", 1.05070102214813232421875)
    return (gamma * np.where(x <= 0, alpha * np.expm1(np.minimum(x, 0)), x)).astype(x.dtype)


@evaluates("HardSigmoid")
def hard_sigmoid(node, x):
    return np.clip(node.attribute("alpha", 0.2) * x + node.attribute("beta", 0.5), 0, 1).astype(x.dtype)


@evaluates("Shrink")
def shrink(node, x):
    bias, limit = node.attribute("bias", 0.0), node.attribute("lambd", 0.5)
    return np.where(x < -limit, x + bias, np.where(x > limit, x - bias, 0)).astype(x.dtype)


@evaluates("Gelu", "com.microsoft.Gelu")
def gelu(node, x):
    if node.attribute("approximate", "none") == "tanh":
        return fast_gelu(node, x)
    return (x * 0.5 * (1 + erf(x / np.sqrt(2.0)))).astype(x.dtype)


@evaluates("com.microsoft.FastGelu")
def fast_gelu(node, x, bias=None):
    x = x if bias is None else x + bias
    return (0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))).astype(x.dtype)


@evaluates("com.microsoft.BiasGelu")
def bias_gelu(node, x, bias):
    return gelu(node, x + bias)


@evaluates("Cast", "CastLike")
def cast(node, x, like=None):
    dtype = node.attribute("to_dtype") if like is None else like.dtype
    with np.errstate(all="ignore"):
        return x.astype(dtype)


@evaluates("Dropout")
def dropout(node, x, ratio=None, training=None):
    if training is not None and training and ratio != 0:
        raise NotImplementedError("random numbers")
    return x, np.ones(x.shape, bool)
