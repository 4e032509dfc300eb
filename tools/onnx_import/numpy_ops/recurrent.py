# SPDX-License-Identifier: BSL-1.0
"""RNN, GRU and LSTM, with their activations, in both directions."""
import numpy as np

from .elementwise import sigmoid, softplus
from .registry import evaluates

ACTIVATIONS = {
    "Tanh": lambda x, a, b: np.tanh(x), "Sigmoid": lambda x, a, b: sigmoid(x), "Relu": lambda x, a, b: np.maximum(x, 0),
    "Softplus": lambda x, a, b: softplus(x), "Softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "HardSigmoid": lambda x, a, b: np.clip((0.2 if a is None else a) * x + (0.5 if b is None else b), 0, 1),
    "LeakyRelu": lambda x, a, b: np.where(x < 0, x * (0.01 if a is None else a), x),
    "Affine": lambda x, a, b: a * x + b, "Elu": lambda x, a, b: np.where(x < 0, (1 if a is None else a) * np.expm1(x), x),
    "ThresholdedRelu": lambda x, a, b: np.where(x > (1 if a is None else a), x, 0),
    "ScaledTanh": lambda x, a, b: a * np.tanh(b * x),
}


def activations_of(node, per_direction, direction, default):
    """Names and parameters of the activations of one direction."""
    names = node.attribute("activations") or default * (2 if node.attribute("direction", "forward") == "bidirectional" else 1)
    alphas, betas = list(node.attribute("activation_alpha") or []), list(node.attribute("activation_beta") or [])
    result = []
    for name in names:
        takes_alpha = name in ("LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Affine")
        takes_beta = name in ("ScaledTanh", "HardSigmoid", "Affine")
        result.append((name, alphas.pop(0) if takes_alpha and alphas else None, betas.pop(0) if takes_beta and betas else None))
    return result[direction * per_direction:(direction + 1) * per_direction]


def functions_of(node, count, direction, default):
    return [lambda x, name=name, a=a, b=b: ACTIVATIONS[name](x, a, b).astype(x.dtype)
            for name, a, b in activations_of(node, count, direction, default)]


def run_directions(node, x, lengths, step, state_of):
    """Runs `step(direction, x_t, state) -> state` over time; the first entry of a state is the output."""
    if node.attribute("layout", 0):
        x = np.swapaxes(x, 0, 1)
    time, batch = x.shape[:2]
    lengths = np.full(batch, time) if lengths is None else lengths
    mode = node.attribute("direction", "forward")
    outputs, finals = [], []
    for direction in range(2 if mode == "bidirectional" else 1):
        backward = mode == "reverse" or direction == 1
        state = state_of(direction)
        y = np.zeros((time,) + state[0].shape, x.dtype)
        for t in range(time):
            now = np.where(t < lengths, lengths - 1 - t, t) if backward else np.full(batch, t)
            following = step(direction, x[now, np.arange(batch)], state)
            alive = (t < lengths)[:, None]
            state = [np.where(alive, new, old).astype(x.dtype) for new, old in zip(following, state)]
            y[now, np.arange(batch)] = np.where(alive, state[0], 0)
        outputs.append(y)
        finals.append(state)
    y = np.stack(outputs, 1)
    states = [np.stack([final[i] for final in finals]) for i in range(len(finals[0]))]
    if node.attribute("layout", 0):
        return (y.transpose(2, 0, 1, 3), *[np.swapaxes(s, 0, 1) for s in states])
    return (y, *states)


def initial(node, given, directions, batch, hidden, dtype):
    if given is None:
        return np.zeros((directions, batch, hidden), dtype)
    return np.swapaxes(given, 0, 1) if node.attribute("layout", 0) else given


def sizes(node, x):
    return x.shape[0 if node.attribute("layout", 0) else 1], node.attribute("hidden_size")


def limited(node, x):
    clip = node.attribute("clip")
    return x if clip is None else np.clip(x, -clip, clip)


@evaluates("RNN")
def rnn(node, x, w, r, bias=None, lengths=None, first=None):
    batch, hidden = sizes(node, x)
    hidden = hidden or r.shape[-1]
    start = initial(node, first, len(w), batch, hidden, x.dtype)
    bias = np.zeros((len(w), 2 * hidden), x.dtype) if bias is None else bias

    def step(d, xt, state):
        f, = functions_of(node, 1, d, ["Tanh"])
        return [f(limited(node, node.multiply(xt, w[d].T) + node.multiply(state[0], r[d].T) + bias[d, :hidden] + bias[d, hidden:]))]

    return run_directions(node, x, lengths, step, lambda d: [start[d]])


@evaluates("GRU")
def gru(node, x, w, r, bias=None, lengths=None, first=None):
    batch, hidden = sizes(node, x)
    hidden = hidden or r.shape[-1]
    start = initial(node, first, len(w), batch, hidden, x.dtype)
    bias = np.zeros((len(w), 6 * hidden), x.dtype) if bias is None else bias
    after = node.attribute("linear_before_reset", 0)

    def step(d, xt, state):
        f, g = functions_of(node, 2, d, ["Sigmoid", "Tanh"])
        h, (wb, rb) = state[0], np.split(bias[d], 2)
        gates = node.multiply(xt, w[d].T) + wb
        wz, wr, wh = np.split(gates, 3, -1)
        rz, rr, rh = np.split(r[d], 3)
        bz, br, bh = np.split(rb, 3)
        z = f(limited(node, wz + node.multiply(h, rz.T) + bz))
        reset = f(limited(node, wr + node.multiply(h, rr.T) + br))
        new = g(limited(node, wh + (reset * (node.multiply(h, rh.T) + bh) if after else node.multiply(reset * h, rh.T) + bh)))
        return [(1 - z) * new + z * h]

    return run_directions(node, x, lengths, step, lambda d: [start[d]])


@evaluates("LSTM")
def lstm(node, x, w, r, bias=None, lengths=None, first=None, cell=None, peephole=None):
    batch, hidden = sizes(node, x)
    hidden = hidden or r.shape[-1]
    start = initial(node, first, len(w), batch, hidden, x.dtype)
    cells = initial(node, cell, len(w), batch, hidden, x.dtype)
    bias = np.zeros((len(w), 8 * hidden), x.dtype) if bias is None else bias
    peephole = np.zeros((len(w), 3 * hidden), x.dtype) if peephole is None else peephole

    def step(d, xt, state):
        f, g, h = functions_of(node, 3, d, ["Sigmoid", "Tanh", "Tanh"])
        pi, po, pf = np.split(peephole[d], 3)
        gates = node.multiply(xt, w[d].T) + node.multiply(state[0], r[d].T) + bias[d, :4 * hidden] + bias[d, 4 * hidden:]
        i, o, forget, c = np.split(gates, 4, -1)
        i = f(limited(node, i + pi * state[1]))
        forget = 1 - i if node.attribute("input_forget", 0) else f(limited(node, forget + pf * state[1]))
        new = forget * state[1] + i * g(limited(node, c))
        return [f(limited(node, o + po * new)) * h(new), new]

    return run_directions(node, x, lengths, step, lambda d: [start[d], cells[d]])
