# SPDX-License-Identifier: BSL-1.0
"""Transforms of signals, window functions, determinants and samples of grids."""
import numpy as np

from ..parameters import axis_of
from .registry import evaluates


def window(node, size, terms):
    n = int(size)
    x = 2 * np.pi * np.arange(n) / (n if node.attribute("periodic", 1) else n - 1)
    return sum(c * np.cos(k * x) for k, c in enumerate(terms)).astype(node.attribute("output_dtype", np.float32))


evaluates("HannWindow")(lambda node, n: window(node, n, [0.5, -0.5]))
evaluates("HammingWindow")(lambda node, n: window(node, n, [25 / 46, -21 / 46]))
evaluates("BlackmanWindow")(lambda node, n: window(node, n, [0.42, -0.5, 0.08]))
evaluates("Det")(lambda node, x: np.asarray(np.linalg.det(x)).astype(x.dtype))


@evaluates("DFT")
def dft(node, x, length=None, axis=None):
    place = axis_of(node.attribute("axis", 1) if axis is None else int(axis), x.ndim)
    z = x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]
    n = int(length) if length is not None else z.shape[place]
    y = np.fft.ifft(z, n, place) if node.attribute("inverse", 0) else np.fft.fft(z, n, place)
    if node.attribute("onesided", 0):
        y = np.take(y, range(n // 2 + 1), place)
    return np.stack([y.real, y.imag], -1).astype(x.dtype)


@evaluates("STFT")
def stft(node, x, step, shape=None, length=None):
    n = int(length) if length is not None else shape.shape[0]
    factors = np.ones(n) if shape is None else shape
    count = (x.shape[1] - n) // int(step) + 1
    z = x[..., 0] if x.ndim == 3 else x
    frames = np.stack([z[:, i * int(step):i * int(step) + n] * factors for i in range(count)], 1)
    y = np.fft.fft(frames, axis=-1)
    if node.attribute("onesided", 1):
        y = y[..., :n // 2 + 1]
    return np.stack([y.real, y.imag], -1).astype(x.dtype)


@evaluates("MelWeightMatrix")
def mel_weights(node, bins, length, rate, low, high):
    bins, length, rate = int(bins), int(length), int(rate)
    spectrum = length // 2 + 1
    mel = 2595 * np.log10(1 + np.array([float(low), float(high)]) / 700)
    points = mel[0] + np.arange(bins + 2) * ((mel[1] - mel[0]) / (bins + 2))
    places = np.floor((length + 1) * (700 * (10 ** (points / 2595) - 1)) / rate).astype(int)
    y = np.zeros((spectrum, bins))
    for i in range(bins):
        first, middle, last = places[i:i + 3]
        if middle == first:
            y[middle, i] = 1
        else:
            y[first:middle + 1, i] = (np.arange(first, middle + 1) - first) / (middle - first)
        if last > middle:
            y[middle:last, i] = (last - np.arange(middle, last)) / (last - middle)
    return y.astype(node.attribute("output_dtype", np.float32))
