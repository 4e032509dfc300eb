# SPDX-License-Identifier: BSL-1.0
"""Small ONNX models that the test of tools/import_onnx.py imports."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weight(random, name, *shape):
    return numpy_helper.from_array((random.standard_normal(shape) * 0.3).astype(np.float32), name)


def integers(name, *numbers):
    return numpy_helper.from_array(np.array(numbers, np.int64), name)


def model(nodes, inputs, outputs, weights=(), opset=15):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(weights))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def node_model(op, inputs, output, opset=15, domain="", **attributes):
    """One operator: `inputs` are shapes of floats, arrays that are constant, or None where an operand is absent."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    declared = [value(n, x) for n, x in zip(names, inputs) if isinstance(x, tuple)]
    weights = [numpy_helper.from_array(x, n) for n, x in zip(names, inputs) if isinstance(x, np.ndarray | np.generic)]
    return model([helper.make_node(op, names, ["y"], domain=domain, **attributes)], declared, [value("y", output)], weights, opset)


def convolutional():
    """Two convolutions with a norm and pools, and a linear layer: [1, 3, 16, 16] to 10 classes."""
    r = np.random.default_rng(1)
    nodes = [
        helper.make_node("Conv", ["image", "conv1.weight", "conv1.bias"], ["c1"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c1", "bn.weight", "bn.bias", "bn.mean", "bn.var"], ["n1"]),
        helper.make_node("Relu", ["n1"], ["r1"]),
        helper.make_node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p1", "conv2.weight"], ["c2"], kernel_shape=[3, 3], strides=[2, 2], group=2,
                         auto_pad="SAME_UPPER"),
        helper.make_node("HardSwish", ["c2"], ["r2"]),
        helper.make_node("GlobalAveragePool", ["r2"], ["p2"]),
        helper.make_node("Flatten", ["p2"], ["flat"]),
        helper.make_node("Gemm", ["flat", "fc.weight", "fc.bias"], ["scores"], transB=1),
        helper.make_node("LogSoftmax", ["scores"], ["classes"], axis=-1),
    ]
    weights = [weight(r, "conv1.weight", 8, 3, 3, 3), weight(r, "conv1.bias", 8), weight(r, "bn.weight", 8),
               weight(r, "bn.bias", 8), weight(r, "bn.mean", 8), numpy_helper.from_array(np.full(8, 0.5, np.float32), "bn.var"),
               weight(r, "conv2.weight", 16, 4, 3, 3), weight(r, "fc.weight", 10, 16), weight(r, "fc.bias", 10)]
    return model(nodes, [value("image", [1, 3, 16, 16])], [value("classes", [1, 10])], weights)


def shuffled():
    """A shuffle of channels, whose halves two convolutions read."""
    r = np.random.default_rng(8)
    nodes = [helper.make_node("Reshape", ["x", "apart"], ["a"]), helper.make_node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3, 4]),
             helper.make_node("Reshape", ["b", "joined"], ["c"]), helper.make_node("Split", ["c"], ["left", "right"], axis=1),
             helper.make_node("Conv", ["left", "w"], ["y"]), helper.make_node("Conv", ["right", "w"], ["z"])]
    weights = [integers("apart", 1, 2, 4, 5, 5), integers("joined", 1, 8, 5, 5), weight(r, "w", 4, 4, 1, 1)]
    return model(nodes, [value("x", [1, 8, 5, 5])], [value("y", [1, 4, 5, 5]), value("z", [1, 4, 5, 5])], weights)


def attentive():
    """Words to a self-attention of two heads with a residual, as exporters write it; the axis `rows` is open."""
    r = np.random.default_rng(2)
    nodes = [helper.make_node("Gather", ["table", "words"], ["x"])]
    for name in "qkv":
        nodes += [helper.make_node("MatMul", ["x", f"{name}.weight"], [f"{name}m"]),
                  helper.make_node("Add", [f"{name}m", f"{name}.bias"], [f"{name}a"]),
                  helper.make_node("Reshape", [f"{name}a", "heads"], [f"{name}h"]),
                  helper.make_node("Transpose", [f"{name}h"], [f"{name}t"], perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])]
    nodes += [
        helper.make_node("MatMul", ["qt", "kt"], ["products"]),
        helper.make_node("Div", ["products", "root"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
        helper.make_node("MatMul", ["shares", "vt"], ["mixed"]),
        helper.make_node("Transpose", ["mixed"], ["turned"], perm=[0, 2, 1, 3]),
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Reshape", ["turned", "shape"], ["joined"]),
        helper.make_node("Add", ["joined", "x"], ["sum"]),
        helper.make_node("ReduceMean", ["sum"], ["mean"], axes=[-1]),
        helper.make_node("Sub", ["sum", "mean"], ["centred"]),
        helper.make_node("Pow", ["centred", "two"], ["squares"]),
        helper.make_node("ReduceMean", ["squares"], ["variance"], axes=[-1]),
        helper.make_node("Add", ["variance", "eps"], ["safe"]),
        helper.make_node("Sqrt", ["safe"], ["deviation"]),
        helper.make_node("Div", ["centred", "deviation"], ["y"]),
    ]
    number = lambda name, x: numpy_helper.from_array(np.array(x, np.float32), name)  # noqa: E731
    weights = [weight(r, "table", 20, 16), integers("heads", 0, 0, 2, 8), number("root", 8**0.5), number("two", 2),
               number("eps", 1e-5)]
    weights += [weight(r, f"{n}.weight", 16, 16) for n in "qkv"] + [weight(r, f"{n}.bias", 16) for n in "qkv"]
    return model(nodes, [value("words", [1, "rows"], TensorProto.INT64)], [value("y", [1, "rows", 16])], weights, opset=13)


def unusual():
    """Tensors of sequences, a part without entries, names that C++ does not have, outputs of no known shape, and outputs
    that are an input, a constant and another output."""
    r = np.random.default_rng(4)
    nodes = [
        helper.make_node("MatMul", ["0/in:0", "1.w"], ["class"]),
        helper.make_node("SequenceConstruct", ["class", "0/in:0"], ["pair"]),
        helper.make_node("SequenceInsert", ["pair", "1.w", "last"], ["three"]),  # before the last one
        helper.make_node("SequenceErase", ["three", "first"], ["two"]),
        helper.make_node("ConcatFromSequence", ["two"], ["\u65e5/ ;\\"], axis=0),
        helper.make_node("ConcatFromSequence", ["pair"], ["stacked"], axis=0, new_axis=1),
        helper.make_node("SequenceAt", ["three", "last"], ["at"]),
        helper.make_node("Slice", ["at", "two_of", "two_of"], ["nothing"]),
        helper.make_node("Concat", ["nothing", "at"], ["__y"], axis=0),
        helper.make_node("NonZero", ["at"], ["unused"]),
    ]
    weights = [weight(r, "1.w", 2, 2), numpy_helper.from_array(np.array(-1), "last"), numpy_helper.from_array(np.array(0), "first"),
               integers("two_of", 2)]
    outputs = [value(n, None) for n in ("\u65e5/ ;\\", "stacked", "__y", "0/in:0", "1.w", "class")]
    return model(nodes, [value("0/in:0", [2, 2])], outputs, weights)


def pools():
    """Pools whose axes differ: in strides, dilations, paddings, and windows of one entry along some axes or all."""
    nodes = [
        helper.make_node("MaxPool", ["x"], ["far"], kernel_shape=[3, 2], strides=[2, 1], dilations=[1, 3], pads=[1, 0, 0, 2]),
        helper.make_node("MaxPool", ["x"], ["rounded"], kernel_shape=[2, 3], strides=[3, 2], ceil_mode=1),
        helper.make_node("AveragePool", ["x"], ["columns"], kernel_shape=[1, 3], strides=[1, 2], pads=[0, 1, 0, 1]),
        helper.make_node("LpPool", ["x"], ["sizes"], kernel_shape=[1, 1]),
        helper.make_node("Reshape", ["x", "split"], ["planes"]),
        helper.make_node("AveragePool", ["planes"], ["mean"], kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1], count_include_pad=1),
    ]
    outputs = [value(n, None) for n in ("far", "rounded", "columns", "sizes", "mean")]
    return model(nodes, [value("x", [1, 2, 8, 9])], outputs, [integers("split", 1, 2, 2, 4, 9)])


def attentions():
    """Models of one attention, rotation or product of few bits, by name."""
    r = np.random.default_rng(4)
    kept = r.random((2, 1, 5, 7)) < 0.7
    kept[..., 0] = True
    added = np.where(kept, r.standard_normal(kept.shape), -np.inf).astype(np.float32)
    angles = r.standard_normal((10, 4)).astype(np.float32)
    microsoft = {"domain": "com.microsoft"}
    return {
        "attention": node_model("Attention", [(2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6), kept], [2, 4, 5, 6], 23, is_causal=1),
        "attention_of_rows": node_model("Attention", [(2, 5, 32), (2, 7, 32), (2, 7, 24), added], [2, 5, 24], 23,
                                        q_num_heads=4, kv_num_heads=4, scale=0.25),
        "attention_past": node_model("Attention", [(1, 5, 16), (1, 2, 16), (1, 2, 16), None, (1, 2, 3, 8), (1, 2, 3, 8)], [1, 5, 16],
                                     23, q_num_heads=2, kv_num_heads=2, softcap=3.0),
        "rotary": node_model("RotaryEmbedding", [(2, 5, 30), angles, angles + 1, r.integers(0, 10, (2, 5))], [2, 5, 30], 23,
                             num_heads=3, interleaved=1),
        "few_bits": node_model("MatMulNBits", [(3, 40), r.integers(0, 256, (6, 2, 16), np.uint8),
                                               r.random(12).astype(np.float32), r.integers(0, 256, 6, np.uint8)], [3, 6],
                               K=40, N=6, bits=4, block_size=32, **microsoft),
    }


def halves():
    """Floats at both ends of a product of halves, as converters to 16 bits write it."""
    r = np.random.default_rng(11)
    nodes = [helper.make_node("Cast", ["x"], ["narrow"], to=TensorProto.FLOAT16),
             helper.make_node("MatMul", ["narrow", "w"], ["product"]),
             helper.make_node("Softmax", ["product"], ["shares"], axis=-1),
             helper.make_node("Cast", ["shares"], ["y"], to=TensorProto.FLOAT)]
    weights = [numpy_helper.from_array(r.standard_normal((16, 8)).astype(np.float16), "w")]
    return model(nodes, [value("x", [3, 16])], [value("y", [3, 8])], weights)


def single_operators():
    """A handful of models of one operator each, by name."""
    indices = np.array([[0, 2], [-1, 1]], np.int64)
    return {
        "loss": node_model("SoftmaxCrossEntropyLoss", [(2, 3, 4), np.array([[0, 2, 1, 1], [2, 2, 0, 1]])], [], ignore_index=2),
        "fourier": node_model("DFT", [(1, 6, 1)], [1, 6, 2], opset=17),
        "clip": node_model("Clip", [(3, 4), np.float32(-0.5), np.float32(0.5)], [3, 4]),
        "where_like": node_model("PRelu", [(2, 3, 4), np.full((3, 1), 0.25, np.float32)], [2, 3, 4]),
        "gather": node_model("Gather", [(3, 5), indices], [3, 2, 2], axis=1),
        "slice": node_model("Slice", [(4, 6), np.array([3, 0]), np.array([-9, 5]), np.array([0, 1]), np.array([-1, 2])], [4, 3]),
        "pad": node_model("Pad", [(2, 3), np.array([0, 1, 1, 2])], [3, 6], mode="reflect"),
        "tile": node_model("Tile", [(2, 3), np.array([2, 1])], [4, 3]),
        "cumsum": node_model("CumSum", [(2, 5), np.array(1)], [2, 5], exclusive=1, reverse=1),
        "einsum": node_model("Einsum", [(2, 3, 4), (2, 4, 5)], [2, 3, 5], equation="...ij,...jk"),
        "instance_norm": node_model("InstanceNormalization", [(2, 3, 4, 4), np.ones(3, np.float32), np.zeros(3, np.float32)],
                                    [2, 3, 4, 4]),
        "average_pool": node_model("AveragePool", [(1, 2, 7)], [1, 2, 4], kernel_shape=[3], strides=[2], pads=[1, 1]),
        "transposed_convolution": node_model("ConvTranspose", [(1, 2, 3, 3), (2, 3, 3, 3)], [1, 3, 7, 7], strides=[2, 2]),
        "resize": node_model("Resize", [(1, 1, 2, 3), np.zeros(0, np.float32), np.array([1, 1, 2, 2], np.float32)], [1, 1, 4, 6],
                             mode="linear"),
    }
