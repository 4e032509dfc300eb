# SPDX-License-Identifier: BSL-1.0
"""Elementwise operators."""
import numpy as np

from ..cpp import ctype
from ..errors import Uncovered
from .registry import translates

for title, function in {
    "Abs": "abs", "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sqrt": "sqrt", "Exp": "exp", "Log": "log", "Sin": "sin",
    "Cos": "cos", "Tanh": "tanh", "Erf": "erf", "Sigmoid": "sigmoid", "Softplus": "softplus", "HardSwish": "hard_swish",
    "Mish": "mish", "IsNaN": "isnan", "com.microsoft.FastGelu": "gelu_tanh",
}.items():
    translates(title, uses=f"`{function}`")(
        lambda s, function=function: f"{function}({s.x()} + {s.x(1)})" if s.has(1) else f"{function}({s.x()})")

for title in ("Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"):
    translates(title, uses=f"`map` of `std::{title.lower()}`")(
        lambda s, function=title.lower(): f"map([](real v) {{ return std::{function}(v); }}, {s.x()})".replace(
            "real", "double" if s.dtype == np.float64 else "float"))

for title, sign in {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "And": "&&", "Or": "||", "Xor": "!=", "Equal": "==", "Less": "<",
    "LessOrEqual": "<=", "Greater": ">", "GreaterOrEqual": ">=",
}.items():
    translates(title, uses=f"`{sign}`".replace("|", "\\|"))(lambda s, sign=sign: f"{s.number(0)} {sign} {s.number(1)}")

translates("Not", uses="`!`")(lambda s: f"!{s.x()}")
translates("Neg", uses="`-`")(lambda s: f"-{s.x()}")
translates("Identity", uses="the operand")(lambda s: s.x())
translates("Relu", uses="`relu`")(lambda s: f"relu({s.x()})" if s.dtype.kind == "f" else f"max({s.x()}, 0)")
translates("Reciprocal", uses="`/`")(lambda s: f"{s.literal(1)} / {s.x()}")
translates("Softsign", uses="`abs`, `/`")(lambda s: f"{s.memory()} / ({s.literal(1)} + abs({s.x()}))")
translates("Sign", uses="comparisons, `cast`")(
    lambda s: f"cast<{s.type}>({s.memory()} > {s.literal(0)})" + (
        "" if s.dtype.kind == "u" else f" - cast<{s.type}>({s.x()} < {s.literal(0)})"))
translates("LeakyRelu", uses="`leaky_relu`")(lambda s: f"leaky_relu({s.x()}, {s.literal(s.attribute('alpha', 0.01))})")
translates("ThresholdedRelu", uses="`where`")(
    lambda s: f"where({s.memory()} > {s.literal(s.attribute('alpha', 1.0))}, {s.x()}, {s.literal(0)})")
translates("Elu", uses="`elu`")(lambda s: f"elu({s.x()}, {s.literal(s.attribute('alpha', 1.0))})")
translates("Celu", uses="`elu`")(
    lambda s: "{1} * elu({0} / {1})".format(s.x(), s.literal(s.attribute("alpha", 1.0))))
translates("Selu", uses="`elu`")(
    lambda s: f"{s.literal(s.attribute('gamma', 1.0507010221481323))} * "
              f"elu({s.x()}, {s.literal(s.attribute('alpha', 1.6732631921768188))})")
translates("HardSigmoid", uses="`clamp`")(
    lambda s: f"clamp({s.x()} * {s.literal(s.attribute('alpha', 0.2))} + {s.literal(s.attribute('beta', 0.5))}, "
              f"{s.literal(0)}, {s.literal(1)})")
translates("com.microsoft.BiasGelu", uses="`gelu`")(lambda s: f"gelu({s.x()} + {s.x(1)})")
translates("com.microsoft.QuickGelu", uses="`sigmoid`")(
    lambda s: f"{s.memory()} * sigmoid({s.literal(s.attribute('alpha', 1.702))} * {s.x()})")
translates("Gelu", "com.microsoft.Gelu", uses="`gelu`, `gelu_tanh`")(
    lambda s: f"{'gelu_tanh' if s.attribute('approximate', 'none') == 'tanh' else 'gelu'}({s.x()})")


@translates("PRelu", uses="`leaky_relu`, `where`")
def prelu(s):
    if s.dtype.kind == "f":
        return f"leaky_relu({s.x()}, {s.number(1)})"
    return f"where({s.memory()} < 0, {s.x()} * {s.number(1)}, {s.x()})"


@translates("Pow", uses="`pow`, `*`, `sqrt`")
def power(s):
    exponent = s.node.inputs[1]
    if s.dtype.kind != "f":
        result = f"static_cast<{s.type}>(std::pow(double(v), double(w)))"
        function = f"[]({s.type} v, {ctype(exponent.dtype)} w) {{ return {result}; }}"
        return f"map({function}, {s.x()}, {s.x(1)})"
    if exponent.constant and exponent.array.size == 1 and s.out.shape == s.shapes[0]:
        number = float(exponent.array.reshape(-1)[0])
        if number == 2:
            return f"{s.memory()} * {s.x()}"
        if number == 0.5:
            return f"sqrt({s.x()})"
        return f"pow({s.x()}, {s.literal(number)})"
    return f"pow({s.x()}, {s.x(1)})" if exponent.dtype == s.dtype else f"pow({s.x()}, cast<{s.type}>({s.x(1)}))"


@translates("Mod", uses="`map`")
def modulo(s):
    if s.dtype.kind == "f":
        return f"map([]({element(s)} v, {element(s)} w) {{ return std::fmod(v, w); }}, {s.x()}, {s.x(1)})"
    if s.attribute("fmod", 0) or s.dtype.kind == "u":
        return f"map([]({s.type} v, {s.type} w) {{ return static_cast<{s.type}>(v % w); }}, {s.x()}, {s.x(1)})"
    return f"map([]({s.type} v, {s.type} w) {{ return static_cast<{s.type}>((v % w + w) % w); }}, {s.x()}, {s.x(1)})"


def element(s):
    return "double" if s.dtype == np.float64 else "float"


def bits(sign):
    return lambda s: (f"map([]({s.type} v, {s.type} w) {{ return static_cast<{s.type}>(v {sign} w); }}, {s.x()}, {s.x(1)})")


for title, sign in {"BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^"}.items():
    translates(title, uses="`map`")(bits(sign))
translates("BitShift", uses="`map`")(lambda s: bits("<<" if s.attribute("direction") == "LEFT" else ">>")(s))
translates("BitwiseNot", uses="`map`")(lambda s: f"map([]({s.type} v) {{ return static_cast<{s.type}>(~v); }}, {s.x()})")


def folded(s, join):
    text = s.number(0)
    for place in range(1, len(s.node.inputs)):
        text = join(text, s.number(place))
    return text


translates("Max", uses="`max`")(lambda s: folded(s, lambda a, b: f"max({a}, {b})"))
translates("Min", uses="`min`")(lambda s: folded(s, lambda a, b: f"min({a}, {b})"))
translates("Sum", uses="`+`")(lambda s: folded(s, lambda a, b: f"{a} + {b}"))


@translates("Mean", uses="`+`, `*`")
def mean(s):
    count = len(s.node.inputs)
    return s.x() if count == 1 else f"({folded(s, lambda a, b: f'{a} + {b}')}) / {s.literal(count)}"


@translates("Where", uses="`where`")
def where(s):
    return f"where({s.x(0)}, {s.number(1)}, {s.number(2)})" if not (
        s.node.inputs[1].constant and s.node.inputs[2].constant) else f"where({s.x(0)}, {s.x(1)}, {s.number(2)})"


@translates("Clip", uses="`clamp`, `max`, `min`")
def clip(s):
    bounds = [s.number(place) if s.has(place) else
              s.literal(s.attribute(name)) if s.attribute(name) is not None else None for place, name in ((1, "min"), (2, "max"))]
    if None not in bounds:
        if s.dtype.kind != "f":
            return f"min(max({s.x()}, {bounds[0]}), {bounds[1]})"
        return f"clamp({s.x()}, {bounds[0]}, {bounds[1]})"
    return f"max({s.x()}, {bounds[0]})" if bounds[0] else f"min({s.x()}, {bounds[1]})" if bounds[1] else s.x()


@translates("IsInf", uses="comparisons")
def is_inf(s):
    kind = s.node.inputs[0].dtype
    positive, negative = s.attribute("detect_positive", 1), s.attribute("detect_negative", 1)
    if positive and negative:
        return f"abs({s.x()}) == {s.literal(np.inf, kind)}"
    if not positive and not negative:
        raise Uncovered("it detects nothing")
    return f"{s.x()} == {s.literal(np.inf if positive else -np.inf, kind)}"


@translates("Shrink", uses="`where`")
def shrink(s):
    bias, limit = s.attribute("bias", 0.0), s.attribute("lambd", 0.5)
    return (f"where({s.memory()} < {s.literal(-limit)}, {s.x()} + {s.literal(bias)}, "
            f"where({s.x()} > {s.literal(limit)}, {s.x()} - {s.literal(bias)}, {s.literal(0)}))")


@translates("Cast", "CastLike", uses="`cast`, `!=`")
def cast(s):
    before, after = s.node.inputs[0].dtype, s.dtype
    if before == after or before == np.float16 and after == np.float32:
        return s.x()
    if after.kind == "b":
        return f"{s.x()} != {s.literal(0, before)}"
    return f"cast<{s.type}>({s.x()})"


@translates("Dropout", uses="the operand")
def dropout(s):
    if s.has(2) and s.node.constant(2, "whether this is training") and s.node.constant(1, "the ratio") != 0:
        raise Uncovered("random numbers are not supported")
    return [s.x(), f"full<bool, {', '.join(map(str, s.shapes[0]))}>(true)"]
