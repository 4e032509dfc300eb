# SPDX-License-Identifier: BSL-1.0
"""Between integers and floats with a scale, and products of such integers."""
from dataclasses import dataclass

import numpy as np

from ..errors import Uncovered
from ..parameters import windows_of
from .depthwise import is_depthwise, sum_of_taps
from .products import convolved, image_in_memory, padded
from .registry import template, translates

LARGEST_BYTE = 127  # of a matrix in 8 bits
MOST_IN_FLOAT = 2**24


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


@dataclass(frozen=True)
class Rows:
    """The left operand of a product: the text of its bytes, their type, and its zero point, a number or a text."""

    text: str
    dtype: np.dtype
    zero: object = 0

    def whole(self):
        text = f"cast<std::int32_t>({self.text})"
        return text if isinstance(self.zero, int) and self.zero == 0 else f"{text} - {self.zero}"


def rows_of(s, place, zero, axis=-2):
    value, rank = s.node.input(zero), len(s.shapes[place])
    if value is None:
        number = 0
    elif value.constant and value.array.size == 1:
        number = int(value.array.reshape(-1)[0])
    else:
        number = f"cast<std::int32_t>({along(s, zero, rank, axis % rank)})"
    return Rows(s.x(place), s.node.inputs[place].dtype, number)


def whole(s, place, zero, axis):
    """An operand of integers less its zero point; `axis` has one zero point for each entry."""
    return rows_of(s, place, zero, axis).whole()


def integer_product(s, left, right):
    """`left` and `right` are the places of a matrix and of its zero point."""
    return product_of(s, rows_of(s, *left), left[0], right)


def product_of(s, rows, place, right, transposed=False):
    """Sums of products as 32-bit integers: of bytes if the integers of the matrix at the right allow it. `place` is the left
    operand's."""
    try:
        matrix = byte_matrix(s, *right, transposed)
    except ValueError as reason:
        s.translation.wide_products.append((s.node, str(reason)))
        text = whole(s, *right, -2 if transposed else -1)
        return f"matmul({rows.whole()}, {f'transpose({text})' if transposed else text})"
    centre = 128 if rows.dtype == np.uint8 else 0
    bytes_of_rows = f"cast<float>({rows.text})" + (f" - {centre}.0f" if centre else "")
    text = f"cast<std::int32_t>(matmul({bytes_of_rows}, {matrix.name}))"
    if not isinstance(rows.zero, int):
        text += f" + ({centre} - {rows.zero}) * {s.constant('column_sums', matrix.sums)}"
    elif rows.zero != centre:
        text += f" + {s.constant('column_sums', (centre - rows.zero) * matrix.sums)}"
    if matrix.offsets.any():
        sums = s.buffer("row_sums", f"sum<-1>({rows.whole()}, keep_dims)", np.int32, (*s.out.shape[:-1], 1), s.node.inputs[place])
        text += f" + {sums} * {s.constant('offsets', matrix.offsets)}"
    return text


@dataclass(frozen=True)
class ByteMatrix:
    """A matrix of bytes in 8 bits: its name, the sums of its columns, and what was taken off the columns beyond their zero points."""

    name: str
    sums: np.ndarray
    offsets: np.ndarray


def byte_matrix(s, place, zero, transposed):
    """A constant matrix on the right for products of bytes. Raises ValueError with the reason if it cannot be one.

    Such matrices hold integers from -127 to 127: those less their zero points, or less the middle of their column. Sums pass
    through floats, which hold integers up to 2^24.
    """
    value, shift = s.node.inputs[place], s.node.input(zero)
    if not value.constant or value.family is not None or value.array.ndim != 2:
        raise ValueError("the matrix on the right is no constant one")
    if shift is not None and (not shift.constant or shift.family is not None):
        raise ValueError("the zero point of the matrix on the right is no constant")
    matrix = (value.array.T if transposed else value.array).astype(np.int32)
    zeros = np.broadcast_to(np.int32(0) if shift is None else shift.array.reshape(-1).astype(np.int32), matrix.shape[1:])
    low, high = matrix.min(0), matrix.max(0)
    if (high - low > 2 * LARGEST_BYTE).any():
        raise ValueError(f"a column has integers that are {(high - low).max()} apart, more than {2 * LARGEST_BYTE}")
    inside = (low - zeros >= -LARGEST_BYTE) & (high - zeros <= LARGEST_BYTE)
    taken = np.where(inside, zeros, (low + high + 1) // 2)
    matrix = matrix - taken
    most = int(np.abs(matrix).sum(0).max()) * (LARGEST_BYTE + 1)
    if most > MOST_IN_FLOAT:
        raise ValueError(f"sums reach {most}, more than 2^24")
    modules, key = s.translation.modules, ("bytes", id(value), transposed, matrix.tobytes())  # that other nodes may share
    if key not in modules:
        kind = f"quantized<unscaled<float>, {matrix.shape[0]}, {matrix.shape[1]}>"
        arrays = {"": matrix.astype(np.int8), "_scale": np.ones(matrix.shape[1], np.float32)}
        modules[key] = s.translation.add_member(value.name, kind, "self.{}", arrays)
    return ByteMatrix(modules[key], matrix.sum(0, dtype=np.int32), taken - zeros)


def depthwise_integers(s, left, right, windows):
    """Sums of a depthwise convolution of bytes. The padded image less its zero point is in memory in 16 bits."""
    channels, taps = s.shapes[right[0]][0], int(np.prod([w.kernel for w in windows]))
    kernels = s.buffer("kernels", f"transpose({s.reshape([channels, taps], whole(s, *right, 0))})", np.int32, (taps, channels))
    image, extents = image_in_memory(s, f"cast<std::int16_t>({whole(s, *left, 1)})", np.dtype(np.int16), windows, 2)
    return sum_of_taps(f"cast<std::int32_t>({image})", kernels, windows, extents, 2, channels)


def integer_convolution(s, left, right):
    image, weight = s.shapes[left[0]], s.shapes[right[0]]
    windows = windows_of(s.node, image[2:], weight[2:])
    if len(windows) > 3:
        raise Uncovered("more than three axes")
    if is_depthwise(s, windows, image[1], weight[0]):
        return depthwise_integers(s, left, right, windows)
    text = padded(whole(s, *left, 1), windows, image[2:], 2)
    return convolved(s, text, windows, s.attribute("group", 1), whole(s, *right, 0), weight, image)


translates("MatMulInteger", uses="`matmul`, `quantized`", heavy=True)(lambda s: integer_product(s, (0, 2), (1, 3)))
translates("ConvInteger", uses="`einsum` of `windows` of `cast`", heavy=True)(lambda s: integer_convolution(s, (0, 2), (1, 3)))


def rescaled(s, sums, axis):
    """Sums of products of integers, as integers of the scale of the result. Those of products are in memory before."""
    rank, values = len(s.out.shape), [s.node.inputs[place] for place in (1, 4, 6)]
    if all(v.constant and v.family is None and v.array.ndim < 2 for v in values):
        x, w, y = (v.array.reshape(-1) for v in values)
        factors = x * w / y
        scales = s.literal(factors[0], np.float32) if factors.size == 1 else s.reshape(
            [factors.size if i == axis else 1 for i in range(rank)], s.constant("scales", factors))
    else:
        scales = f"({along(s, 1, rank, axis)} * {along(s, 4, rank, axis)} / {along(s, 6, rank, axis)})"
    sums = s.buffer("sums", sums, np.int32, s.out.shape) if "matmul" in sums or "einsum" in sums else sums
    return quantized(s, f"cast<float>({sums}) * {scales}", along(s, 7, rank, axis))


translates("QLinearMatMul", uses="`matmul`, `quantized`, `round`, `clamp`", heavy=True)(
    lambda s: rescaled(s, integer_product(s, (0, 2), (3, 5)), len(s.out.shape) - 1))


@translates("QLinearConv", uses="`einsum` of `windows` of `cast`, `round`, `clamp`", heavy=True)
def quantized_convolution(s):
    sums = integer_convolution(s, (0, 2), (3, 5))
    bias = f" + {s.reshape([s.shapes[8][0]] + [1] * (s.rank - 2), s.x(8))}" if s.has(8) else ""
    return rescaled(s, sums + bias, 1)
