# SPDX-License-Identifier: BSL-1.0
"""Recurrent layers, as the modules lstm, gru and rnn where these compute the operator."""
import numpy as np

from ..errors import Uncovered
from .recurrent_loops import written_out
from .registry import translates

ACTIVATIONS = {"LSTM": ["sigmoid", "tanh", "tanh"], "GRU": ["sigmoid", "tanh"], "RNN": ["tanh"]}
PYTORCH_GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}  # PyTorch's order, by the places of ONNX's


def pytorch_arrays(op, weights, recurrence, bias, directions):
    """The arrays of a module by their names; ONNX's have an axis of directions and gates in another order."""
    order = PYTORCH_GATES[op]

    def ordered(array):
        gates = np.split(array, len(order))
        return np.concatenate([gates[place] for place in order])

    arrays = {}
    for d in range(directions):
        end = "l0_reverse" if d else "l0"
        arrays[f".weight_ih_{end}"], arrays[f".weight_hh_{end}"] = ordered(weights[d]), ordered(recurrence[d])
        if bias is not None:
            of_inputs, of_h = np.split(bias[d], 2)
            arrays[f".bias_ih_{end}"], arrays[f".bias_hh_{end}"] = ordered(of_inputs), ordered(of_h)
    return arrays


class Module:
    """A recurrent operator as a call of nn::lstm, nn::gru or nn::rnn."""

    def __init__(self, s, activation):
        self.s, self.activation = s, activation
        self.direction = s.attribute("direction", "forward")
        self.directions = 2 if self.direction == "bidirectional" else 1
        self.hidden = s.shapes[2][2]
        self.batch_first = s.attribute("layout", 0)
        self.times, self.batch = s.shapes[0][:2][::-1] if self.batch_first else s.shapes[0][:2]
        # How many steps run, if that is known when the program runs. The module then takes a sequence without a batch axis.
        count = s.node.inputs[0].axes.get(1 if self.batch_first else 0)
        self.steps = None if count is None else s.translation.open.count(count)

    def fits(self):
        """Whether the module has this formula, and all weights are constants."""
        s = self.s
        plain = not s.has(7) and (s.op != "GRU" or s.attribute("linear_before_reset", 0))
        return plain and s.dtype.name in ("float32", "float64") and all(
            s.node.inputs[place].constant for place in (1, 2, 3) if s.has(place))

    def member(self):
        """The name of the module among the weights."""
        s = self.s
        values = [s.node.input(place) for place in (1, 2, 3)]
        options = [f".in = {s.shapes[1][2]}", f".hidden = {self.hidden}"]
        if self.activation != "tanh":
            options.append(f".activation = nn::activation::{self.activation}")
        if self.directions == 2:
            options.append(".bidirectional = true")
        if values[2] is None:
            options.append(".bias = false")
        if not self.batch_first:
            options.append(".batch_first = false")
        return s.translation.module(
            s.node, values, f"nn::{s.op.lower()}<{{{', '.join(options)}}}", s.type,
            lambda: pytorch_arrays(s.op, *(None if v is None else v.array for v in values), self.directions))

    def timed(self, text):
        """A sequence in the order of the module, or back in that of the operator."""
        return f"flip<{1 if self.batch_first else 0}>({text})" if self.direction == "reverse" else text

    def turned(self, text):
        """States of [batch, directions, hidden], or [directions, batch, hidden], as the other of them."""
        return f"permute<1, 0, 2>({text})" if self.batch_first else text

    def state(self, module):
        """The name of the state, after lines that set it; empty if the layer begins with zeros and nothing reads the end."""
        s = self.s
        places = {"h": 5, "c": 6} if s.op == "LSTM" else {"h": 5}
        read = any(v is not None and v.uses for v in s.node.outputs[1:])
        if not read and not any(s.has(place) for place in places.values()):
            return ""
        shape, kind = (self.directions, self.batch, self.hidden), f"decltype({module})::state<{self.batch}>"
        if self.steps:
            shape, kind = (self.directions, self.hidden), f"decltype({module})::state<>"
        elif not self.batch_first:
            ends = dict(zip(places, list(s.node.outputs[1:]) + [None, None]))
            owned = s.translation.owned_state(module, kind, {p: (s.node.input(place), ends[p]) for p, place in places.items()})
            if owned:
                return owned
        size = len(places) * self.directions * self.batch * self.hidden * s.dtype.itemsize
        name = s.object_buffer(f"{s.out.name}_state", kind, size)
        for part, place in places.items():
            zeros = f"zeros<{s.type}, {', '.join(map(str, shape))}>()"
            given = s.has(place) and (s.reshape(shape, s.x(place)) if self.steps else self.turned(s.x(place)))
            s.raw(f"step({name}.{part}, {given or zeros});")
        return name

    def results(self):
        s = self.s
        module = self.member()
        state = self.state(module)
        if self.steps:
            return self.open_results(module, state)
        shape = (self.times, self.batch) if not self.batch_first else (self.batch, self.times)
        call = f"{module}({self.timed(s.x())}{', ' + state if state else ''})"
        whole = (*shape, self.directions * self.hidden)
        s.in_memory = True
        last = [self.turned(f"{state}.{part}") for part in ("h", "c") if state]
        if s.node.outputs[0] is None or not s.node.outputs[0].uses:
            s.raw(f"step({s.memory_buffer('rows', whole)}, {call});")
            return [None] + last
        rows = s.buffer("rows", call, s.dtype, whole)
        y = s.reshape((*shape, self.directions, self.hidden), self.timed(rows))
        if not self.batch_first:
            y = f"permute<0, 2, 1, 3>({y})" if self.directions == 2 else s.reshape(
                (self.times, 1, self.batch, self.hidden), self.timed(rows))
        return [y] + last


    def open_results(self, module, state):
        """The results of the first steps, of one direction and a batch of one."""
        s = self.s
        s.in_memory = True
        sequence = s.reshape((self.times, s.shapes[0][2]), s.memory())
        rows = s.memory_buffer("rows", (self.times, self.hidden))
        s.raw(f"step({rows}, {module}({sequence}{', ' + state if state else ''}), rows_below({self.steps}));")
        shape = (1, self.times, 1, self.hidden) if self.batch_first else (self.times, 1, 1, self.hidden)
        return [s.reshape(shape, rows)] + [s.reshape((1, 1, self.hidden), f"{state}.{part}") for part in ("h", "c") if state]


def activation_of(s, directions):
    """The function of the state, if all functions are those of the modules or of the loops."""
    usual = ACTIVATIONS[s.op] * directions
    given = [a.lower() for a in s.attribute("activations", usual)]
    if s.op == "RNN" and given == ["relu"] * directions:
        return "relu"
    if given != usual:
        raise Uncovered("activations other than the usual ones")
    return "tanh"


@translates("LSTM", "GRU", "RNN", uses="`nn::lstm`, `nn::gru`, `nn::rnn`, or a loop of `matmul`, `sigmoid`, `tanh`", heavy=True)
def recurrent(s):
    directions = 2 if s.attribute("direction", "forward") == "bidirectional" else 1
    activation = activation_of(s, directions)
    if s.attribute("clip") or s.attribute("input_forget", 0):
        raise Uncovered("clip and input_forget")
    times = s.shapes[0][1 if s.attribute("layout", 0) else 0]
    differ = s.has(4) and not (s.node.inputs[4].constant and (s.node.inputs[4].array == times).all())
    module = Module(s, activation)
    if module.fits() and not differ:
        return module.results()
    return written_out(s, activation, differ)
