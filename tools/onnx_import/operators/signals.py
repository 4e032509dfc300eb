# SPDX-License-Identifier: BSL-1.0
"""Fourier transforms, as products with a constant."""
import numpy as np

from ..errors import Uncovered
from ..parameters import axis_of
from .registry import translates


def factors_of(length, entries, inverse, onesided):
    """[entries, parts of the operand, frequencies, parts of the result]: the parts are real and imaginary."""
    n, k = np.arange(entries)[:, None], np.arange(length // 2 + 1 if onesided else length)
    turns = np.exp((2j if inverse else -2j) * np.pi * n * k / length) * (n < length) / (length if inverse else 1)
    real, imaginary = turns.real, turns.imag
    return np.stack([np.stack([real, imaginary], -1), np.stack([-imaginary, real], -1)], 1)


@translates("DFT", uses="`einsum` with a constant", heavy=True)
def fourier(s):
    given = s.node.constant(2, "the axis")
    axis = axis_of(s.attribute("axis", 1) if given is None else int(given), s.rank)
    length = s.node.constant(1, "the length")
    extent, parts = s.shapes[0][axis], s.shapes[0][-1]
    factors = factors_of(extent if length is None else int(length), extent, s.attribute("inverse", 0), s.attribute("onesided", 0))
    name = s.constant("factors", factors[:, :parts].astype(s.dtype))
    before = "abcdefgh"[:s.rank]
    behind = before[:axis] + "y" + before[axis + 1:-1] + "z"
    return f'einsum<"{before},{before[axis]}{before[-1]}yz->{behind}">({s.x()}, {name})'


@translates("STFT", uses="`einsum` of `windows` with a constant", heavy=True)
def short_time_fourier(s):
    if s.rank == 3 and s.shapes[0][2] != 1:
        raise Uncovered("complex signals")
    step, length = int(s.node.constant(1, "the step")), s.node.constant(3, "the length")
    length = s.shapes[2][0] if length is None else int(length)
    x = s.reshape(s.shapes[0][:2], s.x(), s.shapes[0])
    frames = f"windows<1, {length}, {step}>({x})" + (f" * {s.x(2)}" if s.has(2) else "")
    name = s.constant("factors", factors_of(length, length, False, s.attribute("onesided", 1))[:, 0].astype(s.dtype))
    return f'einsum<"abc,cyz->abyz">({frames}, {name})'
