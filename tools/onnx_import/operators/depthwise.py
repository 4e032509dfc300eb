# SPDX-License-Identifier: BSL-1.0
"""Depthwise convolutions as sums of taps: their kernels are bytes among the weights, and floats in scratch during a call."""
import itertools

import numpy as np

from ..narrow import KINDS_OF_TAPS, TAPS, rounded_to_bytes

MOST_TAPS = 32  # with more the windows of an image cost less


def is_depthwise(s, windows, channels, results):
    """Whether each channel has one kernel, with few taps along one or two axes."""
    return (s.attribute("group", 1) == channels == results and channels > 1 and len(windows) <= 2
            and np.prod([w.kernel for w in windows]) <= MOST_TAPS)


def sum_of_taps(image, factors, windows, extents, axis, channels):
    """Sums over windows of an image in memory, whose `extents` begin at `axis`; `factors` are [taps, channels] in memory. `channels`
    are before the image, or last if 0."""
    terms = []
    for number, place in enumerate(itertools.product(*(range(w.kernel) for w in windows))):
        text = image
        for i, (tap, w, extent) in enumerate(zip(place, windows, extents)):
            first = tap * w.dilation
            last = first + (w.count - 1) * w.stride + 1
            if (first, last, w.stride) != (0, extent, 1):
                text = f"slice<{axis + i}, {first}, {last}{f', {w.stride}' if w.stride != 1 else ''}>({text})"
        factor = f"row({factors}, {number})"
        if channels:
            factor = f"reshape<{', '.join(map(str, [channels] + [1] * len(windows)))}>({factor})"
        terms.append(f"{text} * {factor}")
    return f"({' + '.join(terms)})"


def kernels_in_bytes(s):
    """The kernels of a depthwise convolution as floats in scratch, [taps, channels], of bytes among the weights; None if the
    weights stay floats."""
    t, weight = s.translation, s.node.inputs[1]
    kernels = weight.array.reshape(weight.shape[0], -1)
    choice = t.weights.choose(s.node, [kernels.shape[::-1]], kinds=KINDS_OF_TAPS)
    if choice[0] is not TAPS:
        return None
    key = ("taps", id(weight))
    if key not in t.modules:
        numbers, scales = rounded_to_bytes(kernels)
        t.modules[key] = (t.member(weight.name, numbers.T.astype(np.int8)), t.member(f"{weight.name}_scale", scales[:, 0]))
    name, scales = t.modules[key]
    t.weights.record(s.node, name.removeprefix("self."), weight.name.removesuffix(".weight"), choice)
    return s.buffer("kernels", f"cast<float>({name}) * {scales}", np.float32, kernels.shape[::-1])
