# SPDX-License-Identifier: BSL-1.0
"""The element types of GGUF, and the values of their blocks. Source: the dequantize_row functions of ggml-quants.c.

A reader takes blocks [n, bytes of a block] of uint8 and returns their elements [n, elements of a block] in float.
Scales are multiplied in float in the order of ggml, so that the values have the bits that ggml computes with.
"""
import dataclasses
from collections.abc import Callable

import numpy as np


def half(blocks, at):
    """Numbers of 16 bits in the middle of blocks, [n, 1]."""
    return np.ascontiguousarray(blocks[:, at:at + 2]).view("<f2").astype(np.float32)


def bits(array, shifts, width):
    """Fields of `width` bits, [n, shifts, bytes]: the fields of one shift follow each other."""
    return (array[:, None, :] >> np.array(shifts, np.uint8)[:, None]) & np.uint8((1 << width) - 1)


def nibbles(array):
    """The low halves of all bytes, then the high halves, [n, 2 * bytes]."""
    return bits(array, (0, 4), 4).reshape(len(array), -1)


def fifth_bits(array):
    """Bit i of a block's 32 bits is bit 4 of its element i."""
    return np.unpackbits(array, axis=1, bitorder="little") << 4


def q4_0(b):
    return (nibbles(b[:, 2:]).astype(np.float32) - 8) * half(b, 0)


def q4_1(b):
    return nibbles(b[:, 4:]).astype(np.float32) * half(b, 0) + half(b, 2)


def q5_0(b):
    return ((nibbles(b[:, 6:]) | fifth_bits(b[:, 2:6])).astype(np.float32) - 16) * half(b, 0)


def q5_1(b):
    return (nibbles(b[:, 8:]) | fifth_bits(b[:, 4:8])).astype(np.float32) * half(b, 0) + half(b, 2)


def q8_0(b):
    return np.ascontiguousarray(b[:, 2:]).view(np.int8).astype(np.float32) * half(b, 0)


def grouped(elements, scales, mins=None):
    """Elements [n, 256] times scales [n, groups], minus mins [n, groups]."""
    groups = elements.reshape(*scales.shape, -1).astype(np.float32) * scales[..., None]
    if mins is not None:
        groups -= mins[..., None]
    return groups.reshape(len(elements), -1)


def by_halves(array, shifts, width):
    """Fields of two halves of 32 bytes: all fields of the first half come first, [n, 2 * shifts * 32]."""
    return bits(array.reshape(-1, 32), shifts, width).reshape(len(array), -1)


def q2_k(b):
    scales = b[:, :16]
    return grouped(by_halves(b[:, 16:80], (0, 2, 4, 6), 2), half(b, 80) * (scales & 15), half(b, 82) * (scales >> 4))


def q3_k(b):
    # hmask has the third bits: bit i of byte l belongs to element 32 i + l. A cleared bit subtracts 4.
    low = by_halves(b[:, 32:96], (0, 2, 4, 6), 2).astype(np.int8)
    elements = low - 4 + 4 * bits(b[:, :32], range(8), 1).reshape(len(b), -1).astype(np.int8)
    scales = (nibbles(b[:, 96:104]) | bits(b[:, 104:108], (0, 2, 4, 6), 2).reshape(len(b), -1) << 4).astype(np.float32) - 32
    return grouped(elements, half(b, 108) * scales)


def scales_and_mins(b):
    """Eight scales and eight mins of 6 bits each, in 12 bytes after the two numbers of 16 bits."""
    low, middle, high = b[:, 4:8], b[:, 8:12], b[:, 12:16]
    scales = np.hstack([low & 63, high & 15 | low >> 6 << 4])
    mins = np.hstack([middle & 63, high >> 4 | middle >> 6 << 4])
    return half(b, 0) * scales, half(b, 2) * mins


def q4_k(b):
    return grouped(by_halves(b[:, 16:144], (0, 4), 4), *scales_and_mins(b))


def q5_k(b):
    fifth = bits(b[:, 16:48], range(8), 1).reshape(len(b), -1) << 4
    return grouped(by_halves(b[:, 48:176], (0, 4), 4) | fifth, *scales_and_mins(b))


def q6_k(b):
    low = bits(b[:, :128].reshape(-1, 64), (0, 4), 4).reshape(len(b), -1)
    high = by_halves(b[:, 128:192], (0, 2, 4, 6), 2) << 4
    scales = half(b, 208) * np.ascontiguousarray(b[:, 192:208]).view(np.int8)
    return grouped((low | high).astype(np.int8) - 32, scales)


@dataclasses.dataclass(frozen=True)
class ElementType:
    """`stored` is the dtype and the name in safetensors of types whose elements are written as they are."""
    name: str
    count: int  # elements of a block
    bytes: int  # of a block
    read: Callable = None
    stored: tuple = None


def plain(name, dtype, in_safetensors=None):
    return ElementType(name, 1, np.dtype(dtype).itemsize, stored=(np.dtype(dtype), in_safetensors or name))


TYPES = {
    0: plain("F32", "<f4"), 1: plain("F16", "<f2"), 28: plain("F64", "<f8"), 30: plain("BF16", "<u2"),
    24: plain("I8", "i1"), 25: plain("I16", "<i2"), 26: plain("I32", "<i4"), 27: plain("I64", "<i8"),
    2: ElementType("Q4_0", 32, 18, q4_0), 3: ElementType("Q4_1", 32, 20, q4_1),
    6: ElementType("Q5_0", 32, 22, q5_0), 7: ElementType("Q5_1", 32, 24, q5_1), 8: ElementType("Q8_0", 32, 34, q8_0),
    10: ElementType("Q2_K", 256, 84, q2_k), 11: ElementType("Q3_K", 256, 110, q3_k), 12: ElementType("Q4_K", 256, 144, q4_k),
    13: ElementType("Q5_K", 256, 176, q5_k), 14: ElementType("Q6_K", 256, 210, q6_k),
    # Types that are listed, but not read.
    9: ElementType("Q8_1", 32, 36), 15: ElementType("Q8_K", 256, 292), 16: ElementType("IQ2_XXS", 256, 66),
    17: ElementType("IQ2_XS", 256, 74), 18: ElementType("IQ3_XXS", 256, 98), 19: ElementType("IQ1_S", 256, 50),
    20: ElementType("IQ4_NL", 32, 18), 21: ElementType("IQ3_S", 256, 110), 22: ElementType("IQ2_S", 256, 82),
    23: ElementType("IQ4_XS", 256, 136), 29: ElementType("IQ1_M", 256, 56), 34: ElementType("TQ1_0", 256, 54),
    35: ElementType("TQ2_0", 256, 66), 39: ElementType("MXFP4", 32, 17), 40: ElementType("NVFP4", 64, 36),
}

CHUNK = 1 << 15  # blocks at a time, which bounds the memory for what is computed between


def values_of(tensor):
    """A tensor's array, and the name of its type in safetensors; None for types that are not read."""
    of = TYPES[tensor.type]
    if of.stored:
        return tensor.data.view(of.stored[0]).reshape(tensor.shape), of.stored[1]
    if of.read is None:
        return None, None
    blocks = tensor.data.reshape(-1, of.bytes)
    values = np.empty((len(blocks), of.count), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        for first in range(0, len(blocks), CHUNK):
            values[first:first + CHUNK] = of.read(np.asarray(blocks[first:first + CHUNK]))
    return values.reshape(tensor.shape), "F32"
