# SPDX-License-Identifier: BSL-1.0
"""The JSON files of RTNeural: consecutive Keras layers. Format: python/model_utils.py and model_loader.h there."""
from __future__ import annotations

from typing import Callable

import numpy as np
from onnx_import.errors import ModelError

from .activations import RTNEURAL, Activation
from .chain import Chain, Signal, inside
from .fields import MOST_REACH, Fields, array_of, check_reach, positive, shown


class Layer:
    """One entry of `layers`, and where it is in the program."""

    def __init__(self, fields: Fields, index: int) -> None:
        self.fields, self.index = fields, index
        self.kind = fields.text("type")
        self.name, self.stored = f"{self.kind.replace('-', '_')}_{index}", f"layers.{index}"
        self.weights = fields.list("weights")

    @property
    def width(self) -> int:
        shape = self.fields.list("shape")
        if not 1 < len(shape) < 4:
            raise self.fields.wrong("shape", f"{shown(shape)} is no shape of samples and channels")
        return positive(shape[-1], f"{self.fields.named('shape')}[-1]", 4096)

    def array(self, i: int, *shape: int) -> np.ndarray:
        if i >= len(self.weights):
            raise self.fields.wrong("weights", f"there are {len(self.weights)} arrays, but number {i} is needed")
        return array_of(self.weights[i], shape, f"{self.fields.named('weights')}[{i}]")

    def expect(self, *counts: int) -> None:
        if len(self.weights) not in counts:
            raise self.fields.wrong("weights", f"there are {len(self.weights)} arrays, but {' or '.join(map(str, counts))} fit")

    def last(self, name: str, most: int) -> int:
        """The last of a list of numbers."""
        found = self.fields.list(name)
        if not found:
            raise self.fields.wrong(name, "it is empty")
        return positive(found[-1], self.fields.named(name), most)

    def activation(self) -> Activation | None:
        kind = self.fields.text("activation", "")
        if kind and kind not in RTNEURAL:
            raise self.fields.wrong("activation", f"{shown(kind)} is not supported, only {', '.join(RTNEURAL)}")
        return RTNEURAL.get(kind)


def dense(chain: Chain, layer: Layer, x: Signal) -> Signal:
    layer.expect(1, 2)
    bias = layer.array(1, layer.width) if len(layer.weights) > 1 else None
    return chain.dense(layer.name, layer.stored, x, layer.array(0, x.width, layer.width).T, bias)


def conv1d(chain: Chain, layer: Layer, x: Signal) -> Signal:
    layer.expect(2)
    kernel, dilation, groups = layer.last("kernel_size", 4096), layer.last("dilation", MOST_REACH), layer.fields.number("groups", 1)
    if x.width % groups or layer.width % groups:
        raise layer.fields.wrong("groups", f"{groups} do not divide {x.width} and {layer.width} channels")
    check_reach(kernel, dilation, layer.fields.where)
    weight = layer.array(0, kernel, x.width // groups, layer.width).transpose(2, 1, 0)
    return chain.conv(layer.name, layer.stored, x, weight, layer.array(1, layer.width), dilation, groups)


def lstm(chain: Chain, layer: Layer, x: Signal) -> Signal:
    layer.expect(3)
    weights = {"weight_ih": layer.array(0, x.width, 4 * layer.width).T, "weight_hh": layer.array(1, layer.width, 4 * layer.width).T,
               "bias_ih": layer.array(2, 4 * layer.width)}
    return chain.recurrent("lstm", layer.name, layer.stored, x, [{**weights, "bias_hh": np.zeros(4 * layer.width)}])


def gru(chain: Chain, layer: Layer, x: Signal) -> Signal:
    """Keras has the gates z, r, h; PyTorch r, z, n."""
    layer.expect(3)

    def ordered(array: np.ndarray) -> np.ndarray:
        z, r, n = np.split(array, 3, axis=-1)
        return np.concatenate([r, z, n], axis=-1)

    bias = ordered(layer.array(2, 2, 3 * layer.width))
    return chain.recurrent("gru", layer.name, layer.stored, x, [{
        "weight_ih": ordered(layer.array(0, x.width, 3 * layer.width)).T,
        "weight_hh": ordered(layer.array(1, layer.width, 3 * layer.width)).T, "bias_ih": bias[0], "bias_hh": bias[1]}])


def prelu(chain: Chain, layer: Layer, x: Signal) -> Signal:
    layer.expect(1)
    if not isinstance(layer.weights[0], list) or len(layer.weights[0]) != 1 or not isinstance(layer.weights[0][0], list):
        raise layer.fields.wrong("weights[0]", "it is no list with one list of slopes")
    count = len(layer.weights[0][0])
    if count not in (1, x.width):
        raise layer.fields.wrong("weights[0]", f"{count} slopes for {x.width} channels")
    slopes = layer.array(0, 1, count)[0]
    channels = f".channels = {count}, " if count > 1 else ""
    chain.member(layer.name, layer.stored, f"nn::prelu<{{{channels}.channels_last = true}}>", {"weight": slopes})
    x = chain.keep(x)
    return Signal(f"{layer.name}({x.text})", np.where(x.array > 0, x.array, slopes * x.array))


def batchnorm(chain: Chain, layer: Layer, x: Signal) -> Signal:
    """A factor and a summand for each channel."""
    layer.expect(2, 4)
    parts = [layer.array(i, x.width) for i in range(len(layer.weights))]
    mean, variance = parts[-2:]
    gamma, beta = parts[:2] if len(parts) == 4 else (1, 0)
    epsilon = layer.fields.real("epsilon")
    if (variance + epsilon <= 0).any():
        raise layer.fields.wrong("weights", "a variance is not positive")
    scale = gamma / np.sqrt(variance + epsilon)
    shift = beta - mean * scale
    chain.tensor(f"{layer.name}_scale", f"{layer.stored}.scale", scale)
    chain.tensor(f"{layer.name}_shift", f"{layer.stored}.shift", shift)
    return Signal(f"{inside(x.text)} * {layer.name}_scale + {layer.name}_shift", x.array * scale + shift, x.heavy)


def nothing(chain: Chain, layer: Layer, x: Signal) -> Signal:
    layer.expect(0)
    return x


LAYERS = {"dense": dense, "time-distributed-dense": dense, "conv1d": conv1d, "lstm": lstm, "gru": gru, "prelu": prelu,
          "batchnorm": batchnorm, "activation": nothing}
ACTIVATED = ("dense", "time-distributed-dense", "conv1d", "activation")  # RTNeural does not read the activation of other layers


def build_layers(chain: Chain, layers: list[Layer], samples: np.ndarray) -> np.ndarray:
    x = chain.begin(samples)
    for layer in layers:
        x = LAYERS[layer.kind](chain, layer, x)
        if x.width != layer.width:
            raise layer.fields.wrong("shape", f"{layer.width} channels, but the layer makes {x.width}")
        if layer.kind in ACTIVATED:
            activation = layer.activation()
            if activation:
                # A softmax goes to memory, since what reads its entries would compute it again.
                x = chain.activate(x, activation)
                x = chain.keep(Signal(x.text, x.array, True)) if "softmax" in activation.text else x
        elif layer.fields.text("activation", "") not in ("", "tanh" if layer.kind in ("lstm", "gru") else ""):
            raise layer.fields.wrong("activation", f"{shown(layer.fields.any('activation'))} in a layer of type {layer.kind}")
    return chain.finish(x)


def open_rtneural(file: Fields) -> tuple[int, str, Callable]:
    """The number of input channels, a title, and a function of a chain and samples that builds the model."""
    shape = file.list("in_shape")
    if not 1 < len(shape) < 4:
        raise file.wrong("in_shape", f"{shown(shape)} is no shape of samples and channels")
    found = [Layer(fields, i) for i, fields in enumerate(file.objects("layers"))]
    if not found:
        raise file.wrong("layers", "it is empty")
    for layer in found:
        if layer.kind not in LAYERS:
            raise ModelError(f"{layer.fields.named('type')}: {shown(layer.kind)} is not supported, only {', '.join(LAYERS)}")
    return positive(shape[-1], "in_shape[-1]", 4096), "a model of RTNeural", lambda chain, samples: build_layers(chain, found, samples)
