# SPDX-License-Identifier: BSL-1.0
"""Resize and Upsample: for each axis the positions that are read, and their factors."""
import numpy as np

from ..errors import Uncovered
from ..parameters import axis_of
from .registry import check_size, evaluates


def plan_of(node, shape):
    """For each axis None, or a pair of arrays [extent of the result, taps]: positions, and factors of what stands there.

    Positions outside the axis are clamped, or -1 where the operator has a value of its own for them.
    """
    mode = node.attribute("mode", "nearest")
    rank = len(shape)
    if node.op == "Upsample":
        scales = node.array(1) if node.input(1) is not None else node.attribute("scales")
        sizes, roi = None, None
        coordinates, nearest = "asymmetric", "floor"
    else:
        shift = 1 if node.opset >= 11 else 0
        roi = node.array(1) if shift else None
        scales, sizes = node.array(1 + shift), node.array(2 + shift)
        coordinates = node.attribute("coordinate_transformation_mode", "half_pixel" if shift else "asymmetric")
        nearest = node.attribute("nearest_mode", "round_prefer_floor" if shift else "floor")
    places = [axis_of(a, rank) for a in node.attribute("axes") or range(rank)]
    if sizes is not None and sizes.size == 0:
        sizes = None
    if scales is not None and np.size(scales) == 0:
        scales = None
    if scales is None and sizes is None:
        raise Uncovered("neither scales nor sizes are given")
    if sizes is not None:
        factors = [float(sizes[i]) / shape[a] for i, a in enumerate(places)]
        policy = node.attribute("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            factors = [(min if policy == "not_larger" else max)(factors)] * len(factors)
            extents = [int(np.floor(f * shape[a] + 0.5)) for f, a in zip(factors, places)]
        else:
            extents = [int(n) for n in sizes]
    else:
        factors = [float(s) for s in scales]
        extents = [int(np.floor(f * shape[a])) for f, a in zip(factors, places)]
    check_size(extents)
    result = [None] * rank
    for i, axis in enumerate(places):
        if extents[i] == shape[axis] and coordinates != "tf_crop_and_resize" and factors[i] == 1:
            continue
        region = (float(roi[i]), float(roi[i + len(places)])) if coordinates == "tf_crop_and_resize" else None
        result[axis] = taps_of(node, mode, shape[axis], extents[i], factors[i], coordinates, nearest, region)
    return result


def source_of(coordinates, i, extent, length, factor, region):
    """Where entry i of the result lies in the operand; extent is of the operand, length of the result."""
    if coordinates == "asymmetric":
        return i / factor
    if coordinates == "align_corners":
        return i * (extent - 1) / (extent * factor - 1) if length > 1 else 0 * i
    if coordinates == "pytorch_half_pixel":
        return (i + 0.5) / factor - 0.5 if length > 1 else 0 * i
    if coordinates == "tf_half_pixel_for_nn":
        return (i + 0.5) / factor
    if coordinates == "tf_crop_and_resize":
        first, last = region
        if length > 1:
            return first * (extent - 1) + i * (last - first) * (extent - 1) / (length - 1)
        return 0.5 * (first + last) * (extent - 1) + 0 * i
    if coordinates == "half_pixel_symmetric":
        adjusted = length / (factor * extent)
        return extent / 2 * (1 - adjusted) + (i + 0.5) / factor - 0.5
    return (i + 0.5) / factor - 0.5


def cubic_factors(t, a):
    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return np.stack([far(t + 1), near(t), near(1 - t), far(2 - t)], -1)


def taps_of(node, mode, extent, length, factor, coordinates, nearest, region):
    i = np.arange(length, dtype=np.float64)
    x = source_of(coordinates, i, extent, length, factor, region)
    antialias = bool(node.attribute("antialias", 0)) and factor < 1
    if mode == "nearest":
        whole = {"round_prefer_floor": np.ceil(x - 0.5), "round_prefer_ceil": np.floor(x + 0.5), "floor": np.floor(x),
                 "ceil": np.ceil(x)}[nearest]
        positions, factors = whole[:, None], np.ones((length, 1))
    elif mode in ("linear", "bilinear", "cubic") and antialias:
        positions, factors = smoothed_taps(node, mode, x, extent, factor)
    elif mode in ("linear", "bilinear"):
        low = np.floor(x)
        positions, factors = np.stack([low, low + 1], -1), np.stack([1 - (x - low), x - low], -1)
    elif mode == "cubic":
        low = np.floor(x)
        positions = low[:, None] + np.arange(-1, 3)
        factors = cubic_factors(x - low, node.attribute("cubic_coeff_a", -0.75))
    else:
        raise Uncovered(f"mode {mode}")
    if node.attribute("exclude_outside", 0) and mode == "cubic":
        factors = np.where((positions < 0) | (positions >= extent), 0, factors)
        factors = factors / factors.sum(-1, keepdims=True)
    if coordinates == "tf_crop_and_resize":
        outside = ((x < 0) | (x > extent - 1))[:, None]
        return np.where(outside, -1, positions.clip(0, extent - 1)).astype(np.int64), factors
    return positions.clip(0, extent - 1).astype(np.int64), factors


def smoothed_taps(node, mode, x, extent, factor):
    """Taps of a filter that is as wide as the reduction."""
    a = node.attribute("cubic_coeff_a", -0.75)
    reach = (2 if mode == "cubic" else 1) / factor
    count = int(np.ceil(reach)) * 2 + 1
    positions = np.floor(x)[:, None] + np.arange(count) - count // 2
    distance = np.abs(positions - x[:, None]) * factor
    if mode == "cubic":
        near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
        far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
        factors = np.where(distance <= 1, near, np.where(distance < 2, far, 0))
    else:
        factors = np.maximum(1 - distance, 0)
    factors = np.where((positions < 0) | (positions >= extent), 0, factors)
    return positions, factors / factors.sum(-1, keepdims=True)


@evaluates("Resize", "Upsample")
def resize(node, x, *_):
    outside = x.dtype.type(node.attribute("extrapolation_value", 0.0))
    plan = plan_of(node, x.shape)
    y = x.astype(np.float64) if x.dtype.kind == "f" else x
    beyond = np.zeros((1,) * x.ndim, bool)
    for axis, taps in enumerate(plan):
        if taps is None:
            continue
        positions, factors = taps
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        beyond = beyond | (positions[:, 0] < 0).reshape(shape)
        read = positions.clip(0)
        if factors.shape[1] == 1:
            y = np.take(y, read[:, 0], axis)
        else:
            y = sum(np.take(y, read[:, k], axis) * factors[:, k].reshape(shape) for k in range(factors.shape[1]))
    return np.where(beyond, outside, y).astype(x.dtype)
