# SPDX-License-Identifier: BSL-1.0
"""Files of NeuralAmpModeler: WaveNet and LSTM. Format: get_dsp.cpp, wavenet and lstm.cpp of NeuralAmpModelerCore."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
from onnx_import.errors import ModelError

from .activations import Activation, nam_activation
from .chain import Chain, Signal, inside
from .fields import MOST_REACH, Fields, NumberList, check_reach, shown

MODULATIONS = ("conv_pre_film", "conv_post_film", "input_mixin_pre_film", "input_mixin_post_film", "activation_pre_film",
               "activation_post_film", "layer1x1_post_film", "head1x1_post_film")


@dataclass
class Layer:
    kernel: int
    dilation: int
    activation: Activation
    gate: str  # "none", "gated" or "blended"
    second: Activation = None


@dataclass
class LayerArray:
    """The settings of one array of layers, from `config.layers`."""

    into: int
    channels: int
    inner: int  # channels between the two products of a layer
    head: int
    head_kernel: int
    head_dilation: int
    head_bias: bool
    residual: bool  # whether a layer ends with a product
    to_head: int  # channels of the product before the head, or 0
    groups: dict
    layers: list

    @property
    def head_width(self) -> int:
        return self.to_head or self.inner


def for_each(fields: Fields, name: str, count: int, found: object) -> list[tuple[object, str]]:
    """A setting of all layers, or a list with one for each."""
    if isinstance(found, list):
        if len(found) != count:
            raise fields.wrong(name, f"it has {len(found)} entries for {count} layers")
        return [(entry, f"{fields.named(name)}[{i}]") for i, entry in enumerate(found)]
    return [(found, fields.named(name))] * count


def layers_of(fields: Fields, inner: int) -> list[Layer]:
    dilations = fields.numbers("dilations", MOST_REACH)
    if not dilations:
        raise fields.wrong("dilations", "it is empty")
    count = len(dilations)
    if fields.has("kernel_sizes"):
        if fields.has("kernel_size"):
            raise fields.wrong("kernel_sizes", "there is a kernel_size, too")
        kernels = fields.numbers("kernel_sizes")
        if len(kernels) != count:
            raise fields.wrong("kernel_sizes", f"it has {len(kernels)} entries for {count} layers")
    else:
        kernels = [fields.number("kernel_size")] * count
    gates = for_each(fields, "gating_mode", count, fields.any("gating_mode", "gated" if fields.flag("gated", False) else "none"))
    activations = for_each(fields, "activation", count, fields.any("activation"))
    seconds = for_each(fields, "secondary_activation", count, fields.any("secondary_activation", "Sigmoid"))
    layers = []
    for kernel, dilation, (gate, where), first, second in zip(kernels, dilations, gates, activations, seconds):
        if gate not in ("none", "gated", "blended"):
            raise ModelError(f'{where}: {shown(gate)} is none of "none", "gated" and "blended"')
        check_reach(kernel, dilation, fields.where)
        layers.append(Layer(kernel, dilation, nam_activation(*first, inner), gate,
                            None if gate == "none" else nam_activation(*second, inner)))
    return layers


def array_of_layers(fields: Fields) -> LayerArray:
    for name in MODULATIONS:
        found = fields.entries.get(name)
        if found not in (None, False) and (not isinstance(found, dict) or found.get("active", True)):
            raise fields.wrong(name, "layers that the condition modulates (FiLM) are not supported")
    channels = fields.number("channels")
    inner = fields.number("bottleneck", channels)
    groups = {"conv": fields.number("groups_input", 1), "mixin": fields.number("groups_input_mixin", 1)}
    residual, to_head = True, 0
    if fields.has("layer1x1"):
        given = fields.fields("layer1x1")
        residual, groups["layer1x1"] = given.flag("active"), given.number("groups", 1)
    if fields.has("head1x1"):
        given = fields.fields("head1x1")
        groups["head1x1"] = given.number("groups", 1)
        to_head = given.number("out_channels") if given.flag("active") else 0
    if fields.has("head"):
        given = fields.fields("head")
        head = (given.number("out_channels"), given.number("kernel_size"), given.number("head_dilation", 1, MOST_REACH),
                given.flag("bias"))
        check_reach(head[1], head[2], given.where)
    else:
        head = fields.number("head_size"), 1, 1, fields.flag("head_bias")
    return LayerArray(fields.number("input_size"), channels, inner, *head, residual, to_head, groups, layers_of(fields, inner))


def dense_matrix(weights: NumberList, what: str, out: int, into: int, groups: int) -> np.ndarray:
    """A matrix [out, into] of a product in groups, which is zero between them."""
    if out % groups or into % groups:
        raise ModelError(f"{what}: {groups} groups do not divide {into} and {out} channels")
    blocks = weights.take(what, groups, out // groups, into // groups)
    matrix = np.zeros((out, into))
    for g, block in enumerate(blocks):
        matrix[g * out // groups:(g + 1) * out // groups, g * into // groups:(g + 1) * into // groups] = block
    return matrix


def kernel_of(weights: NumberList, what: str, out: int, into: int, kernel: int, groups: int = 1) -> np.ndarray:
    if out % groups or into % groups:
        raise ModelError(f"{what}: {groups} groups do not divide {into} and {out} channels")
    return weights.take(what, out, into // groups, kernel)


def gated(chain: Chain, layer: Layer, z: Signal, inner: int, name: str) -> Signal:
    """The activation of a layer: of all channels, or of the first half with the second as a gate."""
    if layer.gate == "none":
        return chain.activate(z, layer.activation, f"{name}_slopes")
    z = chain.keep(z)
    first = Signal(f"slice<1, 0, {inner}>({z.text})", z.array[:, :inner])
    second = Signal(f"slice<1, {inner}, {2 * inner}>({z.text})", z.array[:, inner:])
    shown_part = chain.activate(first, layer.activation, f"{name}_slopes")
    gate = chain.activate(second, layer.second, f"{name}_gate_slopes")
    product = Signal(f"{inside(shown_part.text)} * {inside(gate.text)}", shown_part.array * gate.array)
    if layer.gate == "gated":
        return product
    return Signal(f"{product.text} + (1.0f - {inside(gate.text)}) * {first.text}", product.array + (1 - gate.array) * first.array)


def run_array(chain: Chain, weights: NumberList, index: int, array: LayerArray, x: Signal, condition: Signal,
              head: Signal | None, is_last: bool) -> tuple[Signal, Signal]:
    """The layers of one array. Returns what the last one gives, and the head."""
    stored = f"layer_arrays.{index}"
    x = chain.dense(f"rechannel_{index}", f"{stored}.rechannel", x,
                    weights.take(f"{stored}.rechannel", array.channels, array.into))
    sums = chain.buffer(array.head_width, "head")
    for i, layer in enumerate(array.layers):
        name, path = f"{index}_{i}", f"{stored}.layers.{i}"
        width = array.inner * (1 if layer.gate == "none" else 2)
        kernel = kernel_of(weights, f"{path}.conv", width, array.channels, layer.kernel, array.groups["conv"])
        bias = weights.take(f"{path}.conv", width)
        if layer.kernel == 1:  # the residual reads x again
            x = chain.keep(x)
        z = chain.conv(f"conv_{name}", f"{path}.conv", x, kernel, bias, layer.dilation, array.groups["conv"])
        x = Signal(x.text, x.array) if z.text.startswith(f"conv_{name}(") else chain.latest(f"conv_{name}", x)
        mixed = chain.dense(f"input_mixin_{name}", f"{path}.input_mixin", condition,
                            dense_matrix(weights, f"{path}.input_mixin", width, condition.width, array.groups["mixin"]))
        z = Signal(f"{z.text} + {mixed.text}", z.array + mixed.array, True)
        z = gated(chain, layer, z, array.inner, f"activation_{name}")
        z = chain.write(chain.buffer(array.inner, "shown"), z, f"layer {index}.{i}: kernel {layer.kernel}, dilation {layer.dilation}")
        if array.residual:
            matrix = dense_matrix(weights, f"{path}.1x1", array.channels, array.inner, array.groups.get("layer1x1", 1))
            bias = weights.take(f"{path}.1x1", array.channels)
            if not (is_last and i + 1 == len(array.layers)):
                y = chain.dense(f"project_{name}", f"{path}.1x1", z, matrix, bias)
                x = Signal(f"{x.text} + {y.text}", x.array + y.array, True)
            else:
                chain.note(f"{path}.1x1 is left out: nothing reads what it makes")
        if array.to_head:
            matrix = dense_matrix(weights, f"{path}.head1x1", array.to_head, array.inner, array.groups["head1x1"])
            z = chain.dense(f"to_head_{name}", f"{path}.head1x1", z, matrix, weights.take(f"{path}.head1x1", array.to_head))
        if head is None:
            head = chain.write(sums, z)
        else:
            head = chain.write(sums, Signal(f"{head.text} + {z.text}", head.array + z.array))
    kernel = weights.take(f"{stored}.head_rechannel", array.head, array.head_width, array.head_kernel)
    bias = weights.take(f"{stored}.head_rechannel", array.head) if array.head_bias else None
    if not is_last:
        x = chain.write(chain.buffer(array.channels, "last"), x)
    return x, chain.conv(f"head_rechannel_{index}", f"{stored}.head_rechannel", head, kernel, bias, array.head_dilation)


def post_head(chain: Chain, config: Fields, weights: NumberList, x: Signal) -> Signal:
    """config.head: an activation and a convolution, several times."""
    fields = config.fields("head")
    if fields.number("in_channels", x.width) != x.width:
        raise fields.wrong("in_channels", f"{fields.any('in_channels')}, but the layers make {x.width}")
    kernels = fields.numbers("kernel_sizes")
    if not kernels:
        raise fields.wrong("kernel_sizes", "it is empty")
    for i, kernel in enumerate(kernels):
        out = fields.number("out_channels") if i + 1 == len(kernels) else fields.number("channels")
        x = chain.activate(x, nam_activation(fields.any("activation"), fields.named("activation"), x.width), f"head_{i}_slopes")
        matrix = weights.take(f"head.{i}", out, x.width, kernel)
        x = chain.conv(f"head_{i}", f"head.{i}", x, matrix, weights.take(f"head.{i}", out))
    return x


def wavenet(chain: Chain, config: Fields, weights: NumberList, samples: np.ndarray) -> np.ndarray:
    if config.has("condition_dsp"):
        raise config.wrong("condition_dsp", "a model that makes the condition of another is not supported")
    found = config.objects("layers")
    if not found:
        raise config.wrong("layers", "it is empty")
    if any(fields.has("slimmable") for fields in found):
        chain.note("slimmable: imported with all channels")
    condition = x = chain.begin(samples)
    head = None
    for i, fields in enumerate(found):
        array = array_of_layers(fields)
        if array.into != x.width:
            raise fields.wrong("input_size", f"{array.into}, but {x.width} channels come")
        if fields.number("condition_size") != condition.width:
            raise fields.wrong("condition_size", f"{fields.any('condition_size')}, but the input has {condition.width} channels")
        if head is not None:
            if head.width != array.head_width:
                raise fields.wrong("channels", f"the head takes {array.head_width} channels, but {head.width} come from the array before")
            head = chain.write(chain.buffer(head.width, "head"), head)
        x, head = run_array(chain, weights, i, array, x, condition, head, i + 1 == len(found))
    # The number in the weights counts, as in NeuralAmpModelerCore. Convolutions after it lie before it.
    if config.has("head"):
        head = post_head(chain, config, weights, chain.scale(head, weights.numbers[-1]))
        weights.take("head_scale", 1)
    else:
        head = chain.scale(head, weights.take("head_scale", 1)[0])
    config.real("head_scale")
    chain.prewarm_samples = 1 + chain.reach
    return chain.finish(head)


def lstm(chain: Chain, config: Fields, weights: NumberList, samples: np.ndarray) -> np.ndarray:
    count, hidden = config.number("num_layers", most=64), config.number("hidden_size")
    into, out = config.number("input_size"), config.number("out_channels", 1)
    x = chain.begin(samples)
    if into != x.width:
        raise config.wrong("input_size", f"{into}, but in_channels is {x.width}")
    layers, begins = [], []
    for i in range(count):
        matrix = weights.take(f"layer {i}", 4 * hidden, into + hidden)
        bias = weights.take(f"layer {i}", 4 * hidden)
        layers.append({"weight_ih": matrix[:, :into], "weight_hh": matrix[:, into:], "bias_ih": bias, "bias_hh": np.zeros_like(bias)})
        begins.append((weights.take(f"h of layer {i}", hidden), weights.take(f"c of layer {i}", hidden)))
        into = hidden
    x = chain.recurrent("lstm", "lstm", "lstm", x, layers, [np.array(part) for part in zip(*begins)])
    matrix = weights.take("head", out, hidden)
    chain.prewarm_samples = max(1, int(0.5 * chain.sample_rate))
    return chain.finish(chain.dense("head", "head", x, matrix, weights.take("head", out)))


ARCHITECTURES = {"WaveNet": wavenet, "LSTM": lstm}


def submodel(file: Fields, chosen: int | None, notes: list[str]) -> Fields:
    """The model itself; of a container the chosen one, or the largest."""
    if file.text("architecture") != "SlimmableContainer":
        if chosen is not None:
            raise ModelError(f"--submodel {chosen}: the file is no SlimmableContainer")
        return file
    found = file.fields("config").objects("submodels")
    if not found:
        raise ModelError("config.submodels: it is empty")
    index = len(found) - 1 if chosen is None else chosen
    if not 0 <= index < len(found):
        raise ModelError(f"--submodel {chosen}: the file has {len(found)}, from 0 on")
    notes.append(f"a SlimmableContainer: submodel {index} of {len(found)}" +
                 (", the largest; --submodel takes another" if chosen is None else ""))
    return found[index].fields("model")


def open_nam(file: Fields, chosen: int | None, notes: list[str]) -> tuple[int, str, Callable]:
    """The number of input channels, a title, and a function of a chain and samples that builds the model."""
    file = submodel(file, chosen, notes)
    kind, config = file.text("architecture"), file.fields("config")
    if kind not in ARCHITECTURES:
        raise file.wrong("architecture", f"{shown(kind)} is not supported, only {', '.join(ARCHITECTURES)}")
    numbers = file.list("weights")
    rate = file.real("sample_rate", 48000)
    if not 0 < rate <= 1e6:
        raise file.wrong("sample_rate", f"{shown(rate)} is no rate")

    def build(chain: Chain, samples: np.ndarray) -> np.ndarray:
        weights = NumberList(numbers, file.named("weights"))
        chain.sample_rate = rate if file.has("sample_rate") else 0
        y = ARCHITECTURES[kind](chain, config, weights, samples)
        weights.finish()
        return y

    return config.number("in_channels", 1), f"a {kind} of NeuralAmpModeler", build
