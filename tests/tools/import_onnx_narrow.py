# SPDX-License-Identifier: BSL-1.0
"""Models whose weights the test of tools/import_onnx.py makes narrow, and the rules that choose them."""
import import_onnx_graphs as graphs
import numpy as np
from import_onnx_recurrent import layer
from onnx import helper, numpy_helper
from onnx_import import bf16
from onnx_import.narrow import bytes_in_8_bits, product_of_bytes, relative_error, rounded_to_bytes, spread_rows
from onnx_import.narrow_errors import distance_between

ROWS, DEPTH, COLUMNS = 5, 64, 32


def check_rules(expect):
    """The rounding rules of the library, by numbers worked out by hand."""
    given = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-7], np.float32)
    expect((bf16.floats_of(bf16.bits_of(given)) == np.array([1, 1, 1 + 2**-6, -1 - 2**-7], np.float32)).all(), "bf16: ties to even")
    numbers, scales = rounded_to_bytes(np.array([[127, -63.5, 0.5, 1.5], [0, 0, 0, 0], [2.0**-121, 0, 0, 0]], np.float32))
    expect((numbers == [[127, -64, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]]).all(), f"int8: {numbers}")
    expect((scales == [[1], [0], [0]]).all(), f"int8: scales {scales}")
    r = np.random.default_rng(7)
    for depth in (320, 64, 36, 31):
        x, w = r.standard_normal((3, depth)).astype(np.float32), r.standard_normal((depth, 8)).astype(np.float32)
        expect(np.allclose(spread_rows(x) @ spread_rows(w.T).T, x @ w, atol=1e-4), f"spreading {depth} keeps products")
    shares = np.nonzero(spread_rows(np.eye(1, 64, dtype=np.float32))[0])[0]
    expect(list(shares) == [16 * part + k for part in range(4) for k in range(4)], f"16 entries share an outlier: {shares}")
    expect((spread_rows(x) == x).all() and (spread_rows(np.ones((1, 64), np.float32)) != 1).any(), "odd depths are not spread")
    x, w = r.standard_normal((3, 256)).astype(np.float32), r.standard_normal((256, 8)).astype(np.float32)
    x[:, 100], w[100] = 200, 0
    plain, spread = (relative_error(product_of_bytes(x, w, s), x @ w) for s in (False, True))
    expect(spread < plain / 2, f"spreading lowers the error of rows with an outlier: {plain} and {spread}")
    expect(bytes_in_8_bits(5, 17) == 8 * 32 + 8 * 32, "bytes of a padded matrix")
    far = distance_between(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    expect(far.largest == 0.25 and abs(far.cosine - 7 / 50**0.5) < 1e-12 and far.tolerance == 0.5, f"distance {far}")


def products():
    """Operators with constant matrices of 32 columns, one after the other, and two convolutions."""
    r = np.random.default_rng(8)
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"]),
        helper.make_node("Gemm", ["a", "second", "bias"], ["b"], transB=1, alpha=0.5),
        helper.make_node("FusedMatMul", ["b", "third"], ["c"], domain="com.microsoft", transB=1, alpha=2.0),
        helper.make_node("Reshape", ["c", "image"], ["d"]),
        helper.make_node("Conv", ["d", "wide.weight", "wide.bias"], ["e"], pads=[1, 1, 0, 1], kernel_shape=[3, 3]),
        helper.make_node("Conv", ["e", "grouped.weight"], ["f"], group=2, kernel_shape=[1, 3]),
        helper.make_node("Reshape", ["f", "signal"], ["g"]),
        helper.make_node("Conv", ["g", "long.weight"], ["y"], dilations=[2], kernel_shape=[3]),
    ]
    weights = [graphs.weight(r, "first", DEPTH, COLUMNS), graphs.weight(r, "second", COLUMNS, COLUMNS),
               graphs.weight(r, "bias", COLUMNS), graphs.weight(r, "third", COLUMNS, COLUMNS), graphs.integers("image", 1, 8, 5, 4),
               graphs.weight(r, "wide.weight", 32, 8, 3, 3), graphs.weight(r, "wide.bias", 32),
               graphs.weight(r, "grouped.weight", 32, 16, 1, 3), graphs.integers("signal", 1, 8, -1),
               graphs.weight(r, "long.weight", 16, 8, 3)]
    made = graphs.model(nodes, [graphs.value("x", [ROWS, DEPTH])], [graphs.value("y", [1, 16, 28])], weights)
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def depthwise():
    """Depthwise convolutions in a row, the last ones along one axis."""
    r = np.random.default_rng(14)
    nodes = [helper.make_node("Conv", ["x", "first.weight", "bias"], ["a"], group=16, kernel_shape=[3, 3], pads=[1, 0, 0, 2]),
             helper.make_node("Conv", ["a", "strided.weight"], ["b"], group=16, kernel_shape=[2, 2], strides=[1, 2]),
             helper.make_node("Transpose", ["b"], ["c"], perm=[0, 2, 3, 1]),
             helper.make_node("NhwcConv", ["c", "last.weight", "bias"], ["d"], group=16, strides=[2, 1], dilations=[1, 2],
                              kernel_shape=[3, 2], domain="com.microsoft"),
             helper.make_node("Transpose", ["d"], ["e"], perm=[0, 3, 1, 2]), helper.make_node("Reshape", ["e", "signal"], ["f"]),
             helper.make_node("Conv", ["f", "long.weight"], ["g"], group=16, kernel_shape=[3], pads=[1, 1]),
             helper.make_node("Conv", ["g", "long.weight"], ["y"], group=16, kernel_shape=[3], pads=[2, 0])]
    shapes = {"first": (3, 3), "strided": (2, 2), "last": (3, 2), "long": (3,)}
    weights = [graphs.weight(r, "bias", 16), graphs.integers("signal", 1, 16, -1)]
    weights += [graphs.weight(r, f"{name}.weight", 16, 1, *kernel) for name, kernel in shapes.items()]
    made = graphs.model(nodes, [graphs.value("x", [1, 16, 11, 12])], [graphs.value("y", [1, 16, 16])], weights)
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def attention():
    """com.microsoft's attention and a product of few bits."""
    r = np.random.default_rng(9)
    nodes = [helper.make_node("Attention", ["x", "qkv", "bias"], ["a"], domain="com.microsoft", num_heads=2),
             helper.make_node("MatMulNBits", ["a", "bits", "scales"], ["y"], domain="com.microsoft", K=32, N=24, bits=4,
                              block_size=32)]
    weights = [graphs.weight(r, "qkv", 24, 96), graphs.weight(r, "bias", 96),
               numpy_helper.from_array(r.integers(0, 256, (24, 1, 16), np.uint8), "bits"),
               numpy_helper.from_array(r.random(24).astype(np.float32) / 8, "scales")]
    made = graphs.model(nodes, [graphs.value("x", [2, 5, 24])], [graphs.value("y", [2, 5, 24])], weights)
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def fused():
    """Operators of com.microsoft that have weights and something else: an attention whose values are narrow, activations."""
    r = np.random.default_rng(13)
    nodes = [helper.make_node("Attention", ["x", "qkv", "bias"], ["a"], num_heads=2, qkv_hidden_sizes=[32, 32, 16]),
             helper.make_node("GemmFastGelu", ["a", "first", "first_bias"], ["b"]),
             helper.make_node("FusedConv", ["b", "kernel"], ["c"], activation="Relu", kernel_shape=[3], pads=[1, 1]),
             helper.make_node("Reshape", ["c", "rows"], ["d"]),
             helper.make_node("FusedGemm", ["d", "second"], ["e"], transB=1, activation="LeakyRelu", activation_alpha=0.2),
             helper.make_node("Reshape", ["e", "image"], ["f"]),
             helper.make_node("NhwcConv", ["f", "last"], ["y"], kernel_shape=[2, 2])]
    for node in nodes:
        node.domain = "" if node.op_type == "Reshape" else "com.microsoft"
    weights = [graphs.weight(r, "qkv", 24, 80), graphs.weight(r, "bias", 80), graphs.weight(r, "first", 16, 32),
               graphs.weight(r, "first_bias", 32), graphs.weight(r, "kernel", 5, 5, 3), graphs.integers("rows", 10, 32),
               graphs.weight(r, "second", 32, 32), graphs.integers("image", 1, 4, 5, 16), graphs.weight(r, "last", 32, 16, 2, 2)]
    made = graphs.model(nodes, [graphs.value("x", [2, 5, 24])], [graphs.value("y", [1, 3, 4, 32])], weights)
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def of_each_error():
    """Four products, and samples with which int8, spread int8, bf16 and only floats have little error."""
    r = np.random.default_rng(10)
    names = ("plain", "outlier", "greater", "opposite")
    inputs = {name: r.standard_normal((3, 256)).astype(np.float32) for name in names}
    matrices = {name: r.standard_normal((256, 32)).astype(np.float32) for name in names}
    for name, size in (("outlier", 16), ("greater", 4000)):
        inputs[name][:, 100], matrices[name][100] = size, 0
    inputs["opposite"][:, 1::2] = -inputs["opposite"][:, ::2]
    matrices["opposite"][1::2] = matrices["opposite"][::2] * np.float32(1.01)
    nodes = [helper.make_node("MatMul", [name, f"{name}_matrix"], [f"{name}_result"]) for name in names]
    weights = [numpy_helper.from_array(matrix, f"{name}_matrix") for name, matrix in matrices.items()]
    return graphs.model(nodes, [graphs.value(name, [3, 256]) for name in names],
                        [graphs.value(f"{name}_result", [3, 32]) for name in names], weights), inputs


def of_state():
    """A product of a state, which is zero in the first call and has an outlier, 4000, in the second."""
    r = np.random.default_rng(11)
    matrix, outlier = r.standard_normal((256, 32)).astype(np.float32), np.zeros(256, np.float32)
    matrix[100], outlier[100] = 0, 4000
    nodes = [helper.make_node("MatMul", ["state", "matrix"], ["y"]), helper.make_node("Add", ["x", "outlier"], ["new_state"])]
    weights = [numpy_helper.from_array(matrix, "matrix"), numpy_helper.from_array(outlier, "outlier")]
    return graphs.model(nodes, [graphs.value("x", [3, 256]), graphs.value("state", [3, 256])],
                        [graphs.value("y", [3, 32]), graphs.value("new_state", [3, 256])], weights)


def check_narrow(folder, imported, expect):
    check_rules(expect)
    both = {"direction": "bidirectional"}
    wide = {"hidden": 24, "wide": 20}
    cases = [
        ("products", "bf16", products(), {}, ["packed<bf16, 64, 32>", "packed<bf16, 32, 32>", "nn::conv2d<{.in = 8, .out = 32",
                                              "float, bf16> wide", "float, bf16> grouped", "float, bf16> long_1"]),
        ("products", "int8", products(), {}, ["quantized<float, 64, 32> first", "quantized<float, 32, 32> second",
                                              "float, std::int8_t> wide",
                                              ".groups = 2, .bias = false}> grouped"]),
        ("attention", "bf16", attention(), {}, ["packed<bf16, 24, 96> qkv", "packed<bf16, 32, 24> bits"]),
        ("attention", "int8", attention(), {}, ["quantized<float, 24, 96> qkv", "24> bits"]),
        ("fused", "bf16", fused(), {}, ["packed<bf16, 24, 80> qkv", "packed<bf16, 16, 32> first", "packed<bf16, 32, 32> second",
                                        "float, bf16>"]),
        ("fused", "int8", fused(), {}, ["quantized<float, 24, 80> qkv", "quantized<float, 16, 32> first",
                                        "quantized<float, 32, 32> second", "float, std::int8_t>"]),
        ("depthwise", "bf16", depthwise(), {}, ["float, bf16> first", "float, bf16> strided", "float, bf16> last"]),
        ("depthwise", "int8", depthwise(), {}, ["tensor<std::int8_t, 9, 16> first", "tensor<std::int8_t, 4, 16> strided",
                                                "tensor<std::int8_t, 6, 16> last", "tensor<std::int8_t, 3, 16> long"]),
        ("lstm", "bf16", layer("LSTM", **wide), {"h0": "h", "c0": "c"}, [".batch_first = false}, float, bf16> layer"]),
        ("lstm", "int8", layer("LSTM", 2, layout=1, **wide, **both), {}, ["float, std::int8_t> layer"]),
        ("gru", "int8", layer("GRU", linear_before_reset=1, **wide), {"h0": "h"}, ["int8_t> layer"]),
        ("loop", "int8", layer("GRU", 2, **wide, **both), {}, ["quantized<float, 20, 72> w_0", "24, 48> r_1", "24, 24> r_1"]),
        ("rnn", "int8", layer("RNN", direction="reverse", **wide), {}, ["int8_t> layer"]),
    ]
    # The program has each kind of layer once, in one of the types.
    compiled = {"products_int8", "attention_int8", "fused_bf16", "depthwise_int8", "lstm_bf16", "loop_int8"}
    for name, weights, model, states, texts in cases:
        in_program = f"{name}_{weights}" in compiled
        name = f"narrow_{name}_{weights}"
        report = imported(name, model, in_program, states=states, weights=weights)
        if report:
            header, test = (folder / f"{name}.hpp").read_text(), (folder / f"{name}_test.cpp").read_text()
            expect(all(text in header for text in texts), f"{name}: its header has {texts}")
            expect("cosine" in report and "the test accepts" in report, f"{name}: the report has the errors: {report}")
            expect(", error 0.00%" not in report, f"{name}: NumPy computes with all narrow weights: {report}")
            expect("near(" in test and "agree(" not in test.split("passes(")[1], f"{name}: the test has tolerances that fit")
    model, samples = of_each_error()
    report = imported("narrow_auto", model, samples=samples, weights="auto")
    header = (folder / "narrow_auto.hpp").read_text()
    for name, kind, text in (("plain", "quantized<float, 256, 32>", "int8"),
                             ("outlier", "quantized<smoothed<float>, 256, 32>", "smoothed int8"),
                             ("greater", "packed<bf16, 256, 32>", "bf16"), ("opposite", "packed<float, 256, 32>", "float")):
        expect(f"{kind} {name}_matrix{{}};" in header and f"{name}_matrix: {text}, " in report, f"auto: {name} is {text}: {report}")
    expect("float, 32768 bytes; int8 has " in report and "; bf16 has " in report, f"auto: errors of refused types: {report}")
    report = imported("narrow_state", of_state(), automatic=True, weights="auto")
    expect("matrix: bf16" in report, f"auto: errors are those of a call with a state that is not zero: {report}")
    report = imported("narrow_thin", graphs.node_model("MatMul", [(4, 8), np.ones((8, 3), np.float32)], [4, 3]), weights="int8", compiled=False)
    expect("no weight is narrow" in report, f"int8 is not taken where it needs more bytes: {report}")
