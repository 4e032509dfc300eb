# SPDX-License-Identifier: BSL-1.0
"""Models with an axis `tokens` of open extent, for tools/import_onnx.py --capacity, and models that it must refuse."""
import import_onnx_graphs as graphs
import numpy as np
from capacity_merged import merged_rows
from graph_body import HEADS, POSITIONS, WIDTH, WORDS, Body, number
from onnx import TensorProto, helper


def encoder(batch_axis=1):
    """A transformer encoder with a mask, as exporters write it: words, a mean of the kept ones, and the first one."""
    b = Body(5)
    shape = b("Shape", "words")
    batch, length = (b("Gather", f"{shape} {b.constant(i)}") for i in range(2))
    axes = b.constant([0])
    batch, length = (b("Unsqueeze", f"{n} {axes}") for n in (batch, length))
    positions = b("Slice", f"{b.constant([list(range(POSITIONS))])} {axes} {length} {b.constant([1])}")
    x = b("Add", f"{b('Gather', f'{b.weight(WORDS, WIDTH)} words')} {b('Gather', f'{b.weight(POSITIONS, WIDTH)} {positions}')}")
    x = b.norm(x)
    wide = b("Cast", b("Unsqueeze", f"kept {b.constant([1, 2])}"), to=TensorProto.FLOAT)
    added = b("Mul", f"{b('Sub', f'{b.constant(1, np.float32)} {wide}')} {b.constant(-10000, np.float32)}")
    square = b("Concat", f"{batch} {b.constant([1])} {length} {length}", axis=0)
    minus = b("Mul", f"{b('ConstantOfShape', b.constant([4]), value=number('one', [1], np.int64))} {b.constant(-1)}")
    square = b("Where", f"{b('Equal', f'{square} {minus}')} {b.constant([1] * 4)} {square}")  # as PyTorch writes expand
    added = b("Expand", f"{added} {square}")
    split = b("Concat", f"{batch} {length} {b.constant([HEADS])} {b.constant([WIDTH // HEADS])}", axis=0)
    q, k, v = (b("Transpose", b("Reshape", f"{b.linear(x, WIDTH)} {split}"), perm=p)
               for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    products = b("MatMul", f"{q} {k}")
    scaled = b("Div", f"{products} {b.constant(8**0.5, np.float32)}")
    scores = b("Add", f"{scaled} {added}")
    mixed = b("MatMul", f"{b('Softmax', scores, axis=-1)} {v}")
    turned = b("Transpose", mixed, perm=[0, 2, 1, 3])
    joined = b("Reshape", f"{turned} {b('Concat', f'{batch} {length} {b.constant([WIDTH])}', axis=0)}")
    x = b.norm(b("Add", f"{b.linear(joined, WIDTH)} {x}"))
    hidden = b.linear(x, 2 * WIDTH)
    half = b("Mul", f"{hidden} {b.constant(0.5, np.float32)}")
    erf = b("Erf", b("Div", f"{hidden} {b.constant(2**0.5, np.float32)}"))
    gelu = b("Mul", f"{half} {b('Add', f'{erf} {b.constant(1, np.float32)}')}")
    x = b("LayerNormalization", f"{b('Add', f'{b.linear(gelu, WIDTH, 2 * WIDTH)} {x}')} {b.weight(WIDTH)} {b.weight(WIDTH)}")
    b.nodes[-1].output[0] = "hidden"
    weights = b("Cast", b("Unsqueeze", f"kept {b.constant([2])}"), to=TensorProto.FLOAT)
    total = b("ReduceSum", f"{b('Mul', f'hidden {weights}')} {b.constant([1])}", keepdims=0)
    count = b("Clip", f"{b('ReduceSum', f'{weights} {b.constant([1])}', keepdims=0)} {b.constant(1e-9, np.float32)}")
    b.nodes.append(helper.make_node("Div", [total, count], ["pooled"], name="pooled"))
    b.nodes.append(helper.make_node("Gather", ["hidden", b.constant(0)], ["first"], name="first", axis=1))
    return graphs.model(b.nodes, [graphs.value("words", [batch_axis, "tokens"], TensorProto.INT64),
                                  graphs.value("kept", [batch_axis, "tokens"], TensorProto.INT64)],
                        [graphs.value("hidden", [batch_axis, "tokens", WIDTH]), graphs.value("pooled", [batch_axis, WIDTH]),
                         graphs.value("first", [batch_axis, WIDTH])], b.weights, opset=17)


def split_heads(b, x, rows):
    """[batch, rows, width] as heads; the shape operand is made of the shape of x, as exporters write it."""
    split = b("Concat", f"{b.extent(x, 0)} {b.extent(x, 1)} {b.constant([HEADS])} {b.constant([WIDTH // HEADS])}", axis=0)
    return b("Transpose", b("Reshape", f"{b.linear(x, WIDTH)} {split}"), perm=rows)


def crossed():
    """Attention of `targets` rows to `sources` rows, a product whose sums go along the sources, and a mask of both lengths:
    a target sees sources up to its own place, counted from the end of both."""
    b = Body(20)
    q = split_heads(b, "decoded", [0, 2, 1, 3])
    k, v = split_heads(b, "encoded", [0, 2, 3, 1]), split_heads(b, "encoded", [0, 2, 1, 3])
    places = [b("Unsqueeze", f"{b('Range', f'{b.constant(0)} {b.extent(x, 1, 0)} {b.constant(1)}')} {b.constant([axis])}")
              for x, axis in (("decoded", 1), ("encoded", 0))]
    ends = b("Sub", f"{b.extent('encoded', 1)} {b.extent('decoded', 1)}")
    later = b("Cast", b("Greater", f"{places[1]} {b('Add', f'{places[0]} {ends}')}"), to=TensorProto.FLOAT)
    masked = b("Add", f"{b('MatMul', f'{q} {k}')} {b('Mul', f'{later} {b.constant(-9, np.float32)}')}")
    mixed = b("Transpose", b("MatMul", f"{b('Softmax', masked, axis=-1)} {v}"), perm=[0, 2, 1, 3])
    joined = b("Reshape", f"{mixed} {b.constant([0, 0, WIDTH])}")
    b.nodes.append(helper.make_node("Add", [b.linear(joined, WIDTH), "decoded"], ["y"]))
    b.nodes.append(helper.make_node("ReduceMean", ["encoded"], ["mean"], axes=[1], keepdims=1))
    share = b("Div", f"{b.extent('decoded', 1)} {b.extent('encoded', 1)}")
    ratio = b("Mul", f"y {b('Cast', share, to=TensorProto.FLOAT)}")
    b.nodes.append(helper.make_node("Identity", [ratio], ["ratio"]))
    return graphs.model(b.nodes, [graphs.value("decoded", ["batch", "targets", WIDTH]), graphs.value("encoded", ["batch", "sources", WIDTH])],
                        [graphs.value("y", ["batch", "targets", WIDTH]), graphs.value("mean", ["batch", 1, WIDTH]),
                         graphs.value("ratio", ["batch", "targets", WIDTH])], b.weights, opset=17)


def picture():
    """Convolutions of a picture whose height and width are open, a pool with strides, and the mean of what is left."""
    b = Body(21)
    y = b("Relu", b("Conv", f"x {b.weight(4, 3, 3, 3)} {b.weight(4)}", pads=[1, 1, 1, 1]))
    y = b("MaxPool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    y = b("Conv", f"{y} {b.weight(4, 1, 3, 3)} {b.weight(4)}", pads=[1, 1, 1, 1], group=4)
    gates = b("Sigmoid", b("Conv", f"{b('GlobalAveragePool', y)} {b.weight(4, 4, 1, 1)}"))
    b.nodes.append(helper.make_node("Mul", [y, gates], ["features"]))
    b.nodes.append(helper.make_node("ReduceMean", ["features"], ["mean"], axes=[2, 3], keepdims=0))
    return graphs.model(b.nodes, [graphs.value("x", ["pictures", 3, "height", "width"])],
                        [graphs.value("features", ["pictures", 4, "rows", "columns"]), graphs.value("mean", ["pictures", 4])],
                        b.weights, opset=13)


def fused_encoder(batch=1):
    """The same kind of encoder as ONNX Runtime's optimizer writes it, and two other forms of attention."""
    b, microsoft = Body(10), {"domain": "com.microsoft"}
    tables = " ".join(b.weight(n, WIDTH) for n in (WORDS, POSITIONS, 2))
    operands = f"words parts {tables} {b.weight(WIDTH)} {b.weight(WIDTH)} kept".split()
    b.nodes.append(helper.make_node("EmbedLayerNormalization", operands, ["x", "ends"], name="embed", **microsoft))
    y = b("Attention", f"x {b.weight(WIDTH, 3 * WIDTH)} {b.weight(3 * WIDTH)} ends", num_heads=HEADS, **microsoft)
    x = b("SkipLayerNormalization", f"x {y} {b.weight(WIDTH)} {b.weight(WIDTH)} {b.weight(WIDTH)}", **microsoft)
    wide = b("MatMul", f"{x} {b.weight(WIDTH, 32)}")
    wide = b("BiasGelu", f"{wide} {b.weight(32)}", **microsoft)
    y = b("MatMul", f"{wide} {b.weight(32, WIDTH)}")
    x = b("SkipSimplifiedLayerNormalization", f"{x} {y} {b.weight(WIDTH)}", **microsoft)
    y = b("MultiHeadAttention", f"{x} {x} {x} {b.weight(3 * WIDTH)} kept", num_heads=HEADS, **microsoft)
    b.nodes.append(helper.make_node("Add", [x, y], ["y"]))
    b("MultiHeadAttention", f"y memory memory {b.weight(3 * WIDTH)}", num_heads=HEADS, **microsoft)
    b.nodes[-1].output[0] = "crossed"  # the memory has as many rows as the capacity, by chance
    b.nodes.append(helper.make_node("Attention", ["memory", "y", "y"], ["gathered"], q_num_heads=HEADS, kv_num_heads=HEADS))
    made = graphs.model(b.nodes, [graphs.value(n, [batch, "tokens"], TensorProto.INT32) for n in ("words", "parts", "kept")] +
                        [graphs.value("memory", [batch, 12, WIDTH])],
                        [graphs.value("y", [batch, "tokens", WIDTH]), graphs.value("crossed", [batch, "tokens", WIDTH]),
                         graphs.value("gathered", [batch, 12, WIDTH])], b.weights, opset=23)
    made.opset_import.add(domain="com.microsoft", version=1)
    return made


def reductions():
    """Reductions, sums and a softmax along the axis: what lies behind the length must not enter them."""
    b = Body(6)
    results = []

    def output(name, shape, kind=TensorProto.FLOAT):
        b.nodes[-1].output[0] = name
        results.append(graphs.value(name, shape, kind))

    for op in ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"):
        b(op, "x", axes=[1], keepdims=0)
        output(op.lower(), [2, 5])
    b("ReduceMean", "x", axes=[1, 2], keepdims=1)
    output("mean_of_both", [2, 1, 1])
    b("ArgMax", "x", axis=1)
    output("best", [2, 1, 5], TensorProto.INT64)
    b("Softmax", "x", axis=1)
    output("shares", [2, "tokens", 5])
    b("CumSum", f"x {b.constant(1)}", reverse=1)
    output("sums", [2, "tokens", 5])
    length = b("Cast", b("Gather", f"{b('Shape', 'x')} {b.constant(1)}"), to=TensorProto.FLOAT)
    b("Div", f"x {length}")
    output("divided", [2, "tokens", 5])
    b("Concat", f"{b.weight(2, 1, 5)} x", axis=1)
    output("longer", [2, "more", 5])
    turned = b("Transpose", "x", perm=[0, 2, 1])
    b("MatMul", f"{turned} x")
    output("gram", [2, 5, 5])
    b("MatMul", f"x {turned}")
    output("pairs", [2, "tokens", "tokens"])
    b("Einsum", "x x", equation="bti,btj->ij")
    output("joint", [5, 5])
    return graphs.model(b.nodes, [graphs.value("x", [2, "tokens", 5])], results, b.weights, opset=13)


def convolutions():
    """Convolutions and pools along the axis: strides and padding change its extent."""
    b = Body(7)
    y = b("Conv", f"x {b.weight(6, 4, 3)} {b.weight(6)}", pads=[1, 1])
    y = b("Conv", f"{b('Relu', y)} {b.weight(6, 6, 3)}", pads=[1, 1], strides=[2])
    y = b("MaxPool", y, kernel_shape=[3], pads=[1, 1], strides=[1])
    b.nodes[-1].output[0] = y = "features"
    b("GlobalAveragePool", y)
    b.nodes[-1].output[0] = "mean"
    b("Pad", f"{y} {b.constant([0, 0, 1, 0, 0, 2])} {b.constant(0.5, np.float32)}")
    b.nodes[-1].output[0] = "padded"
    return graphs.model(b.nodes, [graphs.value("x", [1, 4, "tokens"])],
                        [graphs.value("features", [1, 6, "half"]), graphs.value("mean", [1, 6, 1]),
                         graphs.value("padded", [1, 6, "more"])], b.weights, opset=13)


def unpadded():
    """A convolution that needs five entries, pools of its windows, and the share of each."""
    b = Body(11)
    y = b("AveragePool", b("Conv", f"x {b.weight(3, 2, 3)}"), kernel_shape=[2], strides=[2])
    length = b("Cast", b("Gather", f"{b('Shape', 'x')} {b.constant(2)}"), to=TensorProto.FLOAT)
    b.nodes.append(helper.make_node("Div", [y, length], ["y"]))
    b.nodes.append(helper.make_node("Slice", ["x", b.constant([1]), b.constant([1000]), b.constant([2])], ["rest"]))
    return graphs.model(b.nodes, [graphs.value("x", [1, 2, "tokens"])],
                        [graphs.value("y", [1, 3, "half"]), graphs.value("rest", [1, 2, "rest"])], b.weights, opset=13)


def causal():
    """A mask made of the length: Trilu of ConstantOfShape, and a comparison of positions."""
    b = Body(8)
    length = b("Gather", f"{b('Shape', 'x')} {b.constant([1])}")
    square = b("Concat", f"{length} {length}", axis=0)
    ones = b("ConstantOfShape", square, value=number("one", [1]))
    upper = b("Trilu", f"{ones} {b.constant(1)}", upper=1)
    added = b("Mul", f"{upper} {b.constant(-3e38, np.float32)}")
    scores = b("MatMul", f"x {b('Transpose', 'x', perm=[0, 2, 1])}")
    b("MatMul", f"{b('Softmax', b('Add', f'{scores} {added}'), axis=-1)} x")
    b.nodes[-1].output[0] = "y"
    places = b("Range", f"{b.constant(0)} {b('Squeeze', f'{length} {b.constant([0])}')} {b.constant(1)}")
    b("Mul", f"x {b('Cast', b('Unsqueeze', f'{places} {b.constant([1])}'), to=TensorProto.FLOAT)}")
    b.nodes[-1].output[0] = "weighted"
    return graphs.model(b.nodes, [graphs.value("x", [1, "tokens", 8])],
                        [graphs.value("y", [1, "tokens", 8]), graphs.value("weighted", [1, "tokens", 8])], b.weights, opset=15)


def with_state():
    """A running sum over rows of the open axis: an input gives its first value, an output its last."""
    b = Body(14)
    b.nodes.append(helper.make_node("Add", ["hidden_in", b("ReduceSum", f"x {b.constant([1])}", keepdims=0)], ["hidden_out"]))
    b.nodes.append(helper.make_node("Add", ["x", "hidden_in"], ["y"]))
    return graphs.model(b.nodes, [graphs.value("x", [1, "tokens", 6]), graphs.value("hidden_in", [1, 6])],
                        [graphs.value("y", [1, "tokens", 6]), graphs.value("hidden_out", [1, 6])], b.weights, opset=13)


def recurrent():
    """Layers that run as many steps as there are tokens: an LSTM whose rows are read, and a GRU whose end is."""
    b, hidden = Body(17), 5
    lstm = f"{b.weight(1, 4 * hidden, 6)} {b.weight(1, 4 * hidden, hidden)} {b.weight(1, 8 * hidden)}"
    b.nodes.append(helper.make_node("LSTM", ["x", *lstm.split(), "", "h0", "c0"], ["rows", "", "cn"], name="listen",
                                    hidden_size=hidden))
    rows = b("Squeeze", f"rows {b.constant([1])}")
    b.nodes.append(helper.make_node("Tanh", [rows], ["y"], name="y"))
    turned = b("Transpose", rows, perm=[1, 0, 2])
    gru = f"{b.weight(1, 3 * hidden, hidden)} {b.weight(1, 3 * hidden, hidden)} {b.weight(1, 6 * hidden)}"
    b.nodes.append(helper.make_node("GRU", [turned, *gru.split()], ["", "end"], name="sum_up", hidden_size=hidden, layout=1,
                                    linear_before_reset=1))
    return graphs.model(b.nodes, [graphs.value("x", ["tokens", 1, 6]), graphs.value("h0", [1, 1, hidden]),
                                  graphs.value("c0", [1, 1, hidden])],
                        [graphs.value("y", ["tokens", 1, hidden]), graphs.value("cn", [1, 1, hidden]),
                         graphs.value("end", [1, 1, hidden])], b.weights, opset=14)


def decoder(rows=1, keys=None, batch=1, layers=2):
    """Layers of a decoder that appends `rows` keys and values to caches, as exporters write it: positions come from the
    length of a cache, the mask has an entry for each key, an axis `keys`."""
    b, caches = Body(16), []
    length = b("Gather", f"{b('Shape', 'past_key_values.0.key')} {b.constant(2)}")
    places = b("Add", f"{length} {b.constant([list(range(rows))])}")
    x = b("Add", f"{b('Gather', f'{b.weight(WORDS, WIDTH)} words')} {b('Gather', f'{b.weight(POSITIONS, WIDTH)} {places}')}")
    wide = b("Cast", b("Unsqueeze", f"kept {b.constant([1, 2])}"), to=TensorProto.FLOAT)
    added = b("Mul", f"{b('Sub', f'{b.constant(1, np.float32)} {wide}')} {b.constant(-10000, np.float32)}")
    split = b.constant([0, rows, HEADS, WIDTH // HEADS])
    for layer in range(layers):
        y = b.norm(x)
        q, k, v = (b("Transpose", b("Reshape", f"{b.linear(y, WIDTH)} {split}"), perm=[0, 2, 1, 3]) for _ in range(3))
        for kind, new in (("key", k), ("value", v)):
            names = [f"past_key_values.{layer}.{kind}", f"present.{layer}.{kind}"]
            b.nodes.append(helper.make_node("Concat", [names[0], new], names[1:], name=f"append_{layer}_{kind}", axis=2))
            caches.append(names)
        products = b("MatMul", f"{q} {b('Transpose', caches[-2][1], perm=[0, 1, 3, 2])}")
        scores = b("Add", f"{b('Div', f'{products} {b.constant(8**0.5, np.float32)}')} {added}")
        mixed = b("MatMul", f"{b('Softmax', scores, axis=-1)} {caches[-1][1]}")
        joined = b("Reshape", f"{b('Transpose', mixed, perm=[0, 2, 1, 3])} {b.constant([0, rows, WIDTH])}")
        x = b("Add", f"{b.linear(joined, WIDTH)} {x}")
    b.nodes.append(helper.make_node("MatMul", [b.norm(x), b.weight(WIDTH, WORDS)], ["logits"], name="logits"))
    shape = [batch, HEADS, "past", WIDTH // HEADS]
    return graphs.model(b.nodes, [graphs.value("words", [batch, rows], TensorProto.INT64),
                                  graphs.value("kept", [batch, keys or f"past + {rows}"], TensorProto.INT64)]
                        + [graphs.value(before, shape) for before, _ in caches],
                        [graphs.value("logits", [batch, rows, WORDS])]
                        + [graphs.value(after, [batch, HEADS, "all", WIDTH // HEADS]) for _, after in caches], b.weights, opset=17)


def accepted_together():
    """Graphs with several open axes, by name, with their capacities."""
    return {"batches": (encoder("batch"), [("batch", 3), ("tokens", 13)]),
            "fused_batches": (fused_encoder("batch"), [("batch", 2), ("tokens", 12)]),
            "crossed": (crossed(), [("batch", 2), ("targets", 7), ("sources", 9)]),
            "merged": (merged_rows(), [("batch", 3), ("tokens", 7)]),
            "picture": (picture(), [("height", 10), ("width", 11, 2)]),
            "pictures": (picture(), [("pictures", 3), ("height", 6)])}


def accepted():
    return {"encoder": (encoder(), 20), "fused_encoder": (fused_encoder(), 12), "reductions": (reductions(), 9),
            "convolutions": (convolutions(), 13), "causal": (causal(), 11),
            "kernel": (unpadded(), 9, 5), "recurrent": (recurrent(), 14)}


def many_entries():
    """A square of 16,900 entries times the length, which is too much to compute for every length."""
    b = Body(12)
    length = b("Gather", f"{b('Shape', 'x')} {b.constant([1])}")
    ones = b("ConstantOfShape", b("Concat", f"{length} {length}", axis=0), value=number("one", [1]))
    b.nodes.append(helper.make_node("Mul", [ones, b("Cast", length, to=TensorProto.FLOAT)], ["z"], name="mixing"))
    b.nodes.append(helper.make_node("MatMul", ["z", "x"], ["y"]))
    return graphs.model(b.nodes, [graphs.value("x", [1, "tokens", 6])], [graphs.value("y", None)], b.weights), 130


def split_length():
    """Constants of the length that do not fit each other at every length."""
    b = Body(13)
    ones = b("ConstantOfShape", b.extent("x", 1), value=number("one", [1]))
    b.nodes.append(helper.make_node("Add", [ones, b.weight(8)], ["z"], name="mixing"))
    b.nodes.append(helper.make_node("MatMul", ["z", "x"], ["y"]))
    return graphs.model(b.nodes, [graphs.value("x", [1, "tokens", 6])], [graphs.value("y", None)], b.weights)


def with_sequence(op, names, **attributes):
    """A node that reads a pair of tensors, which have the axis, or a place, which is 1 at eight tokens and 0 below."""
    b = Body(22)
    made = {"pair": b("SequenceConstruct", "x x"), "place": b("Div", f"{b.extent('x', 1, 0)} {b.constant(8)}")}
    b.nodes.append(helper.make_node(op, [made.get(n, n) for n in names.split(" ")], ["y"], name="mixing", **attributes))
    return graphs.model(b.nodes, [graphs.value("x", [2, "tokens", 6])], [graphs.value("y", None)], b.weights)


def refused_together():
    """Graphs with two open axes of the same capacity that one node mixes, by what the report says; with the capacities."""
    def made(*steps, shapes=(("a", "b", 4),), most=8, weights=()):
        *others, (op, names, attributes) = steps
        nodes = [helper.make_node(o, n.split(), [f"{o}{i}"], **a) for i, (o, n, a) in enumerate(others)]
        nodes.append(helper.make_node(op, names.split(), ["result"], name="mixing", **attributes))
        inputs = [graphs.value(f"x{i}", shape) for i, shape in enumerate(shapes)]
        return graphs.model(nodes, inputs, [graphs.value("result", None)], list(weights)), [("a", most), ("b", most)]

    shape = ("Shape", "x0", {})
    two = (("a", 4), ("b", 4))
    return {
        "axes a, b: a Reshape merged it with an axis before it": made(
            ("Reshape", "x0 shape", {}), ("CumSum", "Reshape0 axis", {}), weights=[graphs.integers("shape", -1, 4), graphs.integers("axis", 0)]),
        "axes a, b: a Reshape merged it": made(  # the rule notes a mask along it
            ("Reshape", "x0 shape", {}), ("ReduceSum", "Reshape0", {"keepdims": 0}), weights=[graphs.integers("shape", -1, 4)]),
        "a Reshape splits it where not every": made(("Reshape", "x0 shape", {}), weights=[graphs.integers("shape", 0, 4, 2, 4)]),
        "an extent of the result depends on more than one": made(
            shape, ("ReduceProd", "Shape0", {"axes": [0], "keepdims": 1}), ("Expand", "one ReduceProd1", {}),
            weights=[graphs.integers("one", 1)]),
        "operands have different extents": made(("Add", "x0 x1", {}), shapes=two),
        "8 terms, of which its operands have different counts": made(("Transpose", "x0", {}), ("MatMul", "Transpose0 x1", {}), shapes=two),
        "depends on 40000 combinations of lengths": made(shape, most=200),
        "is [2, 1, 4] where a is 1 and b is 2; [1, 2, 4] is needed": made(
            shape, ("Gather", "Shape0 turned", {}), ("Reshape", "x0 Gather1", {}), weights=[graphs.integers("turned", 1, 0, 2)]),
    }


def refused():
    """Graphs of one node that mixes the axis, by what the report says."""
    def one(op, *inputs, shape=(2, "tokens", 6), opset=13, weights=(), outputs=("y",), **attributes):
        node = helper.make_node(op, ["x", *inputs], list(outputs), name="mixing", **attributes)
        return graphs.model([node], [graphs.value("x", shape)], [graphs.value("y", None)], list(weights), opset)

    backwards = [graphs.integers(n, v) for n, v in (("first", -1), ("last", -1000), ("axis", 1), ("step", -1))]
    weight = graphs.weight(np.random.default_rng(9), "w", 2, 8, 6)
    return {
        "the slice begins at": one("Slice", "first", "last", "axis", "step", weights=backwards),
        "begins at a place": one("Slice", "first", "last", "axis", weights=[
            graphs.integers("first", -1), graphs.integers("last", 1000), graphs.integers("axis", 1)]),
        "is empty where tokens is 1": one("Slice", "first", "last", "axis", weights=[
            graphs.integers("first", 1), graphs.integers("last", 1000), graphs.integers("axis", 1)]),
        "the shape operand is": one("Reshape", "shape", weights=[graphs.integers("shape", 2, 8, 2, 3)]),
        "entries of another operand follow": one("Concat", "x", axis=1),
        "has 8 entries whatever": one("Add", "w", weights=[weight]),
        "counts from the end": one("Gather", "last", axis=1, weights=[graphs.integers("last", -1)]),
        "means and variances": one("InstanceNormalization", "scale", "scale", shape=(2, 6, "tokens"), weights=[
            graphs.weight(np.random.default_rng(9), "scale", 6)]),
        "padding by a constant": one("Pad", "pads", mode="reflect", weights=[graphs.integers("pads", 0, 1, 0, 0, 1, 0)]),
        "is not known": one("ConvTranspose", "w", shape=(1, 6, "tokens"), weights=[
            graphs.weight(np.random.default_rng(9), "w", 6, 2, 3)]),
        "a direction from its end": one("GRU", "w", "r", shape=("tokens", 1, 6), hidden_size=2, direction="reverse", weights=[
            graphs.weight(np.random.default_rng(9), "w", 1, 6, 6), graphs.weight(np.random.default_rng(9), "r", 1, 6, 2)]),
        "a formula that nn::lstm": one("GRU", "w", "r", shape=("tokens", 1, 6), hidden_size=2, weights=[
            graphs.weight(np.random.default_rng(9), "w", 1, 6, 6), graphs.weight(np.random.default_rng(9), "r", 1, 6, 2)]),
        "no entries where tokens is 2; use --capacity tokens=3..8": one("Conv", "w", shape=(1, 6, "tokens"), weights=[
            graphs.weight(np.random.default_rng(9), "w", 2, 6, 3)]),
        "the entries of Cast": many_entries(),
        "cannot be evaluated where tokens is 2": split_length(),
        "tensors of a sequence have it": with_sequence("ConcatFromSequence", "pair", axis=0),
        "a position in a sequence": with_sequence("SequenceAt", "pair place"),
        "how often a graph inside": with_sequence("Loop", "place  pair", body=helper.make_graph([], "body", [], [])),
        "windows at its end": one("AveragePool", shape=(1, 6, "tokens"), kernel_shape=[3], pads=[1, 1]),
    }
