# SPDX-License-Identifier: BSL-1.0
"""Reads an ONNX file and checks it, before anything is computed or written."""
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from .errors import ModelError, first_line
from .numpy_ops.registry import MOST_BYTES

OLDEST_OPSET, NEWEST_OPSET = 1, 25
UNKNOWN_TO_ONNX = {"SimplifiedLayerNormalization"}  # ONNX Runtime writes it into ONNX's own domain
FULL_OPSET = 7  # of older sets only the operators that it did not change
NUMPY_TYPES = {
    TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.FLOAT16: np.float16, TensorProto.BOOL: np.bool_,
    TensorProto.INT8: np.int8, TensorProto.INT16: np.int16, TensorProto.INT32: np.int32, TensorProto.INT64: np.int64,
    TensorProto.UINT8: np.uint8, TensorProto.UINT16: np.uint16, TensorProto.UINT32: np.uint32, TensorProto.UINT64: np.uint64,
}


def type_name(number):
    names = {v: k.lower() for k, v in TensorProto.DataType.items()}
    return names.get(number, f"element type {number}")


def read_model(path):
    """The model of a file, complete with external data."""
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"{path}: no such file")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the error says it
            model = onnx.load(str(path), load_external_data=False)
    except Exception as failure:
        raise ModelError(f"{path}: no ONNX model, or cut off: {first_line(failure)}") from None
    if not model.HasField("graph") or not model.graph.output:
        raise ModelError(f"{path}: no ONNX model: it has no graph with outputs")
    check_text(model)
    load_external(model, path)
    return model


def check_text(message):
    """Refuses names that are no text."""
    for field, content in message.ListFields():
        parts = content if field.label == field.LABEL_REPEATED else [content]
        if field.type == field.TYPE_MESSAGE:
            for part in parts:
                check_text(part)
        elif field.type == field.TYPE_STRING and not all(isinstance(part, str) for part in parts):
            raise ModelError(f"a {field.name} of the model is no text: the file is damaged")


def nodes_of(graph):
    """All nodes of a graph and of the graphs in them."""
    for node in graph.node:
        yield node
        for inner in graphs_in(node):
            yield from nodes_of(inner)


def graphs_in(node):
    for attribute in node.attribute:
        yield from ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs)


def tensors_of(graph):
    """All tensors of a graph and of the graphs in its nodes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
        for inner in graphs_in(node):
            yield from tensors_of(inner)


def load_external(model, path):
    """Reads data that lies in other files, only in the folder of the model and only as far as the files reach."""
    folder = path.resolve().parent
    for tensor in tensors_of(model.graph):
        check_tensor_size(tensor)
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = entries.get("location", "")
        try:
            file = (folder / location).resolve()
            there = file.is_file()
        except (OSError, RuntimeError, ValueError) as failure:  # too long, links in a circle, or bytes that no path has
            raise ModelError(f"{tensor.name}: its data is in {location[:80]!r}, which is no file: {first_line(failure)[:80]}") from None
        if not location or Path(location).is_absolute() or folder not in file.parents:
            raise ModelError(f"{tensor.name}: its data is in {location!r}, outside the folder of the model; move the file there")
        if not there:
            raise ModelError(f"{tensor.name}: its data is in {location!r}, which does not exist beside the model")
        try:
            offset, length = int(entries.get("offset", 0)), entries.get("length")
            length = file.stat().st_size - offset if length is None else int(length)
        except ValueError:
            raise ModelError(f"{tensor.name}: offset and length of its external data are no numbers") from None
        if offset < 0 or length < 0 or offset + length > file.stat().st_size:
            raise ModelError(f"{tensor.name}: {location!r} ends before its data: {offset} + {length} bytes, "
                             f"the file has {file.stat().st_size}")
        with open(file, "rb") as stream:
            stream.seek(offset)
            tensor.raw_data = stream.read(length)
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]


def check_tensor_size(tensor):
    count = 1
    for extent in tensor.dims:
        count *= extent
        if extent < 0 or count > MOST_BYTES:
            raise ModelError(f"{tensor.name}: a tensor of shape {list(tensor.dims)} is too large")


def array_of(tensor):
    """The NumPy array of a tensor."""
    try:
        if tensor.data_type in NUMPY_TYPES and tensor.HasField("raw_data"):
            dtype = np.dtype(NUMPY_TYPES[tensor.data_type])
            wanted = int(np.prod(tensor.dims, dtype=np.int64)) * dtype.itemsize
            if len(tensor.raw_data) != wanted:
                raise ModelError(f"{tensor.name}: shape {list(tensor.dims)} needs {wanted} bytes, "
                                 f"the file has {len(tensor.raw_data)}")
        return np.asarray(numpy_helper.to_array(tensor))
    except ModelError:
        raise
    except Exception as failure:
        raise ModelError(f"{tensor.name}: its data does not fit its shape and type: {first_line(failure)}") from None


def opsets_of(model):
    opsets = {entry.domain or "ai.onnx": entry.version for entry in model.opset_import}
    version = opsets.setdefault("ai.onnx", 1)
    if not OLDEST_OPSET <= version <= NEWEST_OPSET:
        raise ModelError(f"operator set {version}: sets {OLDEST_OPSET} to {NEWEST_OPSET} are supported; "
                         "convert the model with onnx.version_converter")
    return opsets


def changed_later(op, opset):
    """Whether operator set 7 changed what an operator of an older set means."""
    if opset >= FULL_OPSET:
        return False
    try:
        return onnx.defs.get_schema(op, FULL_OPSET, "").since_version > opset
    except Exception:  # the operator did not exist then
        return True


def check_model(model, notes):
    """Runs ONNX's checker, if it knows the operator set."""
    known = onnx.defs.onnx_opset_version()
    version = opsets_of(model)["ai.onnx"]
    if version > known or model.ir_version > onnx.IR_VERSION:
        notes.append(f"The installed onnx {onnx.__version__} knows operator sets up to {known}: its checker did not run.")
        return
    domains = {entry.domain for entry in model.opset_import}
    moved = [node for node in nodes_of(model.graph) if node.op_type in UNKNOWN_TO_ONNX and not node.domain]
    for node in moved:
        node.domain = "com.microsoft"
    if any(node.domain == "com.microsoft" for node in nodes_of(model.graph)) and "com.microsoft" not in domains:
        model.opset_import.add(domain="com.microsoft", version=1)
    bare = [v.type.tensor_type for v in (*model.graph.input, *model.graph.output)
            if v.type.HasField("tensor_type") and not v.type.tensor_type.HasField("shape")]
    for kind in bare:  # the checker wants shapes that the importer does not need
        kind.shape.SetInParent()
    try:
        onnx.checker.check_model(model)
    except Exception as failure:
        text = first_line(failure)
        if "topolog" in str(failure):
            text += " The graph is cyclic or not in order."
        raise ModelError(f"the checker of onnx refuses the model: {text}") from None
    finally:
        for kind in bare:
            kind.ClearField("shape")
        for node in moved:
            node.domain = ""


def fixed_shapes(model, given, constants=(), may_be_empty=()):
    """The shape of each input as integers. Axes without one come from `given`: by the input's name, or the axis's."""
    names = {tensor.name for tensor in model.graph.initializer}
    shapes, missing, used = {}, [], set()
    for value in model.graph.input:
        if value.name in names:
            continue
        if not value.type.HasField("tensor_type"):
            raise ModelError(f"input {value.name}: {value.type.WhichOneof('value')} is no tensor")
        dims = list(value.type.tensor_type.shape.dim)
        declared = [d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None for d in dims]
        if value.name in given:
            used.add(value.name)
            wanted = given[value.name]
            ranked = value.type.tensor_type.HasField("shape")
            if ranked and (len(wanted) != len(dims) or any(d not in (None, w) for d, w in zip(declared, wanted))):
                raise ModelError(f"--shape {value.name}={','.join(map(str, wanted))} does not fit the input, "
                                 f"which is {shape_text(dims)}")
            shapes[value.name] = tuple(wanted)
            continue
        if not value.type.tensor_type.HasField("shape"):
            missing.append(f"{value.name} (of unknown rank)")
            continue
        for i, d in enumerate(dims):
            if declared[i] is None and d.dim_param in given and len(given[d.dim_param]) == 1:
                used.add(d.dim_param)
                declared[i] = given[d.dim_param][0]
        if any(d.HasField("dim_value") and d.dim_value == 0 for d in dims) and value.name not in constants:
            raise ModelError(f"input {value.name}: shape {shape_text(dims)} has no entries; give another one with --shape "
                             f"{value.name}={','.join(str(d.dim_value or 'N') for d in dims)}")
        if None in declared:
            missing.append(f"{value.name} {shape_text(dims)}")
        shapes[value.name] = tuple(declared)
    unknown = set(given) - used
    if unknown:
        raise ModelError(f"--shape {', '.join(sorted(unknown))}: no input or axis without an extent has this name; inputs are "
                         + ", ".join(shapes))
    if missing:
        raise ModelError("these inputs have axes without an extent: " + ", ".join(missing) +
                         "; give each with --shape NAME=1,128")
    for name, shape in shapes.items():
        if any(n < 1 for n in shape) and name not in constants and name not in may_be_empty:
            raise ModelError(f"input {name}: shape {list(shape)} has no entries")
        if np.prod([float(n) for n in shape] or [1.0]) * 4 > MOST_BYTES:
            raise ModelError(f"input {name}: shape {list(shape)} is too large")
    return shapes


def shape_text(dims):
    return "[" + ", ".join(d.dim_param or (str(d.dim_value) if d.HasField("dim_value") else "?") for d in dims) + "]"
