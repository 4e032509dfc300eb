# SPDX-License-Identifier: BSL-1.0
"""Products of quantized matrices that the test of tools/import_onnx.py imports: as products of bytes where that is exact."""
import import_onnx_graphs as graphs
import numpy as np
from onnx import TensorProto, helper, numpy_helper

KINDS = {np.int8: TensorProto.INT8, np.uint8: TensorProto.UINT8}
ROWS, DEPTH, COLUMNS = 5, 37, 19


def integers(random, dtype, *shape, low=None, high=None):
    """Integers of a type, with its least and greatest one in each row unless there are limits."""
    limits = np.iinfo(dtype)
    x = random.integers(limits.min if low is None else low, (limits.max if high is None else high) + 1, shape).astype(dtype)
    if low is None:
        x[..., 0], x[..., -1] = limits.min, limits.max
    return x


def product(x, w, left=None, right=None, given=()):
    """MatMulInteger of an input and a constant; zero points are constant, or inputs if their places are `given`."""
    operands = {"x": x, "w": w, "left": left, "right": right}
    names = [name if value is not None else "" for name, value in operands.items()]
    inputs = {"x", *given}
    declared = [graphs.value(n, a.shape, KINDS[a.dtype.type]) for n, a in operands.items() if n in inputs]
    weights = [numpy_helper.from_array(a, n) for n, a in operands.items() if a is not None and n not in inputs]
    shape = [*x.shape[:-1], w.shape[1]]
    made = graphs.model([helper.make_node("MatMulInteger", names, ["y"], name="product")], declared,
                        [graphs.value("y", shape, TensorProto.INT32)], weights)
    return made, {n: a for n, a in operands.items() if n in inputs}


def depthwise(x, w, left, right, scales=None, **attributes):
    """ConvInteger with a kernel for each channel; QLinearConv with three scales and the zero point of the result."""
    if scales is None:
        op, kind, operands = "ConvInteger", np.int32, {"w": w, "left": left, "right": right}
    else:
        sx, sw, sy, zero = scales
        op, kind = "QLinearConv", x.dtype.type
        operands = {"sx": sx, "left": left, "w": w, "sw": sw, "right": right, "sy": sy, "zero": zero}
    node = helper.make_node(op, ["x", *operands], ["y"], group=x.shape[1], **attributes)
    weights = [numpy_helper.from_array(np.asarray(a), n) for n, a in operands.items()]
    kinds = {**KINDS, np.int32: TensorProto.INT32}
    return graphs.model([node], [graphs.value("x", x.shape, KINDS[x.dtype.type])], [graphs.value("y", None, kinds[kind])],
                        weights), {"x": x}


def check_quantized(folder, imported, expect):
    r = np.random.default_rng(11)
    unsigned, signed = (integers(r, kind, 2, ROWS, DEPTH) for kind in (np.uint8, np.int8))
    symmetric = integers(r, np.int8, DEPTH, COLUMNS, low=-127, high=127)
    # The first column is inside its zero point's reach, the others are not.
    apart = integers(r, np.uint8, DEPTH, COLUMNS, low=1, high=255)
    apart[:, 0], zeros = apart[:, 0] // 2, integers(r, np.uint8, COLUMNS, low=30, high=60)
    row_zeros = integers(r, np.uint8, ROWS, low=0, high=255)
    exact = {
        "plain": product(signed, symmetric), "unsigned": product(unsigned, symmetric),
        "vector": product(unsigned[0, 0], symmetric, np.uint8(7)),
        "zero": product(unsigned, symmetric, np.uint8(128), np.int8(0)),
        "given_zero": product(unsigned, symmetric, np.array(119, np.uint8), given=["left"]),
        "rows": product(unsigned[0], apart, row_zeros, zeros, given=["left"]),
        "shifted": product(signed, apart, np.int8(-3), zeros)}
    for name, (model, samples) in exact.items():
        text = imported(f"net_bytes_{name}", model, name in ("given_zero", "rows", "shifted"), samples=samples)
        header = (folder / f"net_bytes_{name}.hpp").read_text()
        expect(f"quantized<unscaled<float>, {DEPTH}, {COLUMNS}>" in header and "32-bit" not in text, f"{name} is a product of bytes: {text}")
    image, kernels = integers(r, np.uint8, 2, 6, 9, 10), integers(r, np.uint8, 6, 1, 3, 2)
    convolutions = {
        "padded": depthwise(image, kernels, np.uint8(200), np.uint8(31), pads=[1, 0, 2, 1]),
        "strided": depthwise(image, kernels, np.uint8(3), integers(r, np.uint8, 6), strides=[2, 3], dilations=[2, 1]),
        "scaled": depthwise(image, kernels, np.uint8(119), np.uint8(128), [np.float32(0.02), r.random(6).astype(np.float32),
                                                                          np.float32(4), np.uint8(120)], pads=[1, 1, 1, 1])}
    for name, (model, samples) in convolutions.items():
        imported(f"net_bytes_{name}", model, name != "strided", samples=samples)
        expect("einsum" not in (folder / f"net_bytes_{name}.hpp").read_text(), f"{name}: taps are added up")
    far, deep = integers(r, np.int8, DEPTH, COLUMNS, low=-100, high=100), np.full((1033, 3), 127, np.int8)
    far[0, 2], far[1, 2] = -128, 127
    wide = {"far": (product(signed, far), "a column has integers that are 255 apart, more than 254"),
            "deep": (product(integers(r, np.int8, 2, 1033), deep), "sums reach 16792448, more than 2^24"),
            "given": (product(signed, symmetric, given=["w"]), "the matrix on the right is no constant one"),
            "given_zeros": (product(signed, symmetric, np.int8(1), np.int8(2), given=["right"]),
                            "the zero point of the matrix on the right is no constant")}
    for name, ((model, samples), reason) in wide.items():
        text = imported(f"net_wide_{name}", model, name == "given_zeros", samples=samples)
        expect(f"product (MatMulInteger) multiplies 32-bit integers: {reason}" in text, f"{name} says why: {text}")
