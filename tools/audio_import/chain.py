# SPDX-License-Identifier: BSL-1.0
"""Consecutive layers: C++ code for a block, and NumPy values for the whole signal."""
from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from onnx_import.program import Line
from torch_import.checkpoint import Plan
from torch_import.text import options

from . import numerics
from .activations import Activation, real


@dataclass
class Signal:
    """Rows of channels. A heavy text contains a product or a call of a stream, and may be used in one place only."""

    text: str
    array: np.ndarray
    heavy: bool = False

    @property
    def width(self) -> int:
        return self.array.shape[1]


def inside(text: str) -> str:
    """A text as an operand of a product."""
    return text if re.fullmatch(r"[\w.]+(\([^()]*\))?", text) else f"({text})"


def float32(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32)


class Chain(Plan):
    """The program of a model whose calls get blocks of at most `block` samples. Its values for the samples are float64."""

    def __init__(self, name: str, block: int) -> None:
        super().__init__(None, None, name)
        self.block, self.reach, self.sample_rate, self.prewarm_samples = block, 0, 0, 0
        self.kept = []  # members of the state: name, type, and where they begin if not with zeros
        self.named = {"block", "in_channels", "out_channels", "sample_rate", "prewarm_samples", "input", "output", "state"}
        self.declared, self.notes = {}, []

    def member(self, text: str, stored: str, kind: str, arrays: dict[str, np.ndarray]) -> None:
        self.named.add(text)
        super().member(text, stored, kind, {key: float32(array) for key, array in arrays.items()})

    def tensor(self, text: str, stored: str, array: np.ndarray) -> None:
        self.named.add(text)
        super().tensor(text, stored, float32(array))

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def begin(self, samples: np.ndarray) -> Signal:
        return Signal("x", samples)

    def buffer(self, width: int, role: str = "rows") -> str:
        """The name of a tensor [block, width] in the scratch."""
        name = f"{role}_{width}"
        if name not in self.declared:
            self.declared[name] = width
            self.lines.insert(len(self.declared) - 1, Line(name, "", "", np.empty((self.block, width), np.float32), "memory"))
        return name

    def write(self, name: str, x: Signal, comment: str = "") -> Signal:
        """Evaluates a signal into a buffer."""
        self.raw(f"step({name}, {x.text});" + (f"  // {comment}" if comment else ""))
        return Signal(name, x.array)

    def keep(self, x: Signal, comment: str = "") -> Signal:
        """The signal in memory, in a buffer that its text does not read."""
        if not x.heavy:
            return x
        free = next(role for role in ("rows", "more") if not re.search(rf"\b{role}_{x.width}\b", x.text))
        return self.write(self.buffer(x.width, free), x, comment)

    def dense(self, name: str, stored: str, x: Signal, weight: np.ndarray, bias: np.ndarray | None = None) -> Signal:
        """weight [out, in]."""
        out, into = weight.shape
        self.member(name, stored, f"nn::linear<{options(**{'in': into}, out=out, bias=None if bias is not None else False)}>",
                    {"weight": weight, **({} if bias is None else {"bias": bias})})
        x = self.keep(x)
        return Signal(f"{name}({x.text})", x.array @ weight.T + (0 if bias is None else bias), True)

    def conv(self, name: str, stored: str, x: Signal, weight: np.ndarray, bias: np.ndarray | None = None, dilation: int = 1,
             groups: int = 1) -> Signal:
        """A causal convolution; weight [out, in / groups, kernel]. One tap is a product of rows and needs no state."""
        out, into, kernel = weight.shape
        if kernel == 1 and groups == 1:
            return self.dense(name, stored, x, weight[:, :, 0], bias)
        given = options(**{"in": into * groups}, out=out, kernel=kernel, dilation=dilation if dilation != 1 else None,
                        groups=groups if groups != 1 else None, bias=None if bias is not None else False, channels_last=True)
        self.member(name, stored, f"nn::conv1d<{given}>", {"weight": weight, **({} if bias is None else {"bias": bias})})
        self.kept.append((name, f"nn::stream<decltype({self.name}::{name}), block>", None))
        self.reach += (kernel - 1) * dilation
        return Signal(f"kept.{name}({x.text}, limit...)", numerics.conv(x.array, weight, bias, dilation, groups), True)

    def latest(self, name: str, x: Signal) -> Signal:
        """The last input block of a convolution."""
        return Signal(f"kept.{name}.latest<block>()", x.array)

    def recurrent(self, kind: str, name: str, stored: str, x: Signal, layers: list[dict[str, np.ndarray]],
                  initial: list[np.ndarray] | None = None) -> Signal:
        """An lstm or a gru; `layers` are weights of each. `initial` are h and c, [layers, hidden], if these are no zeros."""
        hidden = layers[0]["weight_hh"].shape[1]
        count = {"layers": len(layers)} if len(layers) > 1 else {}
        self.member(name, stored, f"nn::{kind}<{options(**{'in': x.width}, hidden=hidden, **count)}>",
                    {f"{key}_l{i}": array for i, layer in enumerate(layers) for key, array in layer.items()})
        begins = None
        if initial is not None and any(np.any(part) for part in initial):
            begins = [(part, f"{name}_{part}") for part in "hc"]
            for (part, text), array in zip(begins, initial):
                self.tensor(text, f"{stored}.initial_{part}", array)
        self.kept.append((name, f"decltype({self.name}::{name})::state<>", begins))
        x = self.keep(x)
        array = x.array
        for i, layer in enumerate(layers):
            h, c = [part[i] for part in initial] if initial is not None else [np.zeros(hidden)] * 2
            if kind == "lstm":
                array = numerics.lstm(array, layer["weight_ih"], layer["weight_hh"], layer["bias_ih"] + layer["bias_hh"], h, c)
            else:
                array = numerics.gru(array, *(layer[part] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
        return self.keep(Signal(f"{name}({x.text}, kept.{name})", array, True), f"{kind}: {hidden} channels")

    def activate(self, x: Signal, activation: Activation, name: str = "") -> Signal:
        """`name` is that of the member with slopes, if the activation has some."""
        if activation.repeats:
            x = self.keep(x)
        if activation.slopes is not None:
            self.tensor(name, name, activation.slopes)
        return Signal(activation.text.format(x=x.text, slopes=name), activation.compute(x.array), x.heavy)

    def scale(self, x: Signal, factor: float) -> Signal:
        """The signal times a float."""
        return Signal(f"{inside(x.text)} * {real(factor)}", x.array * factor, x.heavy)

    def finish(self, x: Signal) -> np.ndarray:
        self.raw(f"step(y, {x.text});")
        return x.array
