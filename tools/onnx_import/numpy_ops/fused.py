# SPDX-License-Identifier: BSL-1.0
"""Operators that ONNX Runtime's optimizer makes of several: products with an activation, channels last, norms of groups."""
import numpy as np

from .elementwise import gelu, sigmoid
from .products import convolution, fused_matmul, gemm, max_pool
from .reductions import softmax_along
from .registry import TABLE, evaluates


def activated(node, y, numbers):
    """y after the activation of a fused operator; `numbers` are its parameters, in order."""
    name = node.attribute("activation", "")
    first, second = list(numbers) + [None] * (2 - len(numbers))
    return {
        "": lambda: y, "Relu": lambda: np.maximum(y, 0), "Tanh": lambda: np.tanh(y), "Sigmoid": lambda: sigmoid(y),
        "LeakyRelu": lambda: np.where(y < 0, y * y.dtype.type(0.01 if first is None else first), y),
        "Clip": lambda: np.clip(y, first, second).astype(y.dtype),
        "HardSigmoid": lambda: np.clip(y * (0.2 if first is None else first) + (0.5 if second is None else second), 0,
                                       1).astype(y.dtype),
    }.get(name, lambda: unknown(name))()


def unknown(name):
    raise NotImplementedError(f"the activation {name}")


def numbers_of(node):
    """The parameters of the activation of FusedGemm and FusedMatMulActivation."""
    given = [node.attribute(f"activation_{name}") for name in ("alpha", "beta")]
    return [x for x in given if x is not None]


@evaluates("com.microsoft.FusedConv")
def fused_convolution(node, x, w, bias=None, z=None):
    y = convolution(node, x, w, bias)
    return activated(node, y if z is None else y + z, node.attribute("activation_params") or [])


@evaluates("com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv")
def convolution_channels_last(node, x, w, bias=None, z=None):
    y = np.moveaxis(convolution(node, np.moveaxis(x, -1, 1), w, bias), 1, -1)
    return activated(node, y if z is None else y + z, node.attribute("activation_params") or [])


evaluates("com.microsoft.NhwcMaxPool")(lambda node, x: np.moveaxis(max_pool(node, np.moveaxis(x, -1, 1))[0], 1, -1))
evaluates("com.microsoft.FusedGemm")(lambda node, *x: activated(node, gemm(node, *x), numbers_of(node)))
evaluates("com.microsoft.FusedMatMulActivation")(lambda node, *x: activated(node, fused_matmul(node, *x), numbers_of(node)))
evaluates("com.microsoft.TransposeMatMul")(fused_matmul)
evaluates("com.microsoft.GemmFastGelu")(
    lambda node, x, w, bias=None: TABLE["com.microsoft.FastGelu"](node, node.multiply(x, w) + (0 if bias is None else bias)))


@evaluates("com.microsoft.BiasSplitGelu")
def bias_split_gelu(node, x, bias):
    left, right = np.split(x + bias, 2, -1)
    return left * gelu(node, right)


evaluates("com.microsoft.BiasAdd")(lambda node, x, bias, skip: x + bias + skip)


@evaluates("com.microsoft.BiasSoftmax")
def bias_softmax(node, x, bias):
    axis = node.attribute("axis", 1) % x.ndim
    if bias.ndim != x.ndim:
        raise NotImplementedError("a bias with fewer axes")
    return softmax_along(x + bias, tuple(range(axis, x.ndim)))


@evaluates("com.microsoft.GroupNorm", "com.microsoft.SkipGroupNorm")
def group_norm(node, x, gamma, beta, skip=None, bias=None):
    last = node.attribute("channels_last", 1)
    total = x
    if skip is not None:
        total = total + (skip.reshape(skip.shape[0], 1, 1, -1) if skip.ndim == 2 else skip)
    total = total if bias is None else total + bias
    planes = np.moveaxis(total, -1, 1) if last else total
    flat = planes.reshape(planes.shape[0], node.attribute("groups"), -1).astype(np.float64)
    flat = (flat - flat.mean(-1, keepdims=True)) / np.sqrt(flat.var(-1, keepdims=True) + node.attribute("epsilon", 1e-5))
    wide = (-1,) + (1,) * (x.ndim - 2)
    y = (flat.reshape(planes.shape) * gamma.reshape(wide) + beta.reshape(wide)).astype(x.dtype)
    y = np.moveaxis(y, 1, -1) if last else y
    return y * sigmoid(y) if node.attribute("activation") else y, total
