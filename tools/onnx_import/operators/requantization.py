# SPDX-License-Identifier: BSL-1.0
"""Operators of com.microsoft between integers that have a scale."""
from dataclasses import replace

import numpy as np

from ..parameters import axis_of
from .attention import of_projections
from .fused import channels_first, channels_last
from .pools import counts_of, pooled, spatial_axes
from .quantization import Rows, along, in_bytes, integer_convolution, integer_product, product_of, quantized, rescaled, rows_of
from .registry import TABLE, template, translates


def number(s, place, scale, zero):
    """The numbers that the integers of an operand stand for."""
    text = f"cast<float>({s.x(place)})"
    text = f"({text} - cast<float>({along(s, zero)}))" if s.has(zero) else text
    return f"{text} * {along(s, scale)}"


def integers(s, text, scale, zero):
    return quantized(s, f"({text}) / {along(s, scale)}", along(s, zero) if s.has(zero) else None)


for title, sign in {"QLinearAdd": "+", "QLinearMul": "*"}.items():
    translates(f"com.microsoft.{title}", uses=f"`cast`, `{sign}`, `round`, `clamp`")(
        lambda s, sign=sign: integers(s, f"({number(s, 0, 1, 2)}) {sign} ({number(s, 3, 4, 5)})", 6, 7))


def of_one(function):
    return lambda s: integers(s, function(s, number(s, 0, 1, 2)), 3, 4)


translates("com.microsoft.QLinearSigmoid", uses="`cast`, `sigmoid`, `round`, `clamp`")(of_one(lambda s, x: f"sigmoid({x})"))
translates("com.microsoft.QLinearLeakyRelu", uses="`cast`, `leaky_relu`, `round`, `clamp`")(
    of_one(lambda s, x: f"leaky_relu({x}, {s.literal(s.attribute('alpha', 0.01), np.float32)})"))
translates("com.microsoft.QLinearReduceMean", uses="`cast`, `mean`, `round`, `clamp`", heavy=True)(of_one(
    lambda s, x: f"mean{template(sorted(axis_of(a, s.rank) for a in s.attribute('axes')))}({x}"
                 f"{', keep_dims' if s.attribute('keepdims', 1) else ''})"))


@translates("com.microsoft.QLinearSoftmax", uses="`cast`, `softmax`, `round`, `clamp`", heavy=True)
def qlinear_softmax(s):
    axis, x = axis_of(s.attribute("axis", -1), s.rank), number(s, 0, 1, 2)
    if s.attribute("opset", 13) >= 13 or axis == s.rank - 1:
        return integers(s, f"softmax<{axis}>({x})", 3, 4)
    flat = [int(np.prod(s.shapes[0][:axis])), int(np.prod(s.shapes[0][axis:]))]
    return integers(s, s.reshape(s.out.shape, f"softmax<1>({s.reshape(flat, x)})", flat), 3, 4)


translates("com.microsoft.QLinearGlobalAveragePool", uses="`cast`, `mean`, `round`, `clamp`", heavy=True)(
    of_one(lambda s, x: f"mean{template(spatial_axes(s))}({x}, keep_dims)"))


def averages(s, x):
    text, windows = pooled(s, "sum", text=x, dtype=np.float32)
    counts = counts_of(s, windows, not s.attribute("count_include_pad", 0))
    if (counts == counts.flat[0]).all():
        return f"{text} / {s.literal(counts.flat[0], np.float32)}"
    return f"{text} / {s.constant('counts', counts.astype(np.float32))}"


translates("com.microsoft.QLinearAveragePool", uses="`cast`, `sum` of `windows`, `round`, `clamp`", heavy=True)(
    of_one(averages))


@translates("com.microsoft.QLinearConv", uses="`einsum` of `windows` of `cast`, `round`, `clamp`", heavy=True)
def quantized_convolution(s):
    if not s.attribute("channels_last", 0):
        return TABLE["QLinearConv"].translate(s)
    channels_first(s)
    sums = channels_last(integer_convolution(s, (0, 2), (3, 5)), s.rank)
    return rescaled(s, f"{sums} + {s.x(8)}" if s.has(8) else sums, s.rank - 1)


@translates("com.microsoft.QLinearConcat", uses="`cast`, `concat`, `round`, `clamp`")
def qlinear_concat(s):
    axis, text = axis_of(s.attribute("axis"), len(s.out.shape)), ""
    parts = [integers(s, number(s, i, i + 1, i + 2), 0, 1) for i in range(2, len(s.node.inputs), 3)]
    for first in range(0, len(parts), 7):
        text = f"concat<{axis}>({', '.join(([text] if text else []) + parts[first:first + 7])})"
    return text


@translates("com.microsoft.QLinearWhere", uses="`cast`, `where`, `round`, `clamp`")
def qlinear_where(s):
    return integers(s, f"where({s.x()}, {number(s, 1, 2, 3)}, {number(s, 4, 5, 6)})", 7, 8)


def in_floats(s, sums, scales, bias):
    """Sums of products of integers as floats; `scales` are places, of which one may have an entry a column."""
    rank = len(s.out.shape)
    factors = [along(s, place, rank, rank - 1) if isinstance(place, int) else place for place in scales]
    text = f"cast<float>({s.buffer('sums', sums, np.int32, s.out.shape)}) * ({' * '.join(factors)})"
    return f"{text} + {s.x(bias)}" if s.has(bias) else text


translates("com.microsoft.MatMulIntegerToFloat", uses="`matmul`, `quantized`, `*`", heavy=True)(
    lambda s: in_floats(s, integer_product(s, (0, 4), (1, 5)), (2, 3), 6))


@translates("com.microsoft.DynamicQuantizeMatMul", uses="`min`, `max`, `round`, `clamp`, `matmul`, `quantized`", heavy=True)
def dynamic_matmul(s):
    rows, scale, zero = in_bytes(s)
    rows = s.buffer("integers", rows, np.uint8, s.shapes[0])
    sums = product_of(s, Rows(rows, np.dtype(np.uint8), f"cast<std::int32_t>({zero})"), 0, (1, 3))
    return in_floats(s, sums, (scale, 2), 4)


@translates("com.microsoft.QGemm", uses="`matmul`, `quantized`, `round`, `clamp`", heavy=True)
def quantized_gemm(s):
    rows = rows_of(s, 0, 2)
    rows = replace(rows, text=f"transpose({rows.text})") if s.attribute("transA", 0) else rows
    sums = product_of(s, rows, 0, (3, 5), bool(s.attribute("transB", 0)))
    sums = s.buffer("sums", sums + (f" + {s.x(6)}" if s.has(6) else ""), np.int32, s.out.shape)
    alpha = f"{s.literal(s.attribute('alpha', 1.0), np.float32)} * " if s.attribute("alpha", 1.0) != 1 else ""
    text = f"cast<float>({sums}) * ({alpha}{along(s, 1, 2, 1)} * {along(s, 4, 2, 1)})"
    return integers(s, text, 7, 8) if s.has(7) else text


@translates("com.microsoft.QAttention", uses="`attention`, `matmul`, `quantized`", heavy=True)
def quantized_attention(s):
    batch, rows, _ = s.shapes[0]
    width = s.shapes[1][1]
    sums = s.buffer("sums", integer_product(s, (0, 6), (1, 7)), np.int32, (batch, rows, width))
    text = f"cast<float>({sums}) * ({along(s, 3, 3, 2)} * {along(s, 4, 3, 2)}) + {s.x(2)}"
    return of_projections(s, s.buffer("projections", text, s.dtype, (batch, rows, width)), [width // 3] * 3, 5, 9, 8)
