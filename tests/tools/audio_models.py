# SPDX-License-Identifier: BSL-1.0
"""Small audio models with weights by chance, as files of their own formats."""
import numpy as np

random = np.random.default_rng(5)


def numbers(*shape, scale=0.4):
    return (scale * random.standard_normal(shape)).tolist()


def nam(architecture, config, count, scale=0.4):
    """A .nam file; the last number of a WaveNet is the scale of its head."""
    return {"version": "0.5.4", "architecture": architecture, "config": config, "weights": numbers(count, scale=scale)[:-1] + [0.7],
            "sample_rate": 48}  # 24 samples of silence before an LSTM


def array(**settings):
    return {"input_size": 1, "condition_size": 1, "head_size": 1, "channels": 3, "kernel_size": 3, "dilations": [1, 2],
            "activation": "Tanh", "gated": False, "head_bias": False, **settings}


# As the trainer writes them: an array whose head is that of the next one.
PLAIN = nam("WaveNet", {"layers": [array(head_size=2), array(input_size=3, channels=2, dilations=[8], head_bias=True)], "head": None,
                        "head_scale": 0.02}, 131)
# Gates, an inner width, groups, products before the head, a head that remembers, and a function of each layer.
GATED = nam("WaveNet", {"layers": [
    array(channels=4, bottleneck=2, kernel_sizes=[2, 3], activation=["SiLU", {"type": "PReLU", "negative_slopes": [0.1, 0.4]}],
          gating_mode=["gated", "blended"], secondary_activation="Hardswish", groups_input=2, layer1x1={"active": True, "groups": 2},
          head1x1={"active": True, "out_channels": 3, "groups": 1}, head={"out_channels": 2, "kernel_size": 3, "head_dilation": 2, "bias": True})],
    "head": {"channels": 3, "out_channels": 1, "kernel_sizes": [2, 1], "activation": "Softsign"}, "head_scale": 1}, 134)
del GATED["config"]["layers"][0]["kernel_size"], GATED["config"]["layers"][0]["head_size"], GATED["config"]["layers"][0]["gated"]
# Layers without a residual product, kernels of one tap, and two channels in and out, in a container.
STEREO = nam("WaveNet", {"in_channels": 2, "layers": [
    array(input_size=2, condition_size=2, channels=2, kernel_sizes=[1, 2, 2], dilations=[1, 1, 3], activation=["Fasttanh", "Hardtanh", "LeakyReLU"],
          layer1x1={"active": False, "groups": 1}, groups_input_mixin=2, head_size=2)], "head_scale": 1}, 41)
del STEREO["config"]["layers"][0]["kernel_size"]
CONTAINER = {"version": "0.7.0", "architecture": "SlimmableContainer", "weights": [], "config": {"submodels": [
    {"max_value": 0.5, "model": PLAIN}, {"max_value": 1.0, "model": STEREO}]}}
LSTM = nam("LSTM", {"input_size": 1, "hidden_size": 3, "num_layers": 2}, 160)


def layer(kind, width, weights, activation="", **more):
    return {"type": kind, "activation": activation, "shape": [None, None, width], "weights": weights, **more}


def conv(into, width, kernel, dilation, activation, groups=1):
    return layer("conv1d", width, [numbers(kernel, into // groups, width), numbers(width)], activation, kernel_size=[kernel],
                 dilation=[dilation], groups=groups)


def spread(width):
    return (0.5 + random.random(width)).tolist()


CONVOLUTIONS = {"in_shape": [None, None, 1], "layers": [
    layer("time-distributed-dense", 4, [numbers(1, 4), numbers(4)], "tanh"), conv(4, 4, 3, 2, "relu", 2),
    layer("batchnorm", 4, [spread(4), numbers(4), numbers(4), spread(4)], epsilon=0.01), layer("prelu", 4, [[spread(4)]]),
    conv(4, 4, 1, 1, "elu"), conv(4, 3, 2, 1, ""), layer("prelu", 3, [[[0.3]]]),
    layer("gru", 3, [numbers(3, 9), numbers(3, 9), numbers(2, 9)], "tanh"), layer("dense", 2, [numbers(3, 2), numbers(2)], "sigmoid")]}
ROWS = {"in_shape": [None, None, 2], "layers": [
    layer("batchnorm", 2, [numbers(2), spread(2)], epsilon=1.0), layer("lstm", 5, [numbers(2, 20), numbers(5, 20), numbers(20)], "tanh"),
    layer("dense", 4, [numbers(5, 4)]), layer("activation", 4, [], "softmax"), layer("dense", 1, [numbers(4, 1), numbers(1)])]}

MODELS = {"plain_wavenet": ("nam", PLAIN, ()), "gated_wavenet": ("nam", GATED, ()), "stereo_wavenet": ("nam", CONTAINER, ()),
          "stacked_lstm": ("nam", LSTM, ()), "convolutions": ("json", CONVOLUTIONS, ()), "rows_of_lstm": ("json", ROWS, ("--embed",))}
