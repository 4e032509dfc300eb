# SPDX-License-Identifier: BSL-1.0
"""Models with states that the test of tools/import_onnx.py imports, and names that tell them."""
import import_onnx_graphs as graphs
import numpy as np
from import_onnx_recurrent import layer
from onnx import TensorProto, helper, numpy_helper
from onnx_import.states import names_match

MATCHING = [("h", "hn"), ("c", "cn"), ("h0", "hn"), ("h_0", "h_n"), ("state", "stateN"), ("past_key", "present_key"),
            ("past_key_values.3.value", "present.3.value"), ("conv_cache", "conv_cache_out"), ("in_state", "out_state"),
            ("cached_len_0", "new_cached_len_0"), ("prev_hidden", "next_hidden"), ("hx_in", "hx_out")]
DIFFERENT = [("x", "y"), ("h", "cn"), ("h", "h1"), ("audio_in", "audio_out"), ("state", "state_0"), ("image", "new_image"),
             ("past_key", "present_value"), ("input", "output"), ("input_ids", "output_ids"), ("n", "h"), ("h_state", "h.state"), ("hidden", "output")]


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=f"make_{output}", **attributes)


def of_two(first, second, wide=4):
    """y = x + a_state; the new states are the results of two operators of both old ones."""
    inputs = [graphs.value(name, [2, wide]) for name in ("x", "a_state", "b_state")]
    outputs = [graphs.value(name, [2, wide]) for name in ("y", "a_state_out", "b_state_out")]
    return graphs.model([node("Add", "x a_state", "y"), first, second], inputs, outputs)


def lstm_read_twice():
    """An LSTM whose new h is a result as well, and whose old c another operator reads."""
    model = layer("LSTM")
    model.graph.node.extend([node("Exp", "h", "h_again"), node("Exp", "c0", "c_before")])
    model.graph.output.extend([graphs.value("h_again", [1, 2, 5]), graphs.value("c_before", [1, 2, 5])])
    return model


def cache():
    """Attention over the last four keys, which are a state, and a count of calls; the longer past is none."""
    nodes = [node("Concat", "past_key k", "all", axis=0), node("Slice", "all one five", "present_key"),
             node("Transpose", "present_key", "turned", perm=[1, 0]), node("MatMul", "x turned", "y"),
             node("Add", "calls_state one", "calls_state_out"), node("Concat", "past_all k", "present_all", axis=0)]
    count = TensorProto.INT64
    return graphs.model(nodes, [graphs.value("x", [2, 3]), graphs.value("k", [1, 3]), graphs.value("past_key", [4, 3]),
                                graphs.value("calls_state", [1], count), graphs.value("past_all", [6, 3])],
                        [graphs.value("y", [2, 4]), graphs.value("present_key", [4, 3]),
                         graphs.value("calls_state_out", [1], count), graphs.value("present_all", [7, 3])],
                        [graphs.integers("one", 1), graphs.integers("five", 5)])


def grouped_attention():
    """com.microsoft's attention of one new row, with a buffer of keys and one of values for past and present."""
    r, caches = np.random.default_rng(12), ["key", "value"]
    made = helper.make_node("GroupQueryAttention", ["q", "k", "v", *(f"past_{c}" for c in caches), "last", "total"],
                            ["y", *(f"present_{c}" for c in caches)], domain="com.microsoft", num_heads=4, kv_num_heads=2)
    turned = [node("MatMul", f"x {name}_matrix", name) for name in "qkv"]
    weights = [graphs.weight(r, f"{name}_matrix", 12, wide) for name, wide in (("q", 32), ("k", 16), ("v", 16))]
    model = graphs.model([*turned, made], [graphs.value("x", [2, 1, 12]), graphs.value("last", [2], TensorProto.INT32),
                                           *(graphs.value(f"past_{c}", [2, 2, 6, 8]) for c in caches)],
                         [graphs.value("y", [2, 1, 32]), *(graphs.value(f"present_{c}", [2, 2, 6, 8]) for c in caches)],
                         [*weights, numpy_helper.from_array(np.array(6, np.int32), "total")])
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def check_states(folder, imported, expect):
    for before, after in MATCHING:
        expect(names_match(before, after), f"{before} -> {after} is a state by its names")
    for before, after in DIFFERENT:
        expect(not names_match(before, after), f"{before} -> {after} is no state by its names")
    models = {
        "state_of_lstm": (layer("LSTM"), {"h0": "h", "c0": "c"}),
        "state_of_gru": (layer("GRU", 2, direction="bidirectional", linear_before_reset=1, layout=1), {"h0": "h"}),
        "state_of_lstm_read_twice": (lstm_read_twice(), {"h0": "h", "c0": "c"}),
        "state_each_of_the_other": (of_two(node("Mul", "x b_state", "a_state_out"), node("Sub", "a_state x", "b_state_out")), {}),
        "state_swapped": (of_two(node("Identity", "b_state", "a_state_out"), node("Identity", "a_state", "b_state_out")), {}),
        "state_of_itself": (of_two(node("Transpose", "a_state", "a_state_out", perm=[1, 0]),
                                   node("Add", "b_state x", "b_state_out"), wide=2), {}),
        "state_cache": (cache(), {}),
        "state_of_grouped_attention": (grouped_attention(), {}),
    }
    for name, (model, states) in models.items():
        text = imported(name, model, name not in ("state_of_gru", "state_swapped", "state_of_itself"), states=states, automatic=True)
        expect("is a state" in text, f"{name}: the report names the states: {text}")
        if name == "state_of_lstm":
            header = (folder / f"{name}.hpp").read_text()
            expect("layer_state.reset();" in header and "layer(x, kept.layer_state)" in header and "kept.h" not in header,
                   f"{name}: the module keeps its own state")
        if name == "state_cache":
            expect("past_all -> present_all is no state: float32 [6, 3] becomes float32 [7, 3]" in text, text)
            expect("past_all" in (folder / f"{name}.hpp").read_text().split("struct buffers")[1], "past_all stays an input")
    text = imported("state_none", of_two(node("Mul", "x b_state", "a_state_out"), node("Identity", "x", "b_state_out")), False)
    expect("is a state" not in text and "struct state {" not in (folder / "state_none.hpp").read_text(), "no state unless asked")
    given = {"a_state": np.ones((2, 4), np.float32)}
    text = imported("state_with_sample", of_two(node("Mul", "x b_state", "a_state_out"), node("Add", "b_state x", "b_state_out")),
                    False, samples=given, automatic=True)
    expect("a_state is" not in text and "b_state is a state" in text, f"an input with a sample is no state: {text}")
