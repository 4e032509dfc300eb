# SPDX-License-Identifier: BSL-1.0
"""Products of matrices, and convolutions."""
from ..errors import Uncovered
from ..parameters import Window, transposed_pads, windows_of
from .depthwise import is_depthwise, kernels_in_bytes, sum_of_taps
from .registry import template, translates

WINDOWS = "iajbkd"  # letters of einsum: counts and taps of up to three axes


def turned(s, place, wanted):
    """An operand, transposed if wanted. A constant matrix on the right is packed."""
    matrix = s.translation.packed(s.node, s.node.inputs[1], wanted) if place == 1 else None
    return matrix or (f"transpose({s.x(place)})" if wanted else s.x(place))


translates("MatMul", uses="`matmul`, `packed`", heavy=True)(lambda s: f"matmul({s.x()}, {turned(s, 1, False)})")


def scaled(s, factor, text):
    return text if factor == 1 else f"{s.literal(factor)} * {text}"


@translates("Gemm", uses="`matmul`, `transpose`", heavy=True)
def gemm(s):
    product = f"matmul({turned(s, 0, s.attribute('transA', 0))}, {turned(s, 1, s.attribute('transB', 0))})"
    product = scaled(s, s.attribute("alpha", 1.0), product)
    return product if not s.has(2) else f"{product} + {scaled(s, s.attribute('beta', 1.0), s.x(2))}"


@translates("com.microsoft.FusedMatMul", uses="`matmul`, `transpose`", heavy=True)
def fused_matmul(s):
    if s.attribute("transBatchA", 0) or s.attribute("transBatchB", 0):
        raise Uncovered("transBatchA and transBatchB")
    product = f"matmul({turned(s, 0, s.attribute('transA', 0))}, {turned(s, 1, s.attribute('transB', 0))})"
    return scaled(s, s.attribute("alpha", 1.0), product)


@translates("Einsum", uses="`einsum`", heavy=True)
def einsum(s):
    equation = s.attribute("equation").replace(" ", "")
    terms, _, result = equation.partition("->")
    terms = terms.split(",")
    if len(terms) > 3:
        raise Uncovered("more than three operands")
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    dots = max(len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, s.shapes))
    spelled = []
    for term, shape in zip(terms, s.shapes):
        count = len(shape) - len(term.replace("...", ""))
        spelled.append(term.replace("...", "".join(free[dots - count:dots])))
    if "->" not in equation:
        letters = "".join(terms).replace(".", "")
        result = "..." * ("..." in equation) + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    result = result.replace("...", "".join(free[:dots]))
    return f"einsum<\"{','.join(spelled)}->{result}\">({', '.join(s.x(i) for i in range(len(terms)))})"


def padded(text, windows, extents, axis, value=""):
    for i, (window, extent) in enumerate(zip(windows, extents)):
        behind = window.needed_behind(extent)
        if window.before > 0 or behind > 0:
            text = f"pad<{axis + i}, {max(window.before, 0)}, {max(behind, 0)}>({text}{value})"
        if window.before < 0:
            text = f"slice<{axis + i}, {-window.before}, {extent + max(behind, 0)}>({text})"
    return text


def windowed(text, windows, axis):
    """Each axis as windows and their entries. What follows the last window is dropped by `windows`, or cut."""
    for i, window in list(enumerate(windows))[::-1]:
        step = f", {window.stride}" if window.stride != 1 or window.dilation != 1 else ""
        dilation = f", {window.dilation}" if window.dilation != 1 else ""
        text = f"windows<{axis + i}, {window.kernel}{step}{dilation}>({text})"
    return text


def convolved(s, text, windows, groups, weight, weight_shape, shape, transposed=False):
    """Sums over windows of [batch, channels, ...] as a product; weight is [out, in / groups, ...], transposed [in, out, ...]."""
    batch, channels, *spatial = shape
    pairs = WINDOWS[:2 * len(windows)]
    counts, taps = pairs[::2], pairs[1::2]
    if groups == 1:
        inner = ("co" if transposed else "oc") + taps
        return f'einsum<"nc{pairs},{inner}->no{counts}">({windowed(text, windows, 2)}, {weight})'
    if len(windows) == 3:
        raise Uncovered("groups with three axes need more than eight axes")
    # Groups are an axis of their own.
    extents = [(w.count - 1) * w.stride + w.reach for w in windows]
    text = cut(text, extents, padded_extents(windows, spatial), 2)
    each = channels // groups
    text = s.reshape([batch, groups, each] + extents, text)
    text = windowed(text, windows, 3)
    weight = s.reshape([groups, weight_shape[0] // groups] + list(weight_shape[1:]), weight)
    inner = ("gco" if transposed else "goc") + taps
    out = weight_shape[1] * groups if transposed else weight_shape[0]
    product = f'einsum<"ngc{pairs},{inner}->ngo{counts}">({text}, {weight})'
    return s.reshape([batch, out] + [w.count for w in windows], product)


def padded_extents(windows, spatial):
    """What `padded` makes of them."""
    return [n + w.before + max(w.needed_behind(n), 0) for w, n in zip(windows, spatial)]


def cut(text, extents, before, axis):
    """The first entries of each axis."""
    for i, (extent, old) in enumerate(zip(extents, before)):
        text = text if extent == old else f"slice<{axis + i}, 0, {extent}>({text})"
    return text


def channels_are_last(s):
    return bool(s.attribute("channels_last", 0)) or s.op.startswith("Nhwc")


def spatial_extents(s):
    """Those of the first operand, [batch, channels, ...] or [batch, ..., channels]."""
    return s.shapes[0][1:-1] if channels_are_last(s) else s.shapes[0][2:]


def with_bias(s, place, text, spatial):
    return f"{text} + {s.reshape([s.shapes[place][0]] + [1] * spatial, s.x(place))}" if s.has(place) else text


def image_in_memory(s, text, dtype, windows, axis):
    """An image with its padding, which is read several times, and its extents."""
    extents = padded_extents(windows, spatial_extents(s))
    shape = [*s.shapes[0][:axis], *extents, *s.shapes[0][axis + len(windows):]]
    return s.buffer("padded", padded(text, windows, spatial_extents(s), axis), dtype, shape), extents


def depthwise_in_bytes(s, windows):
    """A depthwise convolution with constant kernels in 8 bits, or None."""
    last = channels_are_last(s)
    channels, axis = s.shapes[0][-1 if last else 1], 1 if last else 2
    if s.dtype != "float32" or not is_depthwise(s, windows, channels, s.shapes[1][0]):
        return None
    factors = kernels_in_bytes(s)
    if factors is None:
        return None
    if any(w.before or w.needed_behind(n) > 0 for w, n in zip(windows, spatial_extents(s))):
        image, extents = image_in_memory(s, s.x(), s.dtype, windows, axis)
    else:
        image, extents = s.memory(), spatial_extents(s)
    text = sum_of_taps(image, factors, windows, extents, axis, 0 if last else channels)
    return with_bias(s, 2, text, 0 if last else len(windows))


def convolution_module(s, windows):
    """A call of conv1d or conv2d if the weights are constant; None otherwise."""
    weight, bias, extents, last = s.node.inputs[1], s.node.input(2), spatial_extents(s), channels_are_last(s)
    if len(windows) > 2 or not weight.constant or s.dtype.name not in ("float32", "float64"):
        return None
    in_bytes = depthwise_in_bytes(s, windows)
    if in_bytes is not None:
        return in_bytes
    even = all(w.before >= 0 and (n + 2 * w.before - w.reach) // w.stride + 1 == w.count for w, n in zip(windows, extents))
    text = s.x() if even else padded(s.x(), windows, extents, 1 if last else 2)
    inner = bias is not None and bias.constant
    options = [f".in = {s.shapes[0][-1 if last else 1]}, .out = {weight.shape[0]}"]
    for name, numbers, usual in (("kernel", [w.kernel for w in windows], None), ("stride", [w.stride for w in windows], 1),
                                 ("padding", [w.before if even else 0 for w in windows], 0),
                                 ("dilation", [w.dilation for w in windows], 1)):
        if any(n != usual for n in numbers):
            same = len(set(numbers)) == 1
            options.append(f".{name} = {numbers[0]}" if same else f".{name} = {{{', '.join(map(str, numbers))}}}")
    if s.attribute("group", 1) != 1:
        options.append(f".groups = {s.attribute('group')}")
    if not inner:
        options.append(".bias = false")
    if last:
        options.append(".channels_last = true")
    module = s.translation.module(s.node, [weight, bias if inner else None], f"nn::conv{len(windows)}d<{{{', '.join(options)}}}",
                                  s.type, lambda: {".weight": weight.array, **({".bias": bias.array} if inner else {})},
                                  grouped=s.attribute("group", 1) != 1)
    text = f"{module}({text})"
    return text if inner else with_bias(s, 2, text, 0 if last else len(windows))


@translates("Conv", uses="`nn::conv1d`, `nn::conv2d`, or `einsum` of `windows`", heavy=True)
def convolution(s):
    windows = windows_of(s.node, spatial_extents(s), s.shapes[1][2:])
    if len(windows) > 3:
        raise Uncovered("more than three axes")
    return convolution_module(s, windows) or windowed_convolution(s, windows)


def windowed_convolution(s, windows):
    text = padded(s.x(), windows, s.shapes[0][2:], 2)
    text = convolved(s, text, windows, s.attribute("group", 1), s.x(1), s.shapes[1], s.shapes[0])
    return with_bias(s, 2, text, len(windows))


@translates("ConvTranspose", uses="`einsum`, of `windows`, `pad`, `flip` if kernels overlap", heavy=True)
def transposed_convolution(s):
    spatial, kernel = s.shapes[0][2:], s.shapes[1][2:]
    rank = len(spatial)
    if rank > 3:
        raise Uncovered("more than three axes")
    strides, dilations, before, extents = transposed_pads(s.node, spatial, kernel)
    side_by_side = all(k == stride and d == 1 and b == 0 and e == n * k for k, stride, d, b, e, n
                       in zip(kernel, strides, dilations, before, extents, spatial))
    if side_by_side and s.attribute("group", 1) == 1:
        places, taps = "hwd"[:rank], "ijk"[:rank]
        product = f'einsum<"nc{places},co{taps}->no{"".join(map("".join, zip(places, taps)))}">({s.x()}, {s.x(1)})'
        shape = (*s.out.shape[:2], *(n for pair in zip(spatial, kernel) for n in pair))
        return with_bias(s, 2, s.reshape(s.out.shape, s.buffer("product", product, s.dtype, shape)), rank)
    text, shape = s.x(), list(s.shapes[0])
    for i in range(rank):  # zeros between the entries
        if strides[i] > 1:
            axis = 2 + i
            text = f"pad<{axis + 1}, 0, {strides[i] - 1}>({s.reshape(shape[:axis + 1] + [1] + shape[axis + 1:], text)})"
            shape[axis] *= strides[i]
            text = s.reshape(shape, text)
    windows = [Window(k, 1, d, (k - 1) * d - b, 0, e) for k, d, b, e in zip(kernel, dilations, before, extents)]
    used = [min(n, w.count - 1 + w.reach - w.before) for w, n in zip(windows, shape[2:])]
    text, shape = cut(text, used, shape[2:], 2), shape[:2] + used
    text = padded(text, windows, shape[2:], 2)
    weight = f"flip{template(range(2, 2 + rank))}({s.x(1)})"
    text = convolved(s, text, windows, s.attribute("group", 1), weight, s.shapes[1], shape, transposed=True)
    return with_bias(s, 2, text, rank)
