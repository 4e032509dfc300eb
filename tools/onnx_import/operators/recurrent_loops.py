# SPDX-License-Identifier: BSL-1.0
"""Recurrent layers that no module of ashlar computes: a product for all times, and a loop over them."""
import numpy as np

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


class Layer:
    """One direction of a recurrent operator, as text."""

    def __init__(self, s, direction, backward, choice, activation, lengths):
        self.s, self.d, self.backward, self.choice = s, direction, backward, choice
        self.activation, self.lengths = activation, lengths
        self.hidden = s.shapes[2][2]
        self.wide = GATES[s.op] * self.hidden
        shape = s.shapes[0]
        self.batch_first = s.attribute("layout", 0)
        self.times, self.batch = shape[:2][::-1] if self.batch_first else shape[:2]

    def part(self, place, first, count, axis=1):
        """Entries of an operand along an axis, of this direction only."""
        shape = list(self.s.shapes[place])
        text = f"slice<0, {self.d}, {self.d + 1}>({self.s.x(place)})"
        if (first, count) != (0, shape[axis]):
            text = f"slice<{axis}, {first}, {first + count}>({text})"
        shape[axis] = count
        return self.s.reshape(shape[1:], text)

    def matrix(self, place, first, count):
        """The right operand of a product: [columns, count]; packed if constant."""
        value = self.s.node.inputs[place]
        if not value.constant:
            return f"transpose({self.part(place, first, count)})"
        array = np.ascontiguousarray(value.array[self.d, first:first + count])
        return self.s.translation.chosen_matrix(self.s.node, f"{value.name}_{self.d}", array, True, self.choice)

    def bias(self, first, count):
        """' + ...' if there is one; its second half begins at the count of gates."""
        value = self.s.node.input(3)
        if value is None:
            return ""
        if value.constant:
            return " + " + self.s.constant("bias", value.array[self.d, first:first + count])
        return " + " + self.part(3, first, count)

    def start(self, place, name):
        memory = self.s.memory_buffer(f"{name}{self.d}", (self.batch, self.hidden))
        first = f"zeros<{self.s.type}, {self.batch}, {self.hidden}>()"
        if self.s.has(place):
            first = self.s.x(place)
            first = f"permute<1, 0, 2>({first})" if self.batch_first else first
            first = self.s.reshape((self.batch, self.hidden), f"slice<0, {self.d}, {self.d + 1}>({first})")
        self.s.raw(f"step({memory}, {first});")
        return memory

    def run(self, results):
        """Adds the lines of this direction; returns the names of its states."""
        s, wide = self.s, self.wide
        x = f"permute<1, 0, 2>({s.x()})" if self.batch_first else s.x()
        inputs = s.buffer(f"inputs{self.d}", f"matmul({x}, {self.matrix(1, 0, wide)}){self.bias(0, wide)}", s.dtype,
                          (self.times, self.batch, wide))
        states = [self.start(5, "h")] + ([self.start(6, "c")] if s.op == "LSTM" else [])
        lines = {"LSTM": self.lstm, "GRU": self.gru, "RNN": self.rnn}[s.op](*states)
        time = f"{self.times - 1} - n" if self.backward else "n"
        s.raw(f"for (std::size_t n = 0; n < {self.times}; ++n) {{")
        s.raw(f"    const auto now = {inputs}[{time}];")
        if self.lengths:
            s.raw(f"    const auto alive = {s.reshape((self.batch, 1), self.lengths)} > static_cast<std::int32_t>({time});")
        for line in lines:
            s.raw("    " + line)
        s.raw(f"    auto result = {results}[{time}][{self.d}];")
        s.raw(f"    step(result, {self.while_alive(states[0], s.literal(0))});")
        s.raw("}")
        return states

    def gate(self, text, place):
        return f"slice<1, {place * self.hidden}, {(place + 1) * self.hidden}>({text})"

    def while_alive(self, text, otherwise):
        """What a sequence has before its end and after it."""
        return f"where(alive, {text}, {otherwise})" if self.lengths else text

    def becomes(self, state, text):
        """A line that replaces a state, where the sequence has not ended."""
        return f"step({state}, {self.while_alive(text, state)});"

    def lstm(self, h, c):
        s, size = self.s, self.hidden
        gates = s.memory_buffer(f"gates{self.d}", (self.batch, self.wide))
        peep = ["", "", ""]
        if s.has(7):
            peep = [f" + {self.part(7, k * size, size)} * {c}" for k in range(3)]
        return [
            f"step({gates}, now + matmul({h}, {self.matrix(2, 0, self.wide)}){self.bias(self.wide, self.wide)});",
            f"const auto in = sigmoid({self.gate(gates, 0)}{peep[0]}), forget = sigmoid({self.gate(gates, 2)}{peep[2]});",
            self.becomes(c, f"forget * {c} + in * tanh({self.gate(gates, 3)})"),
            self.becomes(h, f"sigmoid({self.gate(gates, 1)}{peep[1]}) * tanh({c})"),
        ]

    def gru(self, h):
        s, size = self.s, self.hidden
        one = s.literal(1)
        if s.attribute("linear_before_reset", 0):
            gates = s.memory_buffer(f"gates{self.d}", (self.batch, self.wide))
            return [
                f"step({gates}, matmul({h}, {self.matrix(2, 0, self.wide)}){self.bias(self.wide, self.wide)});",
                f"const auto keep_part = sigmoid({self.gate('now', 0)} + {self.gate(gates, 0)});",
                f"const auto reset = sigmoid({self.gate('now', 1)} + {self.gate(gates, 1)});",
                f"const auto fresh = tanh({self.gate('now', 2)} + reset * {self.gate(gates, 2)});",
                self.becomes(h, f"({one} - keep_part) * fresh + keep_part * {h}"),
            ]
        gates = s.memory_buffer(f"gates{self.d}", (self.batch, 2 * size))
        reset = s.memory_buffer(f"reset{self.d}", (self.batch, size))
        fresh = s.memory_buffer(f"fresh{self.d}", (self.batch, size))
        return [
            f"step({gates}, matmul({h}, {self.matrix(2, 0, 2 * size)}){self.bias(self.wide, 2 * size)});",
            f"step({reset}, sigmoid({self.gate('now', 1)} + {self.gate(gates, 1)}) * {h});",
            f"step({fresh}, tanh({self.gate('now', 2)} + matmul({reset}, {self.matrix(2, 2 * size, size)})"
            f"{self.bias(self.wide + 2 * size, size)}));",
            f"const auto keep_part = sigmoid({self.gate('now', 0)} + {self.gate(gates, 0)});",
            self.becomes(h, f"({one} - keep_part) * {fresh} + keep_part * {h}"),
        ]

    def rnn(self, h):
        sums = self.s.memory_buffer(f"sums{self.d}", (self.batch, self.hidden))
        product = f"matmul({h}, {self.matrix(2, 0, self.wide)}){self.bias(self.wide, self.wide)}"
        return [f"step({sums}, {self.activation}(now + {product}));", self.becomes(h, sums)]


def matrices_of(s, directions):
    """Depths and columns of the constant matrices."""
    hidden, parts = s.shapes[2][2], (2, 1) if s.op == "GRU" and not s.attribute("linear_before_reset", 0) else (GATES[s.op],)
    of_inputs = [(s.shapes[1][2], GATES[s.op] * hidden)] if s.node.inputs[1].constant else []
    of_h = [(hidden, part * hidden) for part in parts] if s.node.inputs[2].constant else []
    return (of_inputs + of_h) * directions


def written_out(s, activation, differ):
    """The lines of a recurrent operator, whose sequences may `differ` in length; returns the expressions of its results."""
    direction = s.attribute("direction", "forward")
    directions = 2 if direction == "bidirectional" else 1
    for place in range(len(s.node.inputs)):
        if s.has(place) and not s.node.inputs[place].constant:
            s.memory(place)
    choice = s.translation.weights.choose(s.node, matrices_of(s, directions))
    lengths = ""
    if differ:
        lengths = s.constant("lengths", s.node.inputs[4].array) if s.node.inputs[4].constant else s.x(4)
    layers = [Layer(s, d, direction == "reverse" or d == 1, choice, activation, lengths) for d in range(directions)]
    first = layers[0]
    results = s.memory_buffer("times", (first.times, directions, first.batch, first.hidden))
    states = list(zip(*(layer.run(results) for layer in layers)))
    last = [s.reshape((1, first.batch, first.hidden), names[0]) if directions == 1 else f"stack<0>({', '.join(names)})"
            for names in states]
    if first.batch_first:
        return [f"permute<2, 0, 1, 3>({results})"] + [f"permute<1, 0, 2>({text})" for text in last]
    return [f"reshape<{first.times}, {directions}, {first.batch}, {first.hidden}>({results})"] + last
