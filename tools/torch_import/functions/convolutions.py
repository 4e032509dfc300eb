# SPDX-License-Identifier: BSL-1.0
"""Convolutions, pools and interpolation.

They get a batch axis of one entry if there is none.
"""
import numpy as np

from onnx_import.errors import Uncovered

from .registry import ints, translates


def with_batch(b, x, axes, function):
    if len(x.shape) == axes + 2:
        return function(x)
    y = function(b.reshape(x, (1, *x.shape)))
    return b.reshape(y, y.shape[1:])


def same_pads(kernel, dilation):
    """What padding='same' adds: one more at the end where it is odd."""
    total = [(k - 1) * d for k, d in zip(kernel, dilation)]
    return [n // 2 for n in total] + [n - n // 2 for n in total]


def convolution(axes):
    def translate(b, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        dilation = ints(dilation, axes)
        if isinstance(padding, str):
            pads = [0] * (2 * axes) if padding == "valid" else same_pads(weight.shape[2:], dilation)
        else:
            pads = ints(padding, axes) * 2
        parts = [weight] + ([bias] if bias is not None else [])
        return with_batch(b, x, axes, lambda x: b.op("Conv", [x, *parts], strides=ints(stride, axes), pads=pads,
                                                     dilations=dilation, group=int(groups)))

    return translate


def transposed_convolution(axes):
    def translate(b, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        parts = [weight] + ([bias] if bias is not None else [])
        return with_batch(b, x, axes, lambda x: b.op(
            "ConvTranspose", [x, *parts], strides=ints(stride, axes), pads=ints(padding, axes) * 2, group=int(groups),
            output_padding=ints(output_padding, axes), dilations=ints(dilation, axes)))

    return translate


def max_pool(axes):
    def translate(b, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if return_indices:
            raise Uncovered("positions of maxima")
        return with_batch(b, x, axes, lambda x: b.op(
            "MaxPool", [x], kernel_shape=ints(kernel_size, axes), strides=ints(stride or kernel_size, axes),
            pads=ints(padding, axes) * 2, dilations=ints(dilation, axes), ceil_mode=int(ceil_mode)))

    return translate


def average_pool(axes):
    def translate(b, x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        if divisor_override is not None:
            raise Uncovered("divisor_override")
        return with_batch(b, x, axes, lambda x: b.op(
            "AveragePool", [x], kernel_shape=ints(kernel_size, axes), strides=ints(stride or kernel_size, axes),
            pads=ints(padding, axes) * 2, ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad)))

    return translate


def adaptive_pool(axes, whole, windows):
    def translate(b, x, output_size, return_indices=False):
        if return_indices:
            raise Uncovered("positions of maxima")
        extents = x.shape[-axes:]
        wanted = [n if m is None else m for m, n in zip(
            output_size if isinstance(output_size, (tuple, list)) else [output_size] * axes, extents)]
        if all(n == 1 for n in wanted):
            return with_batch(b, x, axes, lambda x: b.op(whole, [x]))
        if any(n % m for n, m in zip(extents, wanted)):
            if whole != "GlobalAveragePool":
                raise Uncovered(f"windows of different sizes: {wanted} of {list(extents)}")
            return averaged(b, x, len(x.shape) - axes, wanted)
        kernel = [n // m for n, m in zip(extents, wanted)]
        return with_batch(b, x, axes, lambda x: b.op(windows, [x], kernel_shape=kernel, strides=kernel))

    return translate


def averaged(b, x, first, wanted):
    """Means over windows of different sizes: a product with a constant along each axis."""
    letters = "abcdefgh"[:len(x.shape)]
    for axis, count in enumerate(wanted, first):
        extent = x.shape[axis]
        factors = np.zeros((count, extent), x.dtype)
        for i in range(count):
            begin, end = i * extent // count, -(-(i + 1) * extent // count)
            factors[i, begin:end] = 1 / (end - begin)
        result = letters.replace(letters[axis], "z")
        x = b.op("Einsum", [x, factors], equation=f"{letters},z{letters[axis]}->{result}")
    return x


for axes in (1, 2, 3):
    translates(f"conv{axes}d")(convolution(axes))
    translates(f"conv_transpose{axes}d")(transposed_convolution(axes))
    translates(f"max_pool{axes}d")(max_pool(axes))
    translates(f"avg_pool{axes}d")(average_pool(axes))
    translates(f"adaptive_avg_pool{axes}d")(adaptive_pool(axes, "GlobalAveragePool", "AveragePool"))
    translates(f"adaptive_max_pool{axes}d")(adaptive_pool(axes, "GlobalMaxPool", "MaxPool"))


@translates("interpolate", "upsample")
def interpolate(b, x, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    if mode not in ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic") or antialias:
        raise Uncovered(f"mode {mode}" + (" with antialias" if antialias else ""))
    axes = len(x.shape) - 2
    kind = {"n": "nearest", "b": "cubic" if mode == "bicubic" else "linear"}.get(mode[0], "linear")
    coordinates = "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "half_pixel"
    options = {"mode": kind, "coordinate_transformation_mode": coordinates, "nearest_mode": "floor"}
    if mode == "nearest-exact":
        options["nearest_mode"] = "round_prefer_ceil"
    if kind == "cubic":
        options["cubic_coeff_a"] = -0.75
    if size is None and not recompute_scale_factor:
        factors = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * axes
        return b.op("Resize", [x, None, np.array([1, 1, *factors], np.float64)], **options)
    return b.op("Resize", [x, None, None, np.array(b.wanted.shape, np.int64)], **options)
