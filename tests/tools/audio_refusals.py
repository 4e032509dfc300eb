# SPDX-License-Identifier: BSL-1.0
"""Audio models that cannot be used: bytes, what the one line of error says, and options."""
import copy
import json

from audio_models import CONTAINER, CONVOLUTIONS, GATED, LSTM, PLAIN, ROWS


def changed(file, path, value):
    """The bytes of a file with another value at a path; ... removes it."""
    file = copy.deepcopy(file)
    at = file
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(file).encode()


def refusals():
    """Title, bytes, text, options."""
    first = ("config", "layers", 0)
    layers = [("a list", b"[1, 2]", "no JSON object"), ("no JSON", b'{"architecture": "WaveNet"', "no JSON"),
              ("not UTF-8", b"\xff\xfe{}", "no JSON"), ("nested", b"[" * 100000, "no JSON"), ("another format", b'{"a": 1}', "neither a .nam file"),
              ("NaN", b'{"architecture": "LSTM", "weights": [NaN]}', "NaN is no number of JSON")]
    cases = [(title, raw, text, ()) for title, raw, text in layers]
    for path, value, text in [
            (("weights",), PLAIN["weights"][:-1], "but head_scale needs those up to 131"),
            (("weights",), PLAIN["weights"] + [1.0], "it has 132 numbers, but the layers need 131"),
            (("weights", 3), 1e39, "a number is not finite as a float"), (("weights", 3), "1", "no array of numbers"),
            (("weights", 3), [1], "no array of numbers"), (("weights",), ..., "weights: it is missing"),
            (("architecture",), "ConvNet", '"ConvNet" is not supported'), (("config",), 3, "config: 3 is no object"),
            (("sample_rate",), -1, "is no rate"), (("config", "layers"), [], "it is empty"), (first, 7, "is no object"),
            (first + ("channels",), 0, "0 is no integer from 1"), (first + ("channels",), 2.5, "2.5 is no integer"),
            (first + ("channels",), True, "true is no integer"), (first + ("kernel_size",), 1 << 40, "is no integer from 1"),
            (first + ("dilations",), [], "it is empty"), (first + ("dilations",), [1 << 22, 1], "remembers 8,388,608 samples"),
            (first + ("activation",), "Gelu", '"Gelu" is not supported'), (first + ("activation",), ["Tanh"], "1 entries for 2 layers"),
            (first + ("condition_size",), 2, "but the input has 1 channels"), (first + ("input_size",), 2, "but 1 channels come"),
            (first + ("head_size",), 1, "the head takes 2 channels, but 1 come"), (first + ("gating_mode",), "half", "is none of"),
            (first + ("conv_pre_film",), {"active": True}, "FiLM"), (first + ("groups_input",), 2, "2 groups do not divide 3"),
            (first + ("head_bias",), 1, "1 is no true or false"), (("config", "head_scale"), None, "it is missing"),
            (("config", "condition_dsp"), {}, "condition of another"), (("config", "head"), {"kernel_sizes": []}, "it is empty")]:
        cases.append((f"a WaveNet with {path[-1]} {value!r:.30}", changed(PLAIN, path, value), text, ()))
    for path, value, text in [(("config", "hidden_size"), 4, "needs those up to"), (("config", "input_size"), 2, "in_channels is 1"),
                              (("config", "num_layers"), 0, "0 is no integer")]:
        cases.append((f"an LSTM with {path[-1]} {value}", changed(LSTM, path, value), text, ()))
    slopes = first + ("activation", 1, "negative_slopes")
    cases.append(("too few slopes", changed(GATED, slopes, [0.5]), "the shape is [1], but [2] fits", ()))
    for path, value, text in [
            (("in_shape",), [None, 10, 10, 1], "no shape of samples"), (("layers",), [], "it is empty"),
            (("layers", 0, "type"), "conv2d", '"conv2d" is not supported'), (("layers", 0, "activation"), "gelu", '"gelu" is not supported'),
            (("layers", 0, "weights"), [], "0 arrays, but 1 or 2 fit"), (("layers", 0, "weights", 1), [1, 2], "the shape is [2], but [4] fits"),
            (("layers", 1, "weights", 0), [[1], [1, 2]], "no array of numbers"), (("layers", 1, "groups"), 3, "3 do not divide"),
            (("layers", 1, "dilation"), [0], "0 is no integer"), (("layers", 1, "kernel_size"), [], "it is empty"),
            (("layers", 2, "epsilon"), -100, "a variance is not positive"), (("layers", 2, "epsilon"), ..., "epsilon: it is missing"),
            (("layers", 3, "weights"), [[1, 2]], "no list with one list"), (("layers", 3, "weights"), [[[1, 2]]], "2 slopes for 4 channels"),
            (("layers", 7, "activation"), "relu", "in a layer of type gru"), (("layers", 8, "shape"), [None, 3], "the shape is [2], but [3] fits")]:
        cases.append((f"a model of RTNeural with {path[1:]} {value!r:.30}", changed(CONVOLUTIONS, path, value), text, ()))
    rows = json.dumps(ROWS).encode()
    cases += [("--submodel of another file", rows, "is no .nam file", ("--submodel", "0")),
              ("--submodel of no container", json.dumps(PLAIN).encode(), "no SlimmableContainer", ("--submodel", "0")),
              ("--submodel behind the last", json.dumps(CONTAINER).encode(), "the file has 2", ("--submodel", "2")),
              ("--block 0", rows, "1 to 65536 samples", ("--block", "0")), ("--name x", rows, "a meaning of its own", ("--name", "state")),
              ("a name that a member has", rows, "a meaning of its own", ("--name", "dense_2")),
              ("no name of C++", rows, "a name of C++ is needed", ("--name", "a b"))]
    return cases
