# SPDX-License-Identifier: BSL-1.0
"""Elementwise functions."""
import math

import numpy as np

from onnx_import.errors import Uncovered
from onnx_import.graph import Value

from .registry import TABLE, axis_of, translates

for title, names in {
    "Abs": "abs absolute", "Neg": "neg negative", "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sqrt": "sqrt", "Exp": "exp",
    "Log": "log", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin arcsin", "Acos": "acos arccos", "Atan": "atan arctan",
    "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh arcsinh", "Acosh": "acosh arccosh", "Atanh": "atanh arctanh", "Tanh": "tanh",
    "Erf": "erf", "Sign": "sign", "Sigmoid": "sigmoid", "Reciprocal": "reciprocal", "IsNaN": "isnan", "IsInf": "isinf",
    "BitwiseNot": "bitwise_not", "Not": "logical_not",
}.items():
    translates(*names.split())(lambda b, x, title=title: b.op(title, [x]))

for title, names in {"Relu": "relu relu_", "Selu": "selu", "HardSwish": "hardswish", "Mish": "mish"}.items():
    translates(*names.split())(lambda b, x, inplace=False, title=title: b.op(title, [x]))

translates("softsign")(lambda b, x: b.op("Softsign", [x]))
translates("silu")(lambda b, x, inplace=False: b.op("Mul", [x, b.op("Sigmoid", [x])]))
translates("logsigmoid", "log_sigmoid")(lambda b, x: b.op("Neg", [b.op("Softplus", [b.op("Neg", [x])])]))
translates("tanhshrink")(lambda b, x: b.op("Sub", [x, b.op("Tanh", [x])]))
translates("hardsigmoid")(lambda b, x, inplace=False: b.op("HardSigmoid", [x], alpha=1 / 6, beta=0.5))
translates("elu")(lambda b, x, alpha=1.0, inplace=False: b.op("Elu", [x], alpha=float(alpha)))
translates("celu")(lambda b, x, alpha=1.0, inplace=False: b.op("Celu", [x], alpha=float(alpha)))
translates("leaky_relu")(
    lambda b, x, negative_slope=0.01, inplace=False: b.op("LeakyRelu", [x], alpha=float(negative_slope)))
translates("gelu")(lambda b, x, approximate="none": b.op("Gelu", [x], approximate=approximate))
translates("relu6")(lambda b, x, inplace=False: clamp(b, x, 0.0, 6.0))
translates("hardtanh")(lambda b, x, min_val=-1.0, max_val=1.0, inplace=False: clamp(b, x, min_val, max_val))
translates("softshrink")(lambda b, x, lambd=0.5: b.op("Shrink", [x], bias=float(lambd), lambd=float(lambd)))
translates("hardshrink")(lambda b, x, lambd=0.5: b.op("Shrink", [x], bias=0.0, lambd=float(lambd)))
translates("rsqrt")(lambda b, x: b.op("Reciprocal", [b.op("Sqrt", [x])]))
translates("square")(lambda b, x: b.op("Mul", [x, x]))
translates("log2")(lambda b, x: b.op("Mul", [b.op("Log", [x]), b.value(1 / math.log(2), x.dtype)]))
translates("log10")(lambda b, x: b.op("Mul", [b.op("Log", [x]), b.value(1 / math.log(10), x.dtype)]))
translates("log1p")(lambda b, x: b.op("Log", [b.op("Add", [x, b.value(1, x.dtype)])]))
translates("exp2")(lambda b, x: b.op("Exp", [b.op("Mul", [x, b.value(math.log(2), x.dtype)])]))
translates("expm1")(lambda b, x: b.op("Sub", [b.op("Exp", [x]), b.value(1, x.dtype)]))
translates("dropout", "dropout_", "alpha_dropout", "feature_dropout", "dropout1d", "dropout2d", "dropout3d")(
    lambda b, x, p=0.5, training=True, inplace=False: x)
translates("clone", "contiguous", "detach", "cpu", "data", "requires_grad_", "positive")(lambda b, x, **_: x)


@translates("softplus")
def softplus(b, x, beta=1, threshold=20):
    scaled = x if beta == 1 else b.op("Mul", [x, b.value(beta, x.dtype)])
    y = b.op("Softplus", [scaled])
    return y if beta == 1 else b.op("Div", [y, b.value(beta, x.dtype)])


@translates("threshold")
def threshold(b, x, threshold, value, inplace=False):
    over = b.op("Greater", [x, b.value(threshold, x.dtype)])
    return b.op("Where", [over, x, b.value(value, x.dtype)])


def binary(title):
    def translate(b, x, y, *, alpha=1):
        x, y = b.common(x, y)
        if alpha != 1:
            y = b.op("Mul", [y, b.value(alpha, y.dtype)])
        if title in ("Add", "Mul") and x.dtype.kind == "b":
            return b.op("Or" if title == "Add" else "And", [x, y])
        return b.op(title, [x, y])

    return translate


for title, names in {
    "Add": "add add_ iadd", "Sub": "sub sub_ subtract", "Mul": "mul mul_ multiply", "Equal": "eq", "Less": "lt less",
    "LessOrEqual": "le", "Greater": "gt greater", "GreaterOrEqual": "ge", "Max": "maximum", "Min": "minimum",
}.items():
    translates(*names.split())(binary(title))

translates("ne")(lambda b, x, y: b.op("Not", [b.op("Equal", b.common(x, y))]))
translates("rsub")(lambda b, x, y, alpha=1: TABLE["sub"](b, y, x, alpha=alpha))


@translates("div", "div_", "divide", "truediv", "true_divide")
def divide(b, x, y, rounding_mode=None):
    x, y = b.common(x, y)
    if rounding_mode is None:
        kind = b.result_dtype()
        return b.op("Div", [b.cast(x, kind), b.cast(y, kind)])
    quotient = b.op("Div", [x, y])
    if x.dtype.kind == "f":
        if rounding_mode == "trunc":
            raise Uncovered("division that truncates numbers of floating point")
        return b.op("Floor", [quotient])
    if rounding_mode == "floor" and x.dtype.kind == "i":
        remainder = b.op("Mod", [x, y])
        return b.op("Div", [b.op("Sub", [x, remainder]), y])
    return quotient


translates("floordiv", "floor_divide")(lambda b, x, y: divide(b, x, y, "floor"))


@translates("remainder", "mod")
def remainder(b, x, y):
    x, y = b.common(x, y)
    if x.dtype.kind == "f":
        return b.op("Sub", [x, b.op("Mul", [y, b.op("Floor", [b.op("Div", [x, y])])])])
    return b.op("Mod", [x, y])


@translates("pow", "pow_")
def power(b, x, y):
    x, y = b.common(x, y)
    return b.op("Pow", [x, y])


def logical(on_bools, on_integers):
    def translate(b, x, y):
        x, y = b.common(x, y)
        if x.dtype.kind == "b" or on_integers is None:
            return b.op(on_bools, [b.cast(x, np.bool_), b.cast(y, np.bool_)])
        return b.op(on_integers, [x, y])

    return translate


for name, title in {"and": "And", "or": "Or", "xor": "Xor"}.items():
    translates(f"{name}_", f"__{name}__", f"bitwise_{name}", name)(logical(title, f"Bitwise{title}"))
    translates(f"logical_{name}")(logical(title, None))


@translates("invert")
def invert(b, x):
    return b.op("Not" if x.dtype.kind == "b" else "BitwiseNot", [x])


@translates("clamp", "clip", "clamp_")
def clamp(b, x, min=None, max=None):
    for limit, title in ((min, "Max"), (max, "Min")):
        if isinstance(limit, Value):
            x, limit = b.common(x, limit)
            x = b.op(title, [x, limit])
    low, high = (None if n is None or isinstance(n, Value) else b.value(n, x.dtype) for n in (min, max))
    return x if low is None and high is None else b.op("Clip", [x, low, high])


translates("clamp_min", "clamp_min_")(lambda b, x, min: clamp(b, x, min))
translates("clamp_max", "clamp_max_")(lambda b, x, max: clamp(b, x, None, max))


@translates("where")
def where(b, condition, x, y):
    kind = b.result_dtype()
    return b.op("Where", [b.cast(condition, np.bool_), b.value(x, kind), b.value(y, kind)])


@translates("masked_fill", "masked_fill_")
def masked_fill(b, x, mask, value):
    return b.op("Where", [b.cast(mask, np.bool_), b.value(value, x.dtype), x])


@translates("lerp")
def lerp(b, start, end, weight):
    weight = b.value(weight, start.dtype)
    return b.op("Add", [start, b.op("Mul", [weight, b.op("Sub", [end, start])])])


@translates("addcmul")
def addcmul(b, x, y, z, value=1):
    product = b.op("Mul", [y, z])
    return b.op("Add", [x, product if value == 1 else b.op("Mul", [product, b.value(value, x.dtype)])])


@translates("prelu")
def prelu(b, x, weight):
    return b.op("PRelu", [x, b.reshape(weight, weight.shape + (1,) * max(0, len(x.shape) - 2))])


@translates("glu")
def glu(b, x, dim=-1):
    axis = axis_of(dim, len(x.shape))
    half = x.shape[axis] // 2
    return b.op("Mul", [b.slice(x, axis, 0, half), b.op("Sigmoid", [b.slice(x, axis, half, 2 * half)])])


@translates("to", "type", "type_as")
def to(b, x, *_, **__):
    return b.cast(x, b.result_dtype())


for name in ("float", "double", "half", "int", "long", "bool", "short"):
    translates(name)(lambda b, x: b.cast(x, b.result_dtype()))
