# SPDX-License-Identifier: BSL-1.0
"""Recurrent layers along an open axis: they run as many steps as there are entries."""
from .registry import rule, static


@rule("LSTM", "GRU", "RNN")
def recurrent(c, node, outputs):
    static(c, node, 1, 2, 3, 4, 5, 6, 7)
    x, batch_first = node.inputs[0], node.attribute("layout", 0)
    times = 1 if batch_first else 0
    if set(x.axes) != {times}:
        c.refuse("it is an axis of entries of the batch or of columns")
    if x.shape[1 - times] != 1 or node.attribute("direction", "forward") != "forward":
        c.refuse("more than one sequence, or a direction from its end")
    fits = all(node.input(i) is None or node.input(i).constant for i in (1, 2, 3)) and node.input(7) is None
    if node.input(4) is not None or not fits or node.op == "GRU" and not node.attribute("linear_before_reset", 0):
        c.refuse("lengths, weights or a formula that nn::lstm, nn::gru and nn::rnn do not have")
    return [{times: x.axes[times]}] + [{}] * (len(outputs) - 1)
