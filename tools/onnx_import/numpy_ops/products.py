# SPDX-License-Identifier: BSL-1.0
"""Products, convolutions and pools."""
import itertools

import numpy as np

from ..parameters import transposed_pads, windows_of
from .registry import evaluates, pad_array, planes_first

evaluates("Einsum")(lambda node, *x: np.asarray(np.einsum(node.attribute("equation").replace(" ", ""), *x)).astype(x[0].dtype))
evaluates("MatMul")(lambda node, x, y: np.asarray(node.multiply(x, y)))


@evaluates("Gemm")
def gemm(node, a, b, c=None):
    a = a.T if node.attribute("transA", 0) else a
    b = b.T if node.attribute("transB", 0) else b
    y = node.attribute("alpha", 1.0) * node.multiply(a, b)
    return (y if c is None else y + node.attribute("beta", 1.0) * c).astype(a.dtype)


@evaluates("com.microsoft.FusedMatMul")
def fused_matmul(node, a, b):
    a = np.swapaxes(a, -1, -2) if node.attribute("transA", 0) else a
    b = np.swapaxes(b, -1, -2) if node.attribute("transB", 0) else b
    return (node.attribute("alpha", 1.0) * node.multiply(a, b)).astype(a.dtype)


def taps(x, windows, value=0):
    """[batch, channels, ...] as a list of pairs: a tap of the kernel, and what it meets, [batch, channels, counts...]."""
    pads = [(0, 0), (0, 0)] + [(w.before, max(0, w.needed_behind(n))) for w, n in zip(windows, x.shape[2:])]
    y = pad_array(x, pads, value)
    for tap in itertools.product(*(range(w.kernel) for w in windows)):
        cut = tuple(slice(t * w.dilation, t * w.dilation + (w.count - 1) * w.stride + 1, w.stride)
                    for t, w in zip(tap, windows))
        yield tap, y[(slice(None), slice(None)) + cut]


def with_bias(y, bias, spatial):
    return y if bias is None else y + bias.reshape((-1,) + (1,) * spatial)


def rows_times_weights(node, x, w, windows, groups):
    """A convolution as a product of its windows, as rows of taps and channels, and a matrix."""
    met = np.stack([part for _, part in taps(x, windows)])  # [taps, batch, channels, counts...]
    parts = []
    for part, factors in zip(np.split(met, groups, 2), np.split(w, groups)):
        rows = np.moveaxis(part, (0, 2), (-2, -1))
        matrix = np.moveaxis(factors.reshape(*factors.shape[:2], -1), 0, -1).swapaxes(0, 1).reshape(-1, len(factors))
        parts.append(np.moveaxis(node.multiply(rows.reshape(*rows.shape[:-2], -1), matrix), -1, 1))
    return np.concatenate(parts, 1)


def convolution(node, x, w, bias=None):
    groups = node.attribute("group", 1)
    windows = windows_of(node, x.shape[2:], w.shape[2:])
    out = w.shape[0] // groups
    if node.product is not None:
        return with_bias(rows_times_weights(node, x, w, windows, groups), bias, len(windows))
    y = np.zeros((x.shape[0], w.shape[0]) + tuple(v.count for v in windows), x.dtype)
    for tap, met in taps(x, windows):
        factors = w[(slice(None), slice(None)) + tap]
        for g in range(groups):
            part = met[:, g * w.shape[1]:(g + 1) * w.shape[1]]
            y[:, g * out:(g + 1) * out] += np.moveaxis(np.tensordot(factors[g * out:(g + 1) * out], part, (1, 1)), 1, 0)
    return with_bias(y, bias, len(windows))


evaluates("Conv")(planes_first(convolution))


@evaluates("ConvTranspose")
def transposed_convolution(node, x, w, bias=None):
    groups, spatial = node.attribute("group", 1), x.shape[2:]
    strides, dilations, before, extents = transposed_pads(node, spatial, w.shape[2:])
    each = x.shape[1] // groups
    reach = [max(s * (n - 1) + (k - 1) * d + 1, b + e)
             for s, n, k, d, b, e in zip(strides, spatial, w.shape[2:], dilations, before, extents)]
    y = np.zeros((x.shape[0], w.shape[1] * groups) + tuple(reach), x.dtype)
    for tap in itertools.product(*map(range, w.shape[2:])):
        place = tuple(slice(t * d, t * d + s * (n - 1) + 1, s) for t, d, s, n in zip(tap, dilations, strides, spatial))
        for g in range(groups):
            factors = w[(slice(g * each, (g + 1) * each), slice(None)) + tap]
            part = np.moveaxis(np.tensordot(factors, x[:, g * each:(g + 1) * each], (0, 1)), 1, 0)
            y[(slice(None), slice(g * w.shape[1], (g + 1) * w.shape[1])) + place] += part
    y = y[(slice(None), slice(None)) + tuple(slice(b, b + e) for b, e in zip(before, extents))]
    return y if bias is None else y + bias.reshape((-1,) + (1,) * len(spatial))


def max_pool(node, x):
    windows = windows_of(node, x.shape[2:], node.attribute("kernel_shape"))
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    best, places = None, None
    numbers = np.arange(int(np.prod(x.shape[2:]))).reshape((1, 1) + x.shape[2:])
    if node.attribute("storage_order", 0):
        numbers = np.arange(numbers.size).reshape((1, 1) + x.shape[:1:-1]).transpose((0, 1) + tuple(range(x.ndim - 1, 1, -1)))
    for (_, met), (_, number) in zip(taps(x, windows, lowest), taps(numbers, windows, 0)):
        number = np.broadcast_to(number, met.shape)
        better = np.ones(met.shape, bool) if best is None else met > best
        best = met if best is None else np.where(better, met, best)
        places = number if places is None else np.where(better, number, places)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2] + (1,) * (x.ndim - 2)) * int(np.prod(x.shape[2:]))
    return best.astype(x.dtype), (places + planes).astype(np.int64)


evaluates("MaxPool")(planes_first(max_pool))


def average_pool(node, x):
    windows = windows_of(node, x.shape[2:], node.attribute("kernel_shape"))
    ones = np.ones((1, 1) + x.shape[2:], x.dtype)
    if node.attribute("count_include_pad", 0):
        ones = np.pad(ones, [(0, 0), (0, 0)] + [(w.before, w.behind) for w in windows], constant_values=1)
        inner = [type(w)(w.kernel, w.stride, w.dilation, 0, 0, w.count) for w in windows]
        counts = sum(met for _, met in taps(ones, inner))
    else:
        counts = sum(met for _, met in taps(ones, windows))
    return (sum(met for _, met in taps(x, windows)) / counts).astype(x.dtype)


evaluates("AveragePool")(planes_first(average_pool))


@evaluates("LpPool")
def lp_pool(node, x):
    p = node.attribute("p", 2)
    windows = windows_of(node, x.shape[2:], node.attribute("kernel_shape"))
    return (sum(np.abs(met) ** p for _, met in taps(x, windows)) ** (1 / p)).astype(x.dtype)


evaluates("GlobalAveragePool")(planes_first(lambda node, x: x.mean(tuple(range(2, x.ndim)), keepdims=True, dtype=x.dtype)))
evaluates("GlobalMaxPool")(planes_first(lambda node, x: x.max(tuple(range(2, x.ndim)), keepdims=True)))
evaluates("GlobalLpPool")(lambda node, x: ((np.abs(x) ** node.attribute("p", 2)).sum(tuple(range(2, x.ndim)), keepdims=True)
                                           ** (1 / node.attribute("p", 2))).astype(x.dtype))
