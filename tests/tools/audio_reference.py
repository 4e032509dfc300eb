# SPDX-License-Identifier: BSL-1.0
"""Audio models sample by sample, from their definitions. It shares no code with the importer that it checks."""
import math

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rational_tanh(x):
    a, s = abs(x), x * x
    return (x * (2.45550750702956 + 2.45550750702956 * a + (0.893229853513558 + 0.821226666969744 * a) * s) /
            (2.44506634652299 + (2.44506634652299 + s) * abs(x + 0.814642734961073 * x * a)))


NAM_FUNCTIONS = {
    "Tanh": math.tanh, "Sigmoid": sigmoid, "ReLU": lambda x: max(x, 0), "SiLU": lambda x: x * sigmoid(x),
    "Hardtanh": lambda x: min(max(x, -1), 1), "LeakyReLU": lambda x: x if x > 0 else 0.01 * x, "Fasttanh": rational_tanh,
    "Hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6, "Softsign": lambda x: x / (1 + abs(x)),
}


def nam_function(of, channel):
    if isinstance(of, str):
        return NAM_FUNCTIONS[of]
    slope = of["negative_slopes"][channel] if "negative_slopes" in of else of["negative_slope"]
    return lambda x: x if x > 0 else slope * x


class Taps:
    """A causal convolution with the samples that it still needs."""

    def __init__(self, take, into, out, kernel, dilation=1, groups=1, bias=True):
        self.into, self.out, self.kernel, self.dilation = into, out, kernel, dilation
        self.weight = [np.zeros((out, into)) for _ in range(kernel)]
        for g in range(groups):
            for i in range(out // groups):
                for j in range(into // groups):
                    for k in range(kernel):
                        self.weight[k][g * (out // groups) + i, g * (into // groups) + j] = take()
        self.bias = np.array([take() if bias else 0.0 for _ in range(out)])
        self.past = [np.zeros(into) for _ in range((kernel - 1) * dilation)]

    def __call__(self, x):
        self.past.append(x)
        y = self.bias + sum(self.weight[k] @ self.past[k * self.dilation] for k in range(self.kernel))
        self.past.pop(0)
        return y


class NamWaveNet:
    def __init__(self, file):
        numbers = iter(np.array(file["weights"], np.float32).astype(float))

        def take():
            return next(numbers)

        self.arrays = []
        for layers in file["config"]["layers"]:
            channels, condition = layers["channels"], layers["condition_size"]
            inner = layers.get("bottleneck", channels)
            array = {"in": Taps(take, layers["input_size"], channels, 1, bias=False), "layers": []}
            count = len(layers["dilations"])
            for i, dilation in enumerate(layers["dilations"]):
                gate = layers.get("gating_mode", "gated" if layers.get("gated") else "none")
                gate = gate[i] if isinstance(gate, list) else gate
                kernel = layers["kernel_sizes"][i] if "kernel_sizes" in layers else layers["kernel_size"]
                width = inner if gate == "none" else 2 * inner
                of = layers["activation"]
                of = of[i] if isinstance(of, list) else of
                layer = {"conv": Taps(take, channels, width, kernel, dilation, layers.get("groups_input", 1)),
                         "mix": Taps(take, condition, width, 1, 1, layers.get("groups_input_mixin", 1), False), "gate": gate,
                         "of": of, "second": layers.get("secondary_activation", "Sigmoid"), "inner": inner}
                if layers.get("layer1x1", {"active": True})["active"]:
                    layer["1x1"] = Taps(take, inner, channels, 1, 1, layers.get("layer1x1", {}).get("groups", 1))
                if layers.get("head1x1", {"active": False})["active"]:
                    layer["to_head"] = Taps(take, inner, layers["head1x1"]["out_channels"], 1, 1, layers["head1x1"]["groups"])
                array["layers"].append(layer)
            assert len(array["layers"]) == count
            width = layers["head1x1"]["out_channels"] if layers.get("head1x1", {"active": False})["active"] else inner
            head = layers.get("head") or {"out_channels": layers["head_size"], "kernel_size": 1, "bias": layers["head_bias"]}
            array["head"] = Taps(take, width, head["out_channels"], head["kernel_size"], head.get("head_dilation", 1), 1, head["bias"])
            array["width"] = width
            self.arrays.append(array)
        self.post, self.function = [], None
        post = file["config"].get("head")
        if post:
            into = self.arrays[-1]["head"].out
            self.function = post["activation"]
            for i, kernel in enumerate(post["kernel_sizes"]):
                out = post["out_channels"] if i + 1 == len(post["kernel_sizes"]) else post["channels"]
                self.post.append(Taps(take, into, out, kernel))
                into = out
        self.scale = take()
        assert next(numbers, None) is None

    def __call__(self, sample):
        x, head = sample, None
        for array in self.arrays:
            head = np.zeros(array["width"]) if head is None else head
            x = array["in"](x)
            for layer in array["layers"]:
                z, inner = layer["conv"](x) + layer["mix"](sample), layer["inner"]
                shown = np.array([nam_function(layer["of"], c)(z[c]) for c in range(inner)])
                if layer["gate"] != "none":
                    gate = np.array([nam_function(layer["second"], c)(z[inner + c]) for c in range(inner)])
                    shown = gate * shown + ((1 - gate) * z[:inner] if layer["gate"] == "blended" else 0)
                if "1x1" in layer:
                    x = x + layer["1x1"](shown)
                head = head + (layer["to_head"](shown) if "to_head" in layer else shown)
            head = array["head"](head)
        y = self.scale * head
        for conv in self.post:
            y = conv(np.array([nam_function(self.function, c)(v) for c, v in enumerate(y)]))
        return y


class NamLstm:
    def __init__(self, file):
        config, numbers = file["config"], iter(np.array(file["weights"], np.float32).astype(float))
        hidden = self.hidden = config["hidden_size"]
        self.cells, into = [], config["input_size"]
        for _ in range(config["num_layers"]):
            matrix = np.array([[next(numbers) for _ in range(into + hidden)] for _ in range(4 * hidden)])
            bias, h, c = (np.array([next(numbers) for _ in range(n)]) for n in (4 * hidden, hidden, hidden))
            self.cells.append([matrix, bias, h, c])
            into = hidden
        out = config.get("out_channels", 1)
        self.head = np.array([[next(numbers) for _ in range(hidden)] for _ in range(out)])
        self.bias = np.array([next(numbers) for _ in range(out)])
        assert next(numbers, None) is None

    def __call__(self, x):
        for cell in self.cells:
            matrix, bias, h, c = cell
            i, f, g, o = np.split(matrix @ np.concatenate([x, h]) + bias, 4)
            cell[3] = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            cell[2] = x = sigmoid(o) * np.tanh(cell[3])
        return self.head @ x + self.bias


class KerasLayer:
    """A layer of an RTNeural file, one sample at a time."""

    def __init__(self, layer):
        self.kind, self.layer = layer["type"], layer
        self.weights = [np.array(w, np.float32).astype(float) for w in layer["weights"]]
        self.h = self.c = np.zeros(layer["shape"][-1])
        self.past = []

    def __call__(self, x):
        y = getattr(self, self.kind.replace("-", "_"))(x)
        return self.activated(y) if self.kind not in ("lstm", "gru") else y

    def activated(self, x):
        kind = self.layer.get("activation", "")
        if kind == "softmax":
            return np.exp(x) / np.exp(x).sum()
        return {"": lambda v: v, "tanh": np.tanh, "sigmoid": sigmoid, "relu": lambda v: np.maximum(v, 0),
                "elu": lambda v: np.where(v > 0, v, np.exp(v) - 1)}[kind](x)

    def dense(self, x):
        return x @ self.weights[0] + (self.weights[1] if len(self.weights) > 1 else 0)

    time_distributed_dense = dense

    def activation(self, x):
        return x

    def conv1d(self, x):
        weight, bias = self.weights
        kernel, into, out = weight.shape
        dilation, groups = self.layer["dilation"][-1], self.layer.get("groups", 1)
        if not self.past:
            self.past = [np.zeros_like(x) for _ in range((kernel - 1) * dilation)]
        self.past.append(x)
        y = bias.copy()
        for o in range(out):
            first = o // (out // groups) * into
            for k in range(kernel):
                y[o] += self.past[k * dilation][first:first + into] @ weight[k, :, o]
        self.past.pop(0)
        return y

    def batchnorm(self, x):
        gamma, beta, mean, variance = self.weights if len(self.weights) == 4 else (1, 0, *self.weights)
        return gamma * (x - mean) / np.sqrt(variance + self.layer["epsilon"]) + beta

    def prelu(self, x):
        return np.where(x > 0, x, self.weights[0][0] * x)

    def lstm(self, x):
        kernel, recurrent, bias = self.weights
        i, f, g, o = np.split(x @ kernel + self.h @ recurrent + bias, 4)
        self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
        self.h = sigmoid(o) * np.tanh(self.c)
        return self.h

    def gru(self, x):
        kernel, recurrent, bias = self.weights
        z, r, n = np.split(x @ kernel + bias[0], 3)
        of_z, of_r, of_n = np.split(self.h @ recurrent + bias[1], 3)
        z = sigmoid(z + of_z)
        self.h = z * self.h + (1 - z) * np.tanh(n + sigmoid(r + of_r) * of_n)
        return self.h


class Keras:
    def __init__(self, file):
        self.layers = [KerasLayer(layer) for layer in file["layers"]]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def model_of(file):
    if "layers" in file:
        return Keras(file)
    return {"WaveNet": NamWaveNet, "LSTM": NamLstm}[file["architecture"]](file)


def played(file, samples, silence=0):
    """The results for all samples, behind so many of silence."""
    model = model_of(file)
    for _ in range(silence):
        model(np.zeros(samples.shape[1]))
    return np.array([model(x) for x in samples.astype(float)])
