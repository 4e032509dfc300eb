# SPDX-License-Identifier: BSL-1.0
"""Networks for images: which of their values are stored with channels last."""
import re

import numpy as np
from onnx import helper, numpy_helper

from import_onnx_graphs import integers, model, value, weight
from onnx_import.program import Line
from onnx_import.sharing import shared_slots


def blocks():
    """Convolutions of all kinds with what is between them: norms, residuals, pools, shares of channels, joins."""
    r = np.random.default_rng(11)
    node = helper.make_node
    nodes = [
        node("Conv", ["image", "w0", "b0"], ["c0"], strides=[2, 2], auto_pad="SAME_UPPER"),
        node("BatchNormalization", ["c0", "bn.weight", "bn.bias", "bn.mean", "bn.var"], ["n0"]),
        node("PRelu", ["n0", "slope"], ["p0"]),
        node("Conv", ["p0", "w1"], ["c1"], strides=[2, 2], pads=[1, 1, 1, 1], group=20),  # each channel alone
        node("Clip", ["c1", "zero", "six"], ["r1"]),
        node("Conv", ["r1", "w2", "b2"], ["c2"]),
        node("GlobalAveragePool", ["c2"], ["g2"]),
        node("Conv", ["g2", "w3", "b3"], ["c3"]),
        node("HardSigmoid", ["c3"], ["s3"]),
        node("Mul", ["c2", "s3"], ["m3"]),
        node("Add", ["m3", "r1"], ["sum"]),
        node("Add", ["sum", "plane"], ["placed"]),
        node("MaxPool", ["placed"], ["most"], kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]),
        node("AveragePool", ["placed"], ["mean"], kernel_shape=[3, 2], strides=[1, 1], pads=[1, 0, 1, 1]),
        node("Concat", ["most", "mean", "half"], ["both"], axis=-3),
        node("Conv", ["both", "w4", "b4"], ["c4"], group=2, pads=[0, 1, 0, 1], dilations=[1, 1]),
        node("Pad", ["c4", "around"], ["wide"]),
        node("Resize", ["wide", "", "twice"], ["large"], mode="linear"),
        node("Resize", ["large", "", "", "sizes"], ["larger"], mode="nearest"),
        node("Split", ["larger"], ["upper", "lower"], axis=1),
        node("Slice", ["upper", "one", "five", "one", "two"], ["some"]),
        node("Slice", ["lower", "starts", "ends"], ["others"]),
        node("Mul", ["some", "others"], ["c6"]),
        node("ReduceMax", ["c6"], ["top"], axes=[-1, 2]),
        node("Sub", ["c6", "top"], ["less"]),
        node("Transpose", ["less"], ["turned"], perm=[0, 2, 3, 1]),  # reads the order of the graph
        node("Conv", ["less", "w5"], ["c5"], strides=[1, 2]),
        node("Flatten", ["c5"], ["flat"]),
        node("Gemm", ["flat", "fc"], ["classes"]),
        node("Conv", ["image", "w6"], ["alone"], pads=[1, 1, 1, 1], group=3),  # three channels would leave lanes empty
    ]
    weights = [weight(r, "w0", 20, 3, 3, 3), weight(r, "b0", 20), weight(r, "bn.weight", 20), weight(r, "bn.bias", 20),
               weight(r, "bn.mean", 20), numpy_helper.from_array(np.full(20, 0.5, np.float32), "bn.var"), weight(r, "slope", 20, 1, 1),
               weight(r, "w1", 20, 1, 3, 3), weight(r, "w2", 20, 20, 1, 1), weight(r, "b2", 20), weight(r, "w3", 20, 20, 1, 1),
               weight(r, "b3", 20), weight(r, "plane", 20, 4, 5), weight(r, "half", 1, 2, 4, 5), weight(r, "w4", 8, 21, 1, 3),
               weight(r, "b4", 8), weight(r, "w5", 6, 2, 2, 2), weight(r, "fc", 6 * 19 * 12, 5), weight(r, "w6", 3, 1, 3, 3),
               numpy_helper.from_array(np.float32(0), "zero"), numpy_helper.from_array(np.float32(6), "six"),
               integers("around", 0, 0, 1, 0, 0, 2, 0, 1), numpy_helper.from_array(np.float32([1, 1, 2, 2]), "twice"),
               integers("sizes", 1, 10, 20, 24), integers("one", 1), integers("two", 2), integers("five", 5),
               integers("starts", 0, 1), integers("ends", 1, 3)]
    outputs = [value(n, None) for n in ("classes", "turned", "alone", "placed", "s3")]
    return model(nodes, [value("image", [1, 3, 16, 18])], outputs, weights)


def borders():
    """Padded convolutions whose input other nodes read, or is a result, or whose paddings differ; resizes of rows."""
    r = np.random.default_rng(13)
    node = helper.make_node
    nodes = [
        node("Conv", ["image", "w0"], ["c0"], pads=[1, 1, 1, 1]),
        node("Relu", ["c0"], ["shared"]),
        node("Conv", ["shared", "w1"], ["c1"], pads=[1, 1, 1, 1], group=16),
        node("Conv", ["shared", "w2"], ["c2"], pads=[1, 1, 1, 1]),
        node("Add", ["c1", "c2"], ["near"]),
        node("Add", ["near", "shared"], ["uneven"]),
        node("Conv", ["uneven", "w1"], ["c3"], strides=[2, 2], auto_pad="SAME_UPPER", group=16),  # rows behind only
        node("Relu", ["c3"], ["different"]),
        node("Conv", ["different", "w2"], ["c4"], pads=[1, 1, 1, 1]),
        node("Conv", ["different", "w2"], ["c5"], pads=[2, 2, 2, 2], dilations=[2, 2]),
        node("Add", ["c4", "c5"], ["result"]),
        node("Conv", ["result", "w2"], ["c6"], pads=[1, 1, 1, 1]),
        node("Resize", ["c6", "", "twice"], ["doubled"], mode="linear"),
        node("Resize", ["doubled", "", "halved"], ["smooth"], mode="linear", antialias=1),
        node("Conv", ["smooth", "w2"], ["y"]),
    ]
    weights = [weight(r, "w0", 16, 3, 3, 3), weight(r, "w1", 16, 1, 3, 3), weight(r, "w2", 16, 16, 3, 3),
               numpy_helper.from_array(np.float32([1, 1, 2, 2]), "twice"), numpy_helper.from_array(np.float32([1, 1, 0.5, 1]), "halved")]
    return model(nodes, [value("image", [1, 3, 8, 7])], [value("y", None), value("result", None)], weights, opset=18)


def check_borders(header, expect):
    frames = re.findall(r"tensor<float, ([\d, ]+)> (\w+_padded)\b", header)
    expect(sorted(frames) == [("1, 10, 9, 16", "shared_padded"), ("1, 6, 6, 16", "result_channels_last_padded"),
                              ("1, 9, 9, 16", "uneven_padded")],
           f"values with the padding of their readers: {frames}")
    paddings = re.findall(r"nn::conv2d<\{.*?kernel = 3(.*?)\}>", header)
    expect(sum("padding" in p for p in paddings) == 2, f"convolutions that pad what others pad otherwise: {paddings}")
    expect("shared_inside = slice<2, 1, 8>(slice<1, 1, 9>(shared_padded))" in header, "others read what is inside the padding")
    expect("take<1>(c6" in header and "take<2>(doubled_axis1" in header, "a resize adds two rows")
    expect(re.search(r'einsum<"abcd,zb->azcd">\(doubled\w*, smooth', header), "a resize of many rows is a product")


def alone():
    """One convolution, whose readers want the order of the graph."""
    r = np.random.default_rng(12)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["y"])]
    return model(nodes, [value("x", [1, 4, 5, 6])], [value("y", None)], [weight(r, "w", 4, 4, 3, 3)])


def check_sharing(expect):
    """Buffers share memory if no expression that is evaluated later reads both."""
    four, one = np.zeros(4, np.float32), np.zeros(4, np.int8)
    lines = [Line("a", "relu(x)", "", four, "buffer"), Line("view", "transpose(a)", "", four), Line("b", "exp(a)", "", four, "buffer"),
             Line("c", "view + b", "", four, "buffer"), Line("d", "c * c", "", four, "buffer"), Line("bytes", "round(d)", "", one, "buffer"),
             Line("e", "abs(d)", "", four, "buffer"), Line("y", "e + d", "", four, "output")]
    names = [[line.name for line in slot] for slot in shared_slots(lines)]
    expect(names == [["a", "d"], ["b", "e"], ["c"], ["bytes"]], f"buffers that share memory: {names}")
    kept = [[line.name for line in slot] for slot in shared_slots(lines, "return view;")]
    expect(kept == [["a"], ["b", "d"], ["c", "e"], ["bytes"]], f"what is returned is not overwritten: {kept}")
    lines.insert(2, Line("", "auto& raw = a;", "", None, "raw"))
    expect([line.name for line in shared_slots(lines)[0]] == ["a"], "what other lines may read is not overwritten")


def check_images(folder, imported, expect):
    check_sharing(expect)
    imported("net_blocks", blocks())
    header = (folder / "net_blocks.hpp").read_text()
    for name, shape in {"p0": "1, 8, 9, 20", "placed_channels_last": "1, 4, 5, 20", "both": "1, 4, 5, 42"}.items():
        expect(f"tensor<float, {shape}> {name}" in header or f"{name} = " in header and f": [{shape}]" in header,
               f"{name} has its channels last")
    modules = re.findall(r"nn::conv2d<\{(.*)\}>", header)
    expect(sum("channels_last" in m for m in modules) == 5 and len(modules) == 7, f"the convolutions with channels last: {modules}")
    turns = re.findall(r"permute<.*?>\((\w+)\)", header)
    expect(sorted(set(turns)) == ["image", "less", "less_channels_last", "placed_channels_last", "s3_channels_last"],
           f"values are turned at the ends only: {turns}")
    expect("permute<0, 2, 3, 1>(image)" in header, "the image is turned once")
    expect("union {" in header, "buffers share memory")
    imported("net_borders", borders())
    check_borders((folder / "net_borders.hpp").read_text(), expect)
    imported("net_alone", alone(), compiled=False)
    expect("channels_last" not in (folder / "net_alone.hpp").read_text(), "one convolution keeps the order of the graph")
