# SPDX-License-Identifier: BSL-1.0
"""Files and options that tools/import_onnx.py must refuse: each with one line of error and without any file."""
from pathlib import Path

import import_onnx
import import_onnx_graphs as graphs
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tool_checks import expect_refusal


def exp_model(shape=(2, 3), opset=15, nodes=None, weights=()):
    nodes = nodes or [helper.make_node("Exp", ["x"], ["y"], name="exp")]
    return graphs.model(nodes, [graphs.value("x", shape)], [graphs.value("y", ["a", "b"])], weights, opset)


def with_external(location, offset=None):
    """A model whose weights lie in another file."""
    made = exp_model(nodes=[helper.make_node("Add", ["x", "w"], ["y"])], weights=[TensorProto(name="w", data_type=1, dims=[2, 3])])
    tensor = made.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", location), ("offset", offset)):
        if text is not None:
            tensor.external_data.add(key=key, value=text)
    return made


def with_type(kind):
    """The sum of floats and elements of another type."""
    return graphs.model([helper.make_node("Add", ["x", "other"], ["y"])],
                        [graphs.value("x", [2]), helper.make_tensor_value_info("other", kind, [2])], [graphs.value("y", [2])])


def split_into(*parts):
    return exp_model(nodes=[helper.make_node("Split", ["x", "sizes"], ["y", "z"], axis=1)],
                     weights=[numpy_helper.from_array(np.array(parts), "sizes")])


def cyclic():
    return exp_model(nodes=[helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Exp", ["a"], ["b"]),
                            helper.make_node("Exp", ["b"], ["y"])])


def of_constants(op, inputs, **attributes):
    weights = [numpy_helper.from_array(np.asarray(a), f"w{i}") for i, a in enumerate(inputs)]
    names = [w.name for w in weights]
    return exp_model(nodes=[helper.make_node(op, names, ["c"], **attributes), helper.make_node("Add", ["x", "c"], ["y"])],
                     weights=weights)


def huge_weight():
    made = exp_model(nodes=[helper.make_node("Add", ["x", "w"], ["y"])], weights=[TensorProto(name="w", data_type=1)])
    made.graph.initializer[0].dims.extend([1 << 40, 1 << 40])
    return made


def recursive():
    """A function that calls itself."""
    made = exp_model(nodes=[helper.make_node("again", ["x"], ["y"], domain="local")])
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("local", 1)]
    made.opset_import.append(opsets[1])
    made.functions.append(helper.make_function("local", "again", ["a"], ["b"],
                                               [helper.make_node("again", ["a"], ["b"], domain="local")], opsets))
    return made


def malformed():
    """Nodes without what they need, in an operator set that the installed checker may not know."""
    node = helper.make_node("If", ["c"], ["y"], name="chosen")
    yield "if_without_branch", exp_model(opset=25, nodes=[node], weights=[numpy_helper.from_array(np.array(True), "c")])
    yield "where_without_operands", exp_model(opset=25, nodes=[helper.make_node("Where", ["", "x", "x"], ["y"], name="chosen")])
    yield "transpose_of_no_axes", exp_model(opset=25, nodes=[helper.make_node("Transpose", ["x"], ["y"], name="chosen", perm=[0, 7])])


def cases(folder):
    """Tuples of a title, the file, options, and what the error names."""
    whole = graphs.convolutional().SerializeToString()
    (folder.parent / "outside.bin").write_bytes(bytes(24))
    (folder / "short.bin").write_bytes(bytes(20))
    (folder / "link.bin").symlink_to(folder.parent / "outside.bin")
    (folder / "circle.bin").symlink_to(folder / "circle.bin")
    files = {"empty": b"", "text": b"no model at all\n", "cut_in_weights": whole[:len(whole) // 2], "cut_at_end": whole[:-3],
             "cut_at_begin": whole[:20]}
    (folder / "no_text.onnx").write_bytes(exp_model().SerializeToString().replace(b"exp", b"e\xffp"))
    yield "a name that is no text", "no_text.onnx", [], "is no text"
    for name, content in files.items():
        (folder / f"{name}.onnx").write_bytes(content)
        yield name, f"{name}.onnx", [], "onnx: "
    yield "no file", "none.onnx", [], "no such file"
    yield "folder", ".", [], "no such file"
    models = {
        "cyclic": (cyclic(), [], "cyclic"),
        "new_opset": (exp_model(opset=99), [], "operator set 99"),
        "no_opset": (exp_model(opset=0), [], "operator set 0"),
        "huge_input": (exp_model((1 << 40, 1 << 20)), [], "too large"),
        "huge_option": (exp_model(("rows", 4)), ["--shape", "rows=99999999999"], "too large"),
        "negative_option": (exp_model(("rows", 4)), ["--shape", "rows=-3"], "no entries"),
        "huge_weight": (huge_weight(), [], "too large"),
        "huge_value": (of_constants("ConstantOfShape", [np.array([1 << 20, 1 << 20])]), [], "GiB"),
        "huge_range": (of_constants("Range", [0, 1 << 60, 1]), [], "GiB"),
        "huge_broadcast": (of_constants("Add", [np.ones((1 << 20, 1), np.float32), np.ones(1 << 20, np.float32)]), [], "GiB"),
        "recursive": (recursive(), [], "too deeply"),
        "outside_above": (with_external("../outside.bin"), [], "outside the folder"),
        "outside_absolute": (with_external(str(folder.parent / "outside.bin")), [], "outside the folder"),
        "outside_link": (with_external("link.bin"), [], "outside the folder"),
        "external_missing": (with_external("none.bin"), [], "does not exist"),
        "external_circle": (with_external("circle.bin"), [], "is no file"),
        "external_zero": (with_external("a\0b"), [], "is no file"),
        "external_long": (with_external("a" * 5000), [], "is no file"),
        "external_short": (with_external("short.bin"), [], "needs 24 bytes"),
        "external_offset": (with_external("short.bin", "21"), [], "ends before"),
        "external_no_number": (with_external("short.bin", "x"), [], "no numbers"),
        "mixed_types": (with_type(TensorProto.INT64), [], "x is float32 and other is int64; their types must be the same"),
        "no_such_type": (exp_model(nodes=[helper.make_node("And", ["x", "x"], ["y"])]), [], "x is float32, which this operator does not"),
        "split_short": (split_into(1, 1), [], "parts of 1, 1 entries do not make 3"),
        "namespace": (exp_model(), ["--name", "imported"], "--name imported"),
        "macro": (exp_model(), ["--name", "NAN"], "--name NAN"),
        "open_axis": (exp_model(("rows", 4)), [], "rows"),
        "wrong_name": (exp_model(), ["--name", "2x"], "--name 2x"),
        "keyword": (exp_model(), ["--name", "while"], "--name while"),
        "wrong_option": (exp_model(), ["--shape", "x"], "NAME=VALUE"),
        "unknown_input": (exp_model(), ["--shape", "z=2"], "--shape z"),
        "unknown_constant": (exp_model(), ["--constant", "z=2"], "--constant z"),
        "state_without_output": (exp_model(), ["--state", "x=z"], "no output z"),
        "state_without_input": (exp_model(), ["--state", "z=y"], "no input z"),
        "state_of_other_shape": (graphs.convolutional(), ["--state", "image=classes"], "becomes float32 [1, 10]"),
        "state_twice": (exp_model(), ["--state", "x=y", "--state", "x=y"], "given twice"),
        "state_constant": (exp_model(), ["--state", "x=y", "--constant", "x=1,2,3,4,5,6"], "begins with zeros"),
        **{name: (made, [], "chosen") for name, made in malformed()},
        "sequence": (graphs.model([helper.make_node("SequenceConstruct", ["x"], ["y"])], [graphs.value("x", [2])], [
            helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, [2])]), [], "a sequence is no tensor"),
        "nine_axes": (graphs.model([helper.make_node("Identity", ["x"], ["y"])], [graphs.value("x", [1] * 9)],
                                   [graphs.value("y", [1] * 9)]), [], "9 axes"),
        "no_entries": (exp_model((0, 3)), [], "has no entries; give another one with --shape x=N,3"),
        "missing_sample": (exp_model(), ["--input", f"x={folder}/none.npy"], "none.npy"),
    }
    for name, (model, options, text) in models.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        yield name, f"{name}.onnx", options, text
    (folder / "fits.onnx").write_bytes(exp_model().SerializeToString())
    yield "output is a file", "fits.onnx", ["--out", str(folder / "short.bin")], "cannot write"


def check_refusals(folder):
    folder = Path(folder) / "refused"
    folder.mkdir()
    for title, file, options, text in list(cases(folder)):
        out = folder / "out"
        expect_refusal(title, import_onnx.main, [folder / file, "--out", out, *options], out, text)
