# SPDX-License-Identifier: BSL-1.0
"""Norms."""
import numpy as np

from ..errors import Uncovered
from ..parameters import axis_of
from .registry import template, translates


@translates("LayerNormalization", uses="`layer_norm`", heavy=True)
def layer_normalization(s):
    axis = axis_of(s.attribute("axis", -1), s.rank)
    lead, width = list(s.shapes[0][:axis]), int(np.prod(s.shapes[0][axis:]))
    flat = lead + [width]
    eps = s.literal(s.attribute("epsilon", 1e-5))
    scale = s.reshape([width], s.x(1), s.shapes[1])
    shift = s.reshape([width], s.x(2), s.shapes[2]) if s.has(2) else s.constant("shift", np.zeros(width, s.dtype))
    x = s.reshape(flat, s.memory(), s.shapes[0])
    result = s.reshape(s.out.shape, f"layer_norm({x}, {scale}, {shift}, {eps})", flat)
    axes = template(range(axis, s.rank))
    return [result, f"mean{axes}({s.x()}, keep_dims)", f"rsqrt(variance{axes}({s.x()}, keep_dims) + {eps})"]


@translates("RMSNormalization", "SimplifiedLayerNormalization", uses="`rms_norm`", heavy=True)
def rms_normalization(s):
    axis = axis_of(s.attribute("axis", -1), s.rank)
    flat = list(s.shapes[0][:axis]) + [int(np.prod(s.shapes[0][axis:]))]
    text = f"rms_norm({s.reshape(flat, s.x(), s.shapes[0])}, {s.reshape(flat[-1:], s.x(1), s.shapes[1])}, " \
           f"{s.literal(s.attribute('epsilon', 1e-5))})"
    return s.reshape(s.out.shape, text, flat)


@translates("com.microsoft.SkipLayerNormalization", uses="`layer_norm`", heavy=True)
def skip_layer_normalization(s):
    parts = [s.x(0), s.x(1)] + ([s.x(4)] if s.has(4) else [])
    total = s.buffer("total", " + ".join(parts), s.dtype, s.out.shape, s.out)
    shift = s.x(3) if s.has(3) else s.constant("shift", np.zeros(s.shapes[2], s.dtype))
    return [f"layer_norm({total}, {s.x(2)}, {shift}, {s.literal(s.attribute('epsilon', 1e-12))})", None, None, total]


@translates("com.microsoft.SkipSimplifiedLayerNormalization", uses="`rms_norm`", heavy=True)
def skip_rms_normalization(s):
    parts = [s.x(0), s.x(1)] + ([s.x(3)] if s.has(3) else [])
    total = s.buffer("total", " + ".join(parts), s.dtype, s.out.shape, s.out)
    return [f"rms_norm({total}, {s.x(2)}, {s.literal(s.attribute('epsilon', 1e-12))})", None, None, total]


@translates("BatchNormalization", uses="`*`, `+`, `rsqrt`")
def batch_normalization(s):
    if s.attribute("training_mode", 0):
        return batch_training(s)
    eps, shape = s.attribute("epsilon", 1e-5), [s.shapes[1][0]] + [1] * (0 if s.attribute("channels_last", 0) else s.rank - 2)
    parts = s.node.inputs[1:5]
    if all(v.constant for v in parts):
        scale, shift, mean, variance = (v.array.astype(np.float64) for v in parts)
        factor = scale / np.sqrt(variance + eps)
        factor_name = s.constant("scale", factor.astype(s.dtype).reshape(shape))
        return f"{s.x()} * {factor_name} + {s.constant('shift', (shift - mean * factor).astype(s.dtype).reshape(shape))}"
    scale, shift, mean, variance = (s.reshape(shape, s.x(i)) for i in range(1, 5))
    return f"({s.x()} - {mean}) * (rsqrt({variance} + {s.literal(eps)}) * {scale}) + {shift}"


def batch_training(s):
    """Means and variances of this batch, and their running averages."""
    shape, axes = [s.shapes[1][0]] + [1] * (s.rank - 2), template([0, *range(2, s.rank)])
    x, share = s.memory(), s.attribute("momentum", 0.9)
    mean = s.buffer("mean", f"mean{axes}({x})", s.dtype, s.shapes[1])
    variance = s.buffer("variance", f"variance{axes}({x})", s.dtype, s.shapes[1])
    parts = [s.reshape(shape, text) for text in (mean, variance, s.x(1), s.x(2))]
    y = f"({x} - {parts[0]}) * rsqrt({parts[1]} + {s.literal(s.attribute('epsilon', 1e-5))}) * {parts[2]} + {parts[3]}"
    return [y] + [f"{s.x(place)} * {s.literal(share)} + {text} * {s.literal(1 - share)}"
                  for place, text in ((3, mean), (4, variance))]


def normalised(x, axes, eps):
    return f"({x} - mean{axes}({x}, keep_dims)) * rsqrt(variance{axes}({x}, keep_dims) + {eps})"


def of_planes(s, groups, shape):
    flat = [s.shapes[0][0], groups, int(np.prod(s.shapes[0][1:])) // groups]
    text = normalised(s.reshape(flat, s.memory(), s.shapes[0]), "<2>", s.literal(s.attribute("epsilon", 1e-5)))
    return f"{s.reshape(s.out.shape, text, flat)} * {s.reshape(shape, s.x(1))} + {s.reshape(shape, s.x(2))}"


@translates("InstanceNormalization", uses="`mean`, `variance`, `rsqrt`", heavy=True)
def instance_normalization(s):
    return of_planes(s, s.shapes[0][1], [s.shapes[0][1]] + [1] * (s.rank - 2))


@translates("GroupNormalization", uses="`mean`, `variance`, `rsqrt`", heavy=True)
def group_normalization(s):
    groups = s.attribute("num_groups")
    if s.shapes[1][0] != s.shapes[0][1]:
        raise Uncovered("one scale for each group, as before operator set 21")
    return of_planes(s, groups, [s.shapes[0][1]] + [1] * (s.rank - 2))


@translates("MeanVarianceNormalization", uses="`mean`, `variance`, `sqrt`", heavy=True)
def mean_variance_normalization(s):
    axes = template(s.attribute("axes") or [0, 2, 3])
    x = s.memory()
    return f"({x} - mean{axes}({x}, keep_dims)) / (sqrt(variance{axes}({x}, keep_dims)) + {s.literal(1e-9)})"


@translates("LpNormalization", uses="`norm`, `sum`", heavy=True)
def lp_normalization(s):
    axis, x = axis_of(s.attribute("axis", -1), s.rank), s.memory()
    return f"{x} / norm<{axis}>({x}, keep_dims)" if s.attribute("p", 2) == 2 else f"{x} / sum<{axis}>(abs({x}), keep_dims)"


@translates("LRN", uses="`sum` of `windows`, `pow`", heavy=True)
def local_response(s):
    size, x = s.attribute("size"), s.memory()
    before = (size - 1) // 2
    sums = f"sum<2>(windows<1, {size}>(pad<1, {before}, {size - 1 - before}>({x} * {x})))"
    factor = s.attribute("alpha", 1e-4) / size
    base = f"{sums} * {s.literal(factor)} + {s.literal(s.attribute('bias', 1.0))}"
    return f"{x} / pow({base}, {s.literal(s.attribute('beta', 0.75))})"
