# SPDX-License-Identifier: BSL-1.0
"""Reductions, softmax and norms."""
import numpy as np

from ..parameters import axis_of, reduced_axes
from .registry import evaluates, planes_first


def reduction(function):
    def evaluate(node, x, axes=None):
        places = reduced_axes(node, x.ndim)
        if places is None:
            return x
        result = function(x, axis=tuple(places), keepdims=bool(node.attribute("keepdims", 1)))
        return np.asarray(result).astype(x.dtype)

    return evaluate


def log_sum_exp(x, **along):
    largest = np.max(x, axis=along["axis"], keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    return np.log(np.sum(np.exp(x - largest), **along)) + (largest if along["keepdims"] else np.squeeze(largest, along["axis"]))


for title, function in {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod,
    "ReduceL1": lambda x, **along: np.sum(np.abs(x), **along),
    "ReduceL2": lambda x, **along: np.sqrt(np.sum(np.square(x), **along)),
    "ReduceSumSquare": lambda x, **along: np.sum(np.square(x), **along),
    "ReduceLogSum": lambda x, **along: np.log(np.sum(x, **along)), "ReduceLogSumExp": log_sum_exp,
}.items():
    evaluates(title)(reduction(function))


def arg_extreme(node, x, function):
    axis, keep = axis_of(node.attribute("axis", 0), x.ndim), node.attribute("keepdims", 1)
    if node.attribute("select_last_index", 0):
        found = x.shape[axis] - 1 - function(np.flip(x, axis), axis)
    else:
        found = function(x, axis)
    return (np.expand_dims(found, axis) if keep else found).astype(np.int64)


evaluates("ArgMax")(lambda node, x: arg_extreme(node, x, np.argmax))
evaluates("ArgMin")(lambda node, x: arg_extreme(node, x, np.argmin))


def softmax_along(x, axes):
    largest = np.max(x, axis=axes, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    total = np.sum(e, axis=axes, keepdims=True)
    return (e / np.where(total == 0, 1, total)).astype(x.dtype)


def log_softmax_along(x, axes):
    shifted = x - np.max(x, axis=axes, keepdims=True)
    return (shifted - np.log(np.sum(np.exp(shifted), axis=axes, keepdims=True))).astype(x.dtype)


def row_axes(node, x):
    """The axes of a row of Softmax and its kin: one since operator set 13, all from `axis` on before."""
    if node.opset >= 13:
        return (axis_of(node.attribute("axis", -1), x.ndim),)
    return tuple(range(axis_of(node.attribute("axis", 1), x.ndim), x.ndim))


@evaluates("Softmax")
def softmax(node, x):
    return softmax_along(x, row_axes(node, x))


@evaluates("LogSoftmax")
def log_softmax(node, x):
    return log_softmax_along(x, row_axes(node, x))


@evaluates("Hardmax")
def hardmax(node, x):
    axes = row_axes(node, x)
    flat = x.reshape(x.shape[:axes[0]] + (-1,)) if len(axes) > 1 else np.moveaxis(x, axes[0], -1)
    hot = (np.arange(flat.shape[-1]) == np.argmax(flat, -1)[..., None]).astype(x.dtype)
    return hot.reshape(x.shape) if len(axes) > 1 else np.moveaxis(hot, -1, axes[0])


@evaluates("CumSum")
def cumsum(node, x, axis):
    place = axis_of(int(axis), x.ndim)
    y = np.flip(x, place) if node.attribute("reverse", 0) else x
    sums = np.cumsum(y, place, dtype=x.dtype)
    if node.attribute("exclusive", 0):
        sums = np.concatenate([np.zeros_like(np.take(sums, [0], place)),
                               np.take(sums, range(x.shape[place] - 1), place)], place)
    return np.flip(sums, place) if node.attribute("reverse", 0) else sums


@evaluates("TopK")
def top_k(node, x, count=None):
    count = int(node.integers(1, "k")[0])
    axis = axis_of(node.attribute("axis", -1), x.ndim)
    order = np.argsort(-x if node.attribute("largest", 1) else x, axis, kind="stable")
    order = np.take(order, range(count), axis)
    return np.take_along_axis(x, order, axis), order.astype(np.int64)


@evaluates("LayerNormalization", "SimplifiedLayerNormalization")
def layer_normalization(node, x, scale, bias=None):
    axes = tuple(range(axis_of(node.attribute("axis", -1), x.ndim), x.ndim))
    wide = x.astype(np.float64)
    mean = 0 if node.op.startswith("Simplified") else wide.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt(((wide - mean) ** 2).mean(axes, keepdims=True) + node.attribute("epsilon", 1e-5))
    y = (wide - mean) * inverse * scale + (0 if bias is None else bias)
    return y.astype(x.dtype), np.broadcast_to(mean, inverse.shape).astype(x.dtype), inverse.astype(x.dtype)


@evaluates("RMSNormalization")
def rms_normalization(node, x, scale):
    axes = tuple(range(axis_of(node.attribute("axis", -1), x.ndim), x.ndim))
    wide = x.astype(np.float64)
    return (wide / np.sqrt((wide**2).mean(axes, keepdims=True) + node.attribute("epsilon", 1e-5)) * scale).astype(x.dtype)


def by_channel(vector, rank):
    return vector.reshape((-1,) + (1,) * (rank - 2))


@evaluates("BatchNormalization")
@planes_first
def batch_normalization(node, x, scale, bias, mean, variance):
    share, running = node.attribute("momentum", 0.9), ()
    if node.attribute("training_mode", 0):
        axes = (0, *range(2, x.ndim))
        batch = x.mean(axes), x.var(axes)
        running = tuple((old * share + new * (1 - share)).astype(old.dtype) for old, new in zip((mean, variance), batch))
        mean, variance = batch
    factor = scale.astype(np.float64) / np.sqrt(variance.astype(np.float64) + node.attribute("epsilon", 1e-5))
    y = by_channel(factor, x.ndim) * (x - by_channel(mean, x.ndim)) + by_channel(bias, x.ndim)
    return (y.astype(x.dtype), *running)


@evaluates("InstanceNormalization")
def instance_normalization(node, x, scale, bias):
    axes, wide = tuple(range(2, x.ndim)), x.astype(np.float64)
    y = (wide - wide.mean(axes, keepdims=True)) / np.sqrt(wide.var(axes, keepdims=True) + node.attribute("epsilon", 1e-5))
    return (y * by_channel(scale, x.ndim) + by_channel(bias, x.ndim)).astype(x.dtype)


@evaluates("GroupNormalization")
def group_normalization(node, x, scale, bias):
    groups = node.attribute("num_groups")
    wide = x.astype(np.float64).reshape(x.shape[0], groups, -1)
    y = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + node.attribute("epsilon", 1e-5))
    if scale.size == groups != x.shape[1]:
        scale, bias = np.repeat(scale, x.shape[1] // groups), np.repeat(bias, x.shape[1] // groups)
    return (y.reshape(x.shape) * by_channel(scale, x.ndim) + by_channel(bias, x.ndim)).astype(x.dtype)


@evaluates("MeanVarianceNormalization")
def mean_variance_normalization(node, x):
    axes = tuple(node.attribute("axes") or (0, 2, 3))
    wide = x.astype(np.float64)
    deviation = np.sqrt((wide**2).mean(axes, keepdims=True) - wide.mean(axes, keepdims=True) ** 2)
    return ((wide - wide.mean(axes, keepdims=True)) / (deviation + 1e-9)).astype(x.dtype)


@evaluates("LpNormalization")
def lp_normalization(node, x):
    axis = node.attribute("axis", -1)
    norm = np.linalg.norm(x, node.attribute("p", 2), axis, keepdims=True)
    return (x / np.where(norm == 0, 1, norm)).astype(x.dtype)


@evaluates("LRN")
def local_response(node, x):
    size = node.attribute("size")
    before = (size - 1) // 2
    squares = np.pad(np.square(x), [(0, 0), (before, size - 1 - before)] + [(0, 0)] * (x.ndim - 2))
    sums = sum(squares[:, i:i + x.shape[1]] for i in range(size))
    base = node.attribute("bias", 1.0) + node.attribute("alpha", 1e-4) / size * sums
    return (x / base ** node.attribute("beta", 0.75)).astype(x.dtype)


@evaluates("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_layer_normalization(node, x, skip, gamma, beta=None, bias=None):
    simplified = "Simplified" in node.op
    if simplified:
        beta, bias = None, beta
    total = (x + skip if bias is None else x + skip + bias).astype(np.float64)
    mean = 0 if simplified else total.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(((total - mean) ** 2).mean(-1, keepdims=True) + node.attribute("epsilon", 1e-12))
    y = (total - mean) * inverse * gamma + (0 if beta is None else beta)
    return y.astype(x.dtype), np.asarray(mean, x.dtype), inverse.astype(x.dtype), total.astype(x.dtype)
