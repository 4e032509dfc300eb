# SPDX-License-Identifier: BSL-1.0
"""Attributes of operators in one form, whatever the operator set: axes, windows, paddings."""
from dataclasses import dataclass

from .errors import Uncovered


REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
CONSTANT_OPERANDS = {  # places of operands that decide shapes
    "BlackmanWindow": (0,), "ConstantOfShape": (0,), "DFT": (1, 2), "Expand": (1,), "HammingWindow": (0,), "HannWindow": (0,),
    "MelWeightMatrix": (0, 1, 2, 3, 4), "OneHot": (1,), "Pad": (1, 3), "Range": (0, 1, 2), "Reshape": (1,),
    "Resize": (1, 2, 3), "STFT": (1, 3), "Slice": (1, 2, 3, 4), "Split": (1,), "Squeeze": (1,), "Tile": (1, 2), "TopK": (1,),
    "Unsqueeze": (1,), "Upsample": (1,), "CumSum": (1,), "Compress": (1,), "com.microsoft.GroupQueryAttention": (6,),
    **{f"Reduce{name}": (1,) for name in REDUCTIONS}}


def axis_of(axis, rank):
    """An axis as a position from the front."""
    if not -rank <= axis < max(rank, 1):
        raise Uncovered(f"axis {axis} is not an axis of {rank}")
    return axis % rank if rank else 0


def reduced_axes(node, rank):
    """The axes of a Reduce operator, sorted; all of them unless given. None: the operator changes nothing."""
    axes = node.integers(1, "axes")
    if not axes:
        return None if node.attribute("noop_with_empty_axes", 0) else list(range(rank))
    return sorted({axis_of(axis, rank) for axis in axes})


@dataclass(frozen=True)
class Window:
    """What a convolution or pool does along one axis."""

    kernel: int
    stride: int
    dilation: int
    before: int
    behind: int
    count: int

    @property
    def reach(self):
        return (self.kernel - 1) * self.dilation + 1

    def needed_behind(self, extent):
        """Entries that must follow the axis so that all windows exist; negative if entries are left over."""
        return (self.count - 1) * self.stride + self.reach - extent - self.before


def windows_of(node, spatial, kernel):
    """The windows of a convolution or pool over these spatial extents."""
    rank = len(spatial)
    strides = node.attribute("strides") or [1] * rank
    dilations = node.attribute("dilations") or [1] * rank
    pads = node.attribute("pads") or [0] * (2 * rank)
    mode = node.attribute("auto_pad", "NOTSET")
    ceil = bool(node.attribute("ceil_mode", 0))
    result = []
    for i in range(rank):
        reach = (kernel[i] - 1) * dilations[i] + 1
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            count = -(-spatial[i] // strides[i])
            total = max((count - 1) * strides[i] + reach - spatial[i], 0)
            before = total // 2 if mode == "SAME_UPPER" else total - total // 2
            behind = total - before
        else:
            before, behind = (0, 0) if mode == "VALID" else (pads[i], pads[i + rank])
            room = spatial[i] + before + behind - reach
            count = (-(-room // strides[i]) if ceil else room // strides[i]) + 1
            if ceil and (count - 1) * strides[i] >= spatial[i] + before:
                count -= 1  # a window may not begin in the padding at the end
        if count < 1:
            raise Uncovered("the kernel is larger than the padded input")
        result.append(Window(kernel[i], strides[i], dilations[i], before, behind, count))
    return result


def transposed_pads(node, spatial, kernel):
    """Of ConvTranspose: strides, dilations, what is cut before, and the extents of the result."""
    rank = len(spatial)
    strides = node.attribute("strides") or [1] * rank
    dilations = node.attribute("dilations") or [1] * rank
    extra = node.attribute("output_padding") or [0] * rank
    pads = node.attribute("pads") or [0] * (2 * rank)
    mode = node.attribute("auto_pad", "NOTSET")
    shape = node.attribute("output_shape")
    before, extents = [], []
    for i in range(rank):
        full = strides[i] * (spatial[i] - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1
        if shape or mode in ("SAME_UPPER", "SAME_LOWER"):
            extent = shape[len(shape) - rank + i] if shape else spatial[i] * strides[i]
            total = max(full - extent, 0)
            before.append(total // 2 if mode != "SAME_LOWER" else total - total // 2)
        else:
            first, last = (0, 0) if mode == "VALID" else (pads[i], pads[i + rank])
            before.append(first)
            extent = full - first - last
        extents.append(extent)
    return strides, dilations, before, extents


def slices_of(node, shape):
    """Of Slice: for each axis a pair of first position and step, and the count of entries."""
    if node.opset >= 10:
        starts, ends = node.integers(1, ""), node.integers(2, "")
        axes, steps = node.integers(3, ""), node.integers(4, "")
    else:
        starts, ends, axes, steps = node.attribute("starts"), node.attribute("ends"), node.attribute("axes"), None
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    result = [(0, 1, extent) for extent in shape]
    for first, last, axis, step in zip(starts, ends, axes, steps):
        axis = axis_of(axis, len(shape))
        positions = range(*slice(first, last, step).indices(shape[axis]))
        result[axis] = (positions.start, step, len(positions))
    return result
