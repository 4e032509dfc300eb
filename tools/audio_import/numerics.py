# SPDX-License-Identifier: BSL-1.0
"""Layers as NumPy computes them for a whole signal, [samples, channels] of float64."""
from __future__ import annotations

import numpy as np


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * np.tanh(0.5 * x) + 0.5


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def fast_tanh(x: np.ndarray) -> np.ndarray:
    """The rational function that NeuralAmpModeler calls Fasttanh."""
    a, x2 = np.abs(x), x * x
    return (x * (2.45550750702956 + 2.45550750702956 * a + (0.893229853513558 + 0.821226666969744 * a) * x2) /
            (2.44506634652299 + (2.44506634652299 + x2) * np.abs(x + 0.814642734961073 * x * a)))


def conv(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, dilation: int, groups: int) -> np.ndarray:
    """A causal convolution, zeros before the signal; weight [out, in / groups, kernel], its last tap is the newest sample."""
    out, into, kernel = weight.shape
    y = np.zeros((len(x), out)) + (0 if bias is None else bias)
    for tap in range(kernel):
        late = (kernel - 1 - tap) * dilation
        if late >= len(x):
            continue
        for g in range(groups):
            part = weight[g * out // groups:(g + 1) * out // groups, :, tap]
            y[late:, g * out // groups:(g + 1) * out // groups] += x[:len(x) - late, g * into:(g + 1) * into] @ part.T
    return y


def lstm(x: np.ndarray, weight_ih: np.ndarray, weight_hh: np.ndarray, bias: np.ndarray, h: np.ndarray,
         c: np.ndarray) -> np.ndarray:
    """One layer that starts from h and c; gates i, f, g, o."""
    gates, y = x @ weight_ih.T + bias, np.empty((len(x), len(h)))
    for t, row in enumerate(gates):
        i, f, g, o = np.split(row + weight_hh @ h, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        y[t] = h
    return y


def gru(x: np.ndarray, weight_ih: np.ndarray, weight_hh: np.ndarray, bias_ih: np.ndarray, bias_hh: np.ndarray) -> np.ndarray:
    """One layer that starts from zeros; gates r, z, n in PyTorch's order."""
    h = np.zeros(weight_hh.shape[1])
    gates, y = x @ weight_ih.T + bias_ih, np.empty((len(x), len(h)))
    for t, row in enumerate(gates):
        r, z, n = np.split(row, 3)
        of_r, of_z, of_n = np.split(weight_hh @ h + bias_hh, 3)
        z = sigmoid(z + of_z)
        h = (1 - z) * np.tanh(n + sigmoid(r + of_r) * of_n) + z * h
        y[t] = h
    return y
