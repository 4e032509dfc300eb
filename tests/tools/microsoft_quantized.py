# SPDX-License-Identifier: BSL-1.0
"""Models of one fused or quantized operator of com.microsoft, with references that follow the definitions entry by entry."""
import math

import numpy as np
from microsoft_cases import Case, attention


def real(x, scale, zero=None):
    return (x.astype(np.float64) - (0 if zero is None else float(zero))) * float(scale)


def to_integers(y, scale, zero, dtype):
    limits = np.iinfo(dtype)
    return np.clip(np.rint(np.asarray(y) / float(scale)) + (0 if zero is None else float(zero)), limits.min,
                   limits.max).astype(dtype)


def pairwise(function):
    return lambda a, sa, za, b, sb, zb, sy, zy=None: to_integers(function(real(a, sa, za), real(b, sb, zb)), sy, zy, a.dtype)


def each(function):
    def reference(x, sx, zx, sy, zy=None, **options):
        y = np.zeros(x.shape)
        for place in np.ndindex(x.shape):
            y[place] = function(float(real(x[place], sx, zx)), **options)
        return to_integers(y, sy, zy, x.dtype)

    return reference


def quantized_softmax(x, sx, zx, sy, zy, axis, opset):
    y = np.zeros(x.shape)
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1) if opset < 13 else x.reshape(-1, x.shape[-1])
    e = np.exp(real(rows, sx, zx))
    y = (e / e.sum(1, keepdims=True)).reshape(x.shape)
    return to_integers(y, sy, zy, x.dtype)


def mean_of(x, sx, zx, sy, zy, axes, keepdims):
    return to_integers(real(x, sx, zx).mean(tuple(axes), keepdims=bool(keepdims)), sy, zy, x.dtype)


def global_mean(x, sx, zx, sy, zy, channels_last=0):
    return mean_of(x, sx, zx, sy, zy, range(1, x.ndim - 1) if channels_last else range(2, x.ndim), 1)


def average(x, sx, zx, sy, zy, kernel_shape, pads, strides, channels_last=0, count_include_pad=0):
    planes = np.moveaxis(real(x, sx, zx), -1, 1) if channels_last else real(x, sx, zx)
    high, wide = planes.shape[2:]
    counts = [(n + pads[i] + pads[i + 2] - kernel_shape[i]) // strides[i] + 1 for i, n in enumerate((high, wide))]
    y = np.zeros(planes.shape[:2] + tuple(counts))
    for n, c, i, j in np.ndindex(y.shape):
        inside = [planes[n, c, a, b] for a in range(i * strides[0] - pads[0], i * strides[0] - pads[0] + kernel_shape[0])
                  for b in range(j * strides[1] - pads[1], j * strides[1] - pads[1] + kernel_shape[1])
                  if 0 <= a < high and 0 <= b < wide]
        y[n, c, i, j] = sum(inside) / (np.prod(kernel_shape) if count_include_pad else len(inside))
    return to_integers(np.moveaxis(y, 1, -1) if channels_last else y, sy, zy, x.dtype)


def joined(sy, zy, *parts, axis):
    numbers = [real(*parts[i:i + 3]) for i in range(0, len(parts), 3)]
    return to_integers(np.concatenate(numbers, axis), sy, zy, zy.dtype)


def chosen(condition, x, sx, zx, y, sy, zy, sz, zz):
    return to_integers(np.where(condition, real(x, sx, zx), real(y, sy, zy)), sz, zz, x.dtype)


def columns(b, scale, zero):
    """A matrix of integers with a scale and zero point for each column or for all."""
    y = np.zeros(b.shape)
    for i, j in np.ndindex(b.shape):
        s = scale.reshape(-1)[j % scale.size]
        y[i, j] = (float(b[i, j]) - (0 if zero is None else float(zero.reshape(-1)[j % zero.size]))) * float(s)
    return y


def integer_to_float(a, b, sa, sb, za=None, zb=None, bias=None):
    y = real(a, sa, za) @ columns(b, sb, zb)
    return (y if bias is None else y + bias).astype(np.float32)


def dynamic(a, b, sb, zb=None, bias=None):
    low, high = min(0.0, float(a.min())), max(0.0, float(a.max()))
    scale = np.float32((high - low) / 255)
    zero = np.uint8(np.rint(-low / scale))
    return integer_to_float(to_integers(a, scale, zero, np.uint8), b, scale, sb, zero, zb, bias)


def quantized_gemm(a, sa, za, b, sb, zb, c=None, sy=None, zy=None, alpha=1.0, transA=0, transB=0):
    y = real(a.T if transA else a, sa, za) @ columns(b.T if transB else b, sb, zb)
    if c is not None:
        y = y + c * (float(sa) * sb.astype(np.float64))
    y = alpha * y
    return y.astype(np.float32) if sy is None else to_integers(y, sy, zy, zy.dtype)


def quantized_attention(x, w, bias, sx, sw, mask=None, zx=None, zw=None, past=None, **options):
    return attention(real(x, sx, zx), columns(w, sw, zw), bias, mask, past, **options)


def convolved(x, w, bias, pads, strides, groups=1):
    """A convolution [batch, channels, height, width], sum by sum."""
    counts = [(x.shape[2 + i] + pads[i] + pads[i + 2] - w.shape[2 + i]) // strides[i] + 1 for i in range(2)]
    y, each_in, each_out = np.zeros((x.shape[0], w.shape[0], *counts)), w.shape[1], w.shape[0] // groups
    for n, o, i, j in np.ndindex(y.shape):
        for c, a, b in np.ndindex(w.shape[1:]):
            row, column = i * strides[0] - pads[0] + a, j * strides[1] - pads[1] + b
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                y[n, o, i, j] += float(w[o, c, a, b]) * float(x[n, o // each_out * each_in + c, row, column])
        y[n, o, i, j] += 0 if bias is None else float(bias[o])
    return y


def act(y, activation="", activation_params=(), activation_alpha=None, activation_beta=None):
    numbers = list(activation_params) or [x for x in (activation_alpha, activation_beta) if x is not None]
    function = {"": lambda v: v, "Relu": lambda v: max(v, 0.0), "Tanh": math.tanh,
                "Sigmoid": lambda v: 1 / (1 + math.exp(-v)), "LeakyRelu": lambda v: v if v >= 0 else numbers[0] * v,
                "Clip": lambda v: min(max(v, numbers[0]), numbers[1]),
                "HardSigmoid": lambda v: min(max(numbers[0] * v + numbers[1], 0.0), 1.0)}[activation]
    return np.vectorize(function)(y).astype(np.float32)


def fused_convolution(x, w, bias=None, z=None, pads=(0, 0, 0, 0), strides=(1, 1), group=1, **activation):
    y = convolved(x, w, bias, pads, strides, group)
    return act(y if z is None else y + z, **activation)


def last_convolution(x, w, bias=None, z=None, pads=(0, 0, 0, 0), strides=(1, 1), group=1, **activation):
    y = np.moveaxis(convolved(np.moveaxis(x, -1, 1), w, bias, pads, strides, group), 1, -1)
    return act(y if z is None else y + z, **activation)


def last_maximum(x, kernel_shape, strides):
    counts = [(x.shape[1 + i] - kernel_shape[i]) // strides[i] + 1 for i in range(2)]
    y = np.zeros((x.shape[0], *counts, x.shape[3]), x.dtype)
    for n, i, j, c in np.ndindex(y.shape):
        y[n, i, j, c] = x[n, i * strides[0]:i * strides[0] + kernel_shape[0], j * strides[1]:j * strides[1] + kernel_shape[1],
                          c].max()
    return y


def quantized_convolution(x, sx, zx, w, sw, zw, sy, zy, bias, pads, channels_last):
    weights = np.stack([real(w[o], sw.reshape(-1)[o], zw.reshape(-1)[o]) for o in range(w.shape[0])])
    offset = bias * (float(sx) * sw.astype(np.float64))
    y = convolved(np.moveaxis(real(x, sx, zx), -1, 1), weights, offset, pads, (1, 1))
    return to_integers(np.moveaxis(y, 1, -1), sy, zy, zy.dtype)


def fused_gemm(a, b, c=None, transA=0, transB=0, alpha=1.0, beta=1.0, **activation):
    y = alpha * ((a.T if transA else a).astype(np.float64) @ (b.T if transB else b))
    return act(y if c is None else y + beta * c, **activation)


def fused_matmul(a, b, transA=0, transB=0, alpha=1.0, **activation):
    a, b = (np.swapaxes(x, -1, -2) if t else x for x, t in ((a, transA), (b, transB)))
    return act(alpha * np.matmul(a.astype(np.float64), b), **activation)


def gelu(v):
    return 0.5 * v * (1 + math.erf(v / math.sqrt(2)))


def split_gelu(x, bias):
    y, half = x.astype(np.float64) + bias, x.shape[-1] // 2
    return (y[..., :half] * np.vectorize(gelu)(y[..., half:])).astype(np.float32)


def fast_gelu(x, w, bias):
    y = x.astype(np.float64) @ w + bias
    return (0.5 * y * (1 + np.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)))).astype(np.float32)


def bias_softmax(x, bias, axis, is_inner_broadcast):
    e = np.exp((x + bias).astype(np.float64))
    return (e / e.sum(tuple(range(axis, x.ndim)), keepdims=True)).astype(np.float32)


def group_norm(x, gamma, beta, skip=None, bias=None, groups=1, activation=0, channels_last=1, epsilon=1e-5):
    total = x if skip is None else x + (skip[:, None, None] if skip.ndim == 2 else skip)
    total = total if bias is None else total + bias
    y, channels = np.zeros(x.shape), x.shape[-1] if channels_last else x.shape[1]
    for n in range(x.shape[0]):
        for g in range(groups):
            part = slice(g * (channels // groups), (g + 1) * (channels // groups))
            at = (n, slice(None), slice(None), part) if channels_last else (n, part)
            v = total[at].astype(np.float64)
            y[at] = (v - v.mean()) / math.sqrt(v.var() + epsilon)
    wide = (-1,) if channels_last else (-1, 1, 1)
    y = y * gamma.reshape(wide) + beta.reshape(wide)
    y = (y / (1 + np.exp(-y)) if activation else y).astype(np.float32)
    return y if skip is None else (y, total)


def quantized_cases():
    """Cases of fused and quantized operators, by name."""
    r = np.random.default_rng(8)

    def x(*shape):
        return (0.7 * r.standard_normal(shape)).astype(np.float32)

    def bytes_of(*shape):
        return r.integers(0, 256, shape, np.uint8)

    def signed(*shape):
        return r.integers(-128, 128, shape, np.int8)

    def fixed(array, dtype=np.float32):
        return ("constant", np.array(array, dtype))

    s1, s2, s3 = fixed(0.0231), fixed(0.0173), fixed(0.0517)
    z1, z2, z3 = fixed(117, np.uint8), fixed(131, np.uint8), fixed(124, np.uint8)
    i1, i2 = fixed(-7, np.int8), fixed(11, np.int8)
    by_column = fixed(r.uniform(0.004, 0.03, 6))
    pool = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
    return {
        "qlinear_add": Case("QLinearAdd", [bytes_of(2, 3, 4), s1, z1, bytes_of(3, 1), s2, z2, s3, z3], pairwise(np.add)),
        "qlinear_mul": Case("QLinearMul", [signed(2, 3), s1, i1, signed(2, 3), s2, i2, s3], pairwise(np.multiply)),
        "qlinear_sigmoid": Case("QLinearSigmoid", [bytes_of(3, 5), s1, z1, fixed(1 / 250)],
                                each(lambda v: 1 / (1 + math.exp(-v)))),
        "qlinear_leaky": Case("QLinearLeakyRelu", [signed(3, 5), s1, i1, s2, i2],
                              each(lambda v, alpha: v if v >= 0 else alpha * v), alpha=0.2),
        "qlinear_softmax": Case("QLinearSoftmax", [bytes_of(2, 3, 5), s1, z1, fixed(1 / 251), fixed(0, np.uint8)],
                                quantized_softmax, axis=2, opset=13),
        "qlinear_softmax_rows": Case("QLinearSoftmax", [bytes_of(2, 3, 5), s1, z1, fixed(1 / 251), fixed(0, np.uint8)],
                                     quantized_softmax, axis=1, opset=12),
        "qlinear_mean": Case("QLinearReduceMean", [bytes_of(2, 3, 5), s1, z1, s2, z2], mean_of, axes=[1], keepdims=0),
        "qlinear_global": Case("QLinearGlobalAveragePool", [bytes_of(2, 3, 4, 5), s1, z1, s2, z2], global_mean),
        "qlinear_global_last": Case("QLinearGlobalAveragePool", [bytes_of(2, 4, 5, 3), s1, z1, s2, z2], global_mean,
                                    channels_last=1),
        "qlinear_average": Case("QLinearAveragePool", [bytes_of(1, 3, 6, 5), s1, z1, s2, z2], average, **pool),
        "qlinear_average_last": Case("QLinearAveragePool", [signed(1, 6, 5, 3), s1, i1, s2, i2], average, channels_last=1,
                                     count_include_pad=1, **pool),
        "qlinear_concat": Case("QLinearConcat", [s3, z3, bytes_of(2, 3), s1, z1, bytes_of(2, 2), s2, z2], joined, axis=1),
        "qlinear_where": Case("QLinearWhere", [("constant", r.random((2, 3)) < 0.5), bytes_of(2, 3), s1, z1, bytes_of(2, 3), s2,
                                               z2, s3, z3], chosen),
        "qlinear_conv_last": Case("QLinearConv", [bytes_of(1, 5, 6, 4), s1, z1, ("constant", signed(6, 4, 3, 3)), by_column,
                                                  fixed(np.zeros(6), np.int8), fixed(0.4), z3,
                                                  fixed(r.integers(-900, 900, 6), np.int32)], quantized_convolution,
                                  channels_last=1, pads=[1, 1, 1, 1]),
        "to_float": Case("MatMulIntegerToFloat", [bytes_of(3, 8), ("constant", signed(8, 6)), s1, by_column, z1,
                                                  fixed(r.integers(-9, 9, 6), np.int8), fixed(x(6))], integer_to_float),
        "to_float_plain": Case("MatMulIntegerToFloat", [signed(2, 3, 8), ("constant", signed(8, 6)), s1, s2], integer_to_float),
        "dynamic": Case("DynamicQuantizeMatMul", [x(3, 8), ("constant", bytes_of(8, 6)), by_column, fixed(
            r.integers(100, 150, 6), np.uint8), fixed(x(6))], dynamic),
        "dynamic_plain": Case("DynamicQuantizeMatMul", [x(2, 3, 8), ("constant", signed(8, 6)), s1], dynamic),
        "qgemm": Case("QGemm", [bytes_of(3, 8), s1, z1, ("constant", signed(6, 8)), by_column, fixed(np.zeros(6), np.int8),
                                fixed(r.integers(-900, 900, 6), np.int32), fixed(0.31), z3], quantized_gemm, transB=1),
        "qgemm_float": Case("QGemm", [bytes_of(8, 3), s1, z1, ("constant", signed(8, 6)), s2, i2, None], quantized_gemm, transA=1,
                            alpha=0.5),
        "qattention": Case("QAttention", [bytes_of(2, 4, 12), ("constant", signed(12, 48)), fixed(x(48)), fixed(0.011), fixed(
            0.013), np.array([4, 3], np.int32), z1, i2], quantized_attention, num_heads=2),
        "qattention_step": Case("QAttention", [bytes_of(1, 2, 12), ("constant", signed(12, 48)), fixed(x(48)), fixed(0.011),
                                               fixed(r.uniform(0.01, 0.02, 48)), None, z1, fixed(np.zeros(48), np.int8),
                                               x(2, 1, 2, 3, 8)], quantized_attention, num_heads=2, unidirectional=1),
        "fused_conv": Case("FusedConv", [x(1, 4, 6, 5), ("constant", x(6, 2, 3, 3)), fixed(x(6)), x(1, 6, 3, 5)],
                           fused_convolution, pads=[1, 1, 1, 1], strides=[2, 1], group=2, activation="LeakyRelu",
                           activation_params=[0.1]),
        "fused_conv_clip": Case("FusedConv", [x(1, 2, 4, 4), ("constant", x(3, 2, 3, 3))], fused_convolution, activation="Clip",
                                activation_params=[-0.5, 0.75]),
        "nhwc_conv": Case("NhwcConv", [x(1, 5, 6, 4), ("constant", x(3, 4, 3, 3)), fixed(x(3))], last_convolution,
                          pads=[1, 1, 1, 1]),
        "nhwc_fused_conv": Case("NhwcFusedConv", [x(1, 5, 6, 4), ("constant", x(3, 4, 3, 3)), fixed(x(3)), x(1, 3, 4, 3)],
                                last_convolution, activation="HardSigmoid", activation_params=[0.25, 0.4]),
        "nhwc_max_pool": Case("NhwcMaxPool", [signed(1, 5, 6, 4)], last_maximum, kernel_shape=[2, 2], strides=[2, 2]),
        "fused_gemm": Case("FusedGemm", [x(3, 8), ("constant", x(6, 8)), fixed(x(6))], fused_gemm, transB=1, alpha=0.5, beta=2.0,
                           activation="LeakyRelu", activation_alpha=0.3),
        "fused_matmul_activation": Case("FusedMatMulActivation", [x(2, 3, 8), x(2, 6, 8)], fused_matmul, transB=1, alpha=0.5,
                                        activation="Tanh"),
        "transpose_matmul": Case("TransposeMatMul", [x(2, 8, 3), x(2, 8, 6)], fused_matmul, transA=1, alpha=2.0),
        "gemm_fast_gelu": Case("GemmFastGelu", [x(3, 8), ("constant", x(8, 6)), fixed(x(6))], fast_gelu),
        "split_gelu": Case("BiasSplitGelu", [x(2, 3, 8), fixed(x(8))], split_gelu),
        "bias_add": Case("BiasAdd", [x(2, 6, 4), fixed(x(4)), x(2, 6, 4)], lambda a, b, c: a + b + c),
        "bias_softmax": Case("BiasSoftmax", [x(2, 3, 4, 5), x(2, 1, 4, 5)], bias_softmax, axis=3, is_inner_broadcast=1),
        "bias_softmax_planes": Case("BiasSoftmax", [x(2, 3, 4, 5), x(2, 1, 4, 5)], bias_softmax, axis=2, is_inner_broadcast=1),
        "group_norm": Case("GroupNorm", [x(2, 3, 4, 6), fixed(x(6)), fixed(x(6))], group_norm, groups=3, activation=1),
        "skip_group_norm": Case("SkipGroupNorm", [x(2, 6, 3, 4), fixed(x(6)), fixed(x(6)), x(2, 6, 3, 4)], group_norm, groups=2,
                                activation=0, channels_last=0),
        "skip_group_norm_last": Case("SkipGroupNorm", [x(2, 3, 4, 6), fixed(x(6)), fixed(x(6)), x(2, 6), fixed(x(6))], group_norm,
                                     groups=2, activation=1),
    }
