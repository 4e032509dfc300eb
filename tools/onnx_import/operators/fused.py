# SPDX-License-Identifier: BSL-1.0
"""Operators that ONNX Runtime's optimizer makes of several: products with an activation, channels last, norms of groups."""
import numpy as np

from ..errors import Uncovered
from ..parameters import windows_of
from .norms import normalised
from .products import convolution, convolution_module, fused_matmul, gemm, spatial_extents, windowed_convolution
from .registry import template, translates


def activated(s, text, numbers):
    """A text after the activation of a fused operator; `numbers` are its parameters, in order."""
    name = s.attribute("activation", "")
    first, second = list(numbers) + [None] * (2 - len(numbers))
    simple = {"": "{}", "Relu": "relu({})", "Tanh": "tanh({})", "Sigmoid": "sigmoid({})"}
    if name in simple:
        return simple[name].format(text)
    if name == "LeakyRelu":
        return f"leaky_relu({text}, {s.literal(0.01 if first is None else first)})"
    if name == "Clip":
        return f"clamp({text}, {s.literal(first)}, {s.literal(second)})"
    if name == "HardSigmoid":
        scaled = f"({text}) * {s.literal(0.2 if first is None else first)} + {s.literal(0.5 if second is None else second)}"
        return f"clamp({scaled}, {s.literal(0)}, {s.literal(1)})"
    raise Uncovered(f"the activation {name}")


def numbers_of(s):
    given = [s.attribute(f"activation_{name}") for name in ("alpha", "beta")]
    return [x for x in given if x is not None]


def channels_first(s):
    """Lets a translation see the first operand [batch, ..., channels] as [batch, channels, ...], in memory."""
    rank, shape = s.rank, s.shapes[0]
    order, turned = [0, rank - 1, *range(1, rank - 1)], (shape[0], shape[-1], *shape[1:-1])
    s.replaced[0] = s.buffer("channels_first", f"permute{template(order)}({s.x()})", s.node.inputs[0].dtype, turned)
    s.shapes = [turned] + s.shapes[1:]


def channels_last(text, rank):
    return f"permute{template([0, *range(2, rank), 1])}({text})"


@translates("com.microsoft.FusedConv", uses="`nn::conv2d`, or `einsum` of `windows`, with an activation", heavy=True)
def fused_convolution(s):
    text = convolution(s)
    return activated(s, f"{text} + {s.x(3)}" if s.has(3) else text, s.attribute("activation_params") or [])


@translates("com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv", uses="`nn::conv2d`", heavy=True)
def convolution_channels_last(s):
    windows = windows_of(s.node, spatial_extents(s), s.shapes[1][2:])
    text = convolution_module(s, windows)
    if text is None:
        channels_first(s)
        text = channels_last(windowed_convolution(s, windows), s.rank)
    return activated(s, f"{text} + {s.x(3)}" if s.has(3) else text, s.attribute("activation_params") or [])


translates("com.microsoft.FusedGemm", uses="`matmul` with an activation", heavy=True)(
    lambda s: activated(s, gemm(s), numbers_of(s)))
translates("com.microsoft.FusedMatMulActivation", uses="`matmul` with an activation", heavy=True)(
    lambda s: activated(s, fused_matmul(s), numbers_of(s)))
translates("com.microsoft.TransposeMatMul", uses="`matmul`, `transpose`", heavy=True)(fused_matmul)


@translates("com.microsoft.GemmFastGelu", uses="`matmul`, `gelu_tanh`", heavy=True)
def gemm_fast_gelu(s):
    product = f"matmul({s.x()}, {s.translation.packed(s.node, s.node.inputs[1], False) or s.x(1)})"
    return f"gelu_tanh({product} + {s.x(2)})" if s.has(2) else f"gelu_tanh({product})"


@translates("com.microsoft.BiasSplitGelu", uses="`slice`, `gelu`")
def bias_split_gelu(s):
    axis, half = s.rank - 1, s.shapes[0][-1] // 2
    left, right = (f"(slice<{axis}, {a}, {b}>({s.memory()}) + slice<0, {a}, {b}>({s.x(1)}))"
                   for a, b in ((0, half), (half, 2 * half)))
    return f"{left} * gelu{right}"


translates("com.microsoft.BiasAdd", uses="`+`")(lambda s: f"{s.x()} + {s.x(1)} + {s.x(2)}")


@translates("com.microsoft.BiasSoftmax", uses="`softmax`", heavy=True)
def bias_softmax(s):
    axis, text = s.attribute("axis", 1) % s.rank, f"{s.x()} + {s.x(1)}"
    if axis == s.rank - 1:
        return f"softmax<{axis}>({text})"
    flat = [int(np.prod(s.shapes[0][:axis])), int(np.prod(s.shapes[0][axis:]))]
    return s.reshape(s.out.shape, f"softmax<1>({s.reshape(flat, text)})", flat)


@translates("com.microsoft.GroupNorm", "com.microsoft.SkipGroupNorm", uses="`mean`, `variance`, `rsqrt`, `silu`", heavy=True)
def group_norm(s):
    shape, last, groups = s.shapes[0], s.attribute("channels_last", 1), s.attribute("groups")
    total = s.x()
    if s.has(3):
        skip = s.shapes[3]
        total += f" + {s.reshape((skip[0], 1, 1, skip[1]), s.x(3)) if len(skip) == 2 else s.x(3)}"
    total = s.buffer("total", total + (f" + {s.x(4)}" if s.has(4) else ""), s.dtype, shape)
    planes, text = (shape[0], shape[-1], *shape[1:-1]) if last else shape, total
    if last:
        text = s.buffer("planes", f"permute{template([0, s.rank - 1, *range(1, s.rank - 1)])}({total})", s.dtype, planes)
    flat = [shape[0], groups, int(np.prod(shape[1:])) // groups]
    text = normalised(s.reshape(flat, text, planes), "<2>", s.literal(s.attribute("epsilon", 1e-5)))
    wide = [s.shapes[1][0]] + [1] * (s.rank - 2)
    text = f"{s.reshape(planes, text, flat)} * {s.reshape(wide, s.x(1))} + {s.reshape(wide, s.x(2))}"
    text = channels_last(text, s.rank) if last else text
    return [f"silu({text})" if s.attribute("activation") else text, total]
