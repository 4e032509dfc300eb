# SPDX-License-Identifier: BSL-1.0
"""Activations: their text in C++, and the same in NumPy."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
from onnx_import.cpp import literal
from onnx_import.errors import ModelError

from . import numerics


@dataclass(frozen=True)
class Activation:
    """`text` has {x} for the argument. `slopes` has one for each channel; the text calls them {slopes}."""

    text: str
    compute: Callable
    slopes: object = None

    @property
    def repeats(self) -> bool:
        return self.text.count("{x}") > 1


def real(number: float) -> str:
    return literal(number, np.float32)


def leaky(slope: float) -> Activation:
    return Activation(f"leaky_relu({{x}}, {real(slope)})", lambda x: np.where(x > 0, x, slope * x))


RELU = Activation("relu({x})", lambda x: np.maximum(x, 0))
TANH = Activation("tanh({x})", np.tanh)
SIGMOID = Activation("sigmoid({x})", numerics.sigmoid)
FAST_TANH = ("{x} * (2.4555075f + 2.4555075f * abs({x}) + (0.89322985f + 0.82122667f * abs({x})) * {x} * {x})"
             " / (2.4450663f + (2.4450663f + {x} * {x}) * abs({x} + 0.81464273f * {x} * abs({x})))")
RTNEURAL = {
    "tanh": TANH, "relu": RELU, "sigmoid": SIGMOID,
    "softmax": Activation("softmax<1>({x})", numerics.softmax),
    "elu": Activation("elu({x})", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
}
NAM = {
    "Tanh": TANH, "ReLU": RELU, "Sigmoid": SIGMOID,
    "Hardtanh": Activation("clamp({x}, -1.0f, 1.0f)", lambda x: np.clip(x, -1, 1)),
    "Fasttanh": Activation(FAST_TANH, numerics.fast_tanh),
    "SiLU": Activation("silu({x})", lambda x: x * numerics.sigmoid(x)),
    "Hardswish": Activation("hard_swish({x})", lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "LeakyReLU": leaky(0.01), "PReLU": leaky(0.01),
    "Softsign": Activation("{x} / (1.0f + abs({x}))", lambda x: x / (1 + np.abs(x))),
}


def nam_activation(found: object, where: str, width: int) -> Activation:
    """An activation of a .nam file: a name, or an object with `type` and parameters."""
    from .fields import Fields, array_of, shown
    if isinstance(found, dict):
        fields = Fields(found, where)
        kind = fields.text("type")
        if kind == "PReLU" and fields.has("negative_slopes"):
            slopes = array_of(fields.list("negative_slopes"), (width,), f"{where}.negative_slopes")
            return Activation("leaky_relu({x}, {slopes})", lambda x: np.where(x > 0, x, slopes * x), slopes)
        if kind in ("PReLU", "LeakyReLU"):
            return leaky(fields.real("negative_slope", 0.01))
    else:
        kind = found
    if not isinstance(kind, str) or kind not in NAM:
        raise ModelError(f"{where}: the activation {shown(kind)} is not supported, only {', '.join(sorted(NAM))}")
    return NAM[kind]
