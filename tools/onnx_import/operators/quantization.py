# SPDX-License-Identifier: BSL-1.0
"""Between integers and floats with a scale, and products of such integers."""
import numpy as np

from ..errors import Uncovered
from ..parameters import windows_of
from .products import convolved, padded
from .registry import template, translates


def along(s, place, rank=None, axis=None):
    """A scale or zero point: one number, or one for each entry of an axis."""
    shape = s.shapes[place]
    if int(np.prod(shape)) == 1:
        return s.reshape([], s.x(place), shape)
    if len(shape) > 1:
        raise Uncovered("scales of blocks")
    rank, axis = (s.rank, s.attribute("axis", 1) % s.rank) if rank is None else (rank, axis)
    return s.reshape([shape[0] if i == axis else 1 for i in range(rank)], s.x(place), shape)


@translates("DequantizeLinear", "com.microsoft.DequantizeLinear", uses="`cast`, `*`")
def dequantize(s):
    text = f"cast<float>({s.x()})"
    return f"({text} - cast<float>({along(s, 2)})) * {along(s, 1)}" if s.has(2) else f"{text} * {along(s, 1)}"


def quantized(s, text, zero=None, dtype=None):
    """Rounded and limited to what the element type holds."""
    limits = np.iinfo(dtype or s.dtype)
    text = f"round({text})" + (f" + cast<float>({zero})" if zero else "")
    return f"cast<{s.ctype(limits.dtype)}>(clamp({text}, {float(limits.min)}f, {float(limits.max)}f))"


@translates("QuantizeLinear", "com.microsoft.QuantizeLinear", uses="`round`, `clamp`, `cast`")
def quantize(s):
    return quantized(s, f"{s.x()} / {along(s, 1)}", along(s, 2) if s.has(2) else None)


def in_bytes(s):
    """The first operand as bytes without a sign, as far as its numbers reach: the bytes, and scale and zero point in memory."""
    axes, x = template(range(s.rank)), s.memory()
    low = s.buffer("low", f"min(min{axes}({x}), 0.0f)", np.float32, ())
    high = s.buffer("high", f"max(max{axes}({x}), 0.0f)", np.float32, ())
    scale = s.buffer("scale", f"where({high} == {low}, 1.0f, ({high} - {low}) / 255.0f)", np.float32, ())
    zero = s.buffer("zero", quantized(s, f"-{low} / {scale}", dtype=np.uint8), np.uint8, ())
    return [quantized(s, f"{x} / {scale}", zero, np.uint8), scale, zero]


translates("DynamicQuantizeLinear", uses="`min`, `max`, `round`, `clamp`, `cast`", heavy=True)(in_bytes)


def whole(s, place, zero, axis):
    """An operand of integers less its zero point; `axis` has one zero point for each entry."""
    text, shape = f"cast<std::int32_t>({s.x(place)})", s.shapes[place]
    return f"{text} - cast<std::int32_t>({along(s, zero, len(shape), axis % len(shape))})" if s.has(zero) else text


def integer_product(s, left, right):
    """`left` and `right` are the places of a matrix and of its zero point."""
    return f"matmul({whole(s, *left, -2)}, {whole(s, *right, -1)})"


def integer_convolution(s, left, right):
    image, weight = s.shapes[left[0]], s.shapes[right[0]]
    windows = windows_of(s.node, image[2:], weight[2:])
    if len(windows) > 3:
        raise Uncovered("more than three axes")
    text = padded(whole(s, *left, 1), windows, image[2:], 2)
    return convolved(s, text, windows, s.attribute("group", 1), whole(s, *right, 0), weight, image)


translates("MatMulInteger", uses="`matmul` of `cast`", heavy=True)(lambda s: integer_product(s, (0, 2), (1, 3)))
translates("ConvInteger", uses="`einsum` of `windows` of `cast`", heavy=True)(lambda s: integer_convolution(s, (0, 2), (1, 3)))


def rescaled(s, sums, axis):
    """Sums of products of integers, as integers of the scale of the result."""
    rank = len(s.out.shape)
    scales = f"({along(s, 1, rank, axis)} * {along(s, 4, rank, axis)} / {along(s, 6, rank, axis)})"
    sums = s.buffer("sums", sums, np.int32, s.out.shape)
    return quantized(s, f"cast<float>({sums}) * {scales}", along(s, 7, rank, axis))


translates("QLinearMatMul", uses="`matmul` of `cast`, `round`, `clamp`", heavy=True)(
    lambda s: rescaled(s, integer_product(s, (0, 2), (3, 5)), len(s.out.shape) - 1))


@translates("QLinearConv", uses="`einsum` of `windows` of `cast`, `round`, `clamp`", heavy=True)
def quantized_convolution(s):
    sums = integer_convolution(s, (0, 2), (3, 5))
    bias = f" + {s.reshape([s.shapes[8][0]] + [1] * (s.rank - 2), s.x(8))}" if s.has(8) else ""
    return rescaled(s, sums + bias, 1)
