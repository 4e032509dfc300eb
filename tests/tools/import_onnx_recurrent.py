# SPDX-License-Identifier: BSL-1.0
"""Models of one recurrent layer that the test of tools/import_onnx.py imports, and what their headers must say."""
import import_onnx_graphs as graphs
import numpy as np
from onnx import TensorProto, helper, numpy_helper

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
TIMES, BATCH, WIDE, HIDDEN = 3, 2, 4, 5


def layer(op, directions=1, states=True, bias=True, peephole=False, constant=True, results=None, wide=WIDE, hidden=HIDDEN,
          lengths=None, **attributes):
    """A layer of 3 steps and 2 sequences. With `states` they are inputs, and all results are outputs. `lengths` are those of the
    sequences, or "input"."""
    r, count = np.random.default_rng(5), GATES[op]
    first = attributes.get("layout", 0)
    state = (BATCH, directions, hidden) if first else (directions, BATCH, hidden)
    operands = {"x": (BATCH, TIMES, wide) if first else (TIMES, BATCH, wide), "w": (directions, count * hidden, wide),
                "r": (directions, count * hidden, hidden), "b": (directions, 2 * count * hidden) if bias else None, "": None,
                "h0": state if states else None, "c0": state if states and op == "LSTM" else None,
                "p": (directions, 3 * hidden) if peephole else None}
    operands = dict(list(operands.items())[:8 if op == "LSTM" else 6])
    weights = ["w", "r", "b", "p"] if constant else ["b", "p"]
    y = (BATCH, TIMES, directions, hidden) if first else (TIMES, directions, BATCH, hidden)
    made = {"y": y, "h": state, **({"c": state} if op == "LSTM" else {})}
    results = results or list(made)
    node = helper.make_node(op, [n if s else "" for n, s in operands.items()], [n if n in results else "" for n in made],
                            name="layer", hidden_size=hidden, **attributes)
    inputs = [graphs.value(n, s) for n, s in operands.items() if s and n not in weights]
    arrays = [numpy_helper.from_array((r.standard_normal(s) * 0.5).astype(np.float32), n)
              for n, s in operands.items() if s and n in weights]
    if lengths:
        node.input[4] = "lengths"
        if lengths == "input":
            inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, [BATCH]))
        else:
            arrays.append(numpy_helper.from_array(np.array(lengths, np.int32), "lengths"))
    return graphs.model([node], inputs, [graphs.value(n, made[n]) for n in results], arrays)


def cases():
    """Tuples of a name, a model, and texts of its header: a module of ashlar, or a loop."""
    both = {"direction": "bidirectional"}
    return [
        ("lstm_forward", layer("LSTM"), ["nn::lstm<{.in = 4, .hidden = 5, .batch_first = false}> layer{}"]),
        ("lstm_both", layer("LSTM", 2, states=False, results=["y"], **both),
         ["nn::lstm<{.in = 4, .hidden = 5, .bidirectional = true, .batch_first = false}> layer{}", "layer(x))"]),
        ("lstm_both_batch", layer("LSTM", 2, layout=1, **both), [".bidirectional = true}> layer{}"]),
        ("lstm_back", layer("LSTM", bias=False, states=False, direction="reverse"), [".bias = false", "layer(flip<0>(x), "]),
        ("lstm_last", layer("LSTM", states=False, results=["c"]), ["step(c_rows, layer(x, values.c_state))"]),
        ("lstm_peephole", layer("LSTM", peephole=True), ["for (std::size_t n"]),
        ("gru_forward", layer("GRU", linear_before_reset=1), ["nn::gru<{"]),
        ("gru_both", layer("GRU", 2, linear_before_reset=1, layout=1, results=["h"], **both), ["nn::gru<{"]),
        ("gru_before", layer("GRU", direction="reverse"), ["for (std::size_t n"]),
        ("gru_of_inputs", layer("GRU", linear_before_reset=1, constant=False), ["for (std::size_t n"]),
        ("lstm_lengths", layer("LSTM", 2, lengths=(3, 2), **both), ["for (std::size_t n", "where(alive, forget"]),
        ("lstm_whole_lengths", layer("LSTM", lengths=(3, 3)), ["nn::lstm<{"]),
        ("gru_lengths", layer("GRU", direction="reverse", layout=1, lengths="input"),
         ["for (std::size_t n", "> static_cast<std::int32_t>(2 - n)"]),
        ("gru_lengths_after", layer("GRU", linear_before_reset=1, lengths=(1, 3)), ["for (std::size_t n"]),
        ("rnn_lengths", layer("RNN", activations=["Relu"], lengths="input"), ["for (std::size_t n", "relu(now"]),
        ("rnn_tanh", layer("RNN", direction="reverse", layout=1), ["nn::rnn<{.in = 4, .hidden = 5}> layer{}", "flip<1>"]),
        ("rnn_relu", layer("RNN", 2, activations=["Relu", "Relu"], **both), [".activation = nn::activation::relu"]),
    ]


def shared():
    """Two layers of the same weights, one after the other."""
    r = np.random.default_rng(6)
    nodes = [helper.make_node("RNN", [x, "w", "r"], [y], name=f"layer{y}", hidden_size=4) for x, y in (("x", "a"), ("s", "b"))]
    nodes.insert(1, helper.make_node("Squeeze", ["a", "axis"], ["s"]))
    weights = [graphs.weight(r, "w", 1, 4, 4), graphs.weight(r, "r", 1, 4, 4), graphs.integers("axis", 1)]
    return graphs.model(nodes, [graphs.value("x", [3, 2, 4])], [graphs.value("b", [3, 1, 2, 4])], weights)


def check_recurrent(folder, imported, expect):
    """`imported(name, model)` imports a model; the names are compiled and run later."""
    # Of modules and loops with the same members and results one is compiled.
    imported_only = {"lstm_forward", "lstm_both", "lstm_whole_lengths", "lstm_back", "gru_forward", "gru_both", "gru_of_inputs",
                     "gru_lengths_after", "rnn_lengths", "rnn_tanh"}
    for name, model, texts in cases() + [("rnn_shared", shared(), ["layera(x)", "layera(s)"])]:
        samples = {"lengths": np.array([1, 3], np.int32)} if any(v.name == "lengths" for v in model.graph.input) else {}
        if imported(name, model, name not in imported_only, samples=samples):
            header = (folder / f"{name}.hpp").read_text()
            expect(all(text in header for text in texts), f"{name}: its header has {texts}")
            expect(("for (std::size_t n" in header) == ("for (std::size_t n" in "".join(texts)), f"{name}: loop or module")
