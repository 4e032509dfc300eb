# SPDX-License-Identifier: BSL-1.0
"""Checks the rules of --capacity in NumPy: what they accept of changed graphs must give the entries of the exact shapes.

A graph is changed at random places. If the importer accepts it, it is evaluated at the capacities with NaN behind the lengths
and with the masks of the rules, and compared with the graph at exactly these lengths."""
import random

import capacity_graphs as graphs
import numpy as np
from onnx import ModelProto, numpy_helper
from onnx_import.capacity_rules import HIGHEST, LOWEST
from onnx_import.counts import points_of, shape_at
from onnx_import.errors import ModelError
from onnx_import.evaluate import Evaluation
from onnx_import.lengths import poison
from onnx_import.load import fixed_shapes
from onnx_import.numpy_ops import TABLE
from onnx_import.run import open_axes
from tool_checks import expect

SHAPE_OPERATORS = {"ConstantOfShape", "Reshape", "Expand", "Slice"}  # their operands are those of the capacities
OPERATORS = ("Add Mul Sub MatMul Softmax Concat ReduceSum ReduceMax Transpose Reshape Expand Slice Gather Tanh CumSum Flatten Squeeze "
             "Tile").split()


def changed(model, choose):
    """A copy with another operator, operand, attribute or constant, or with the axis of an input open."""
    made = ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    node, what = choose.choice(list(graph.node)), choose.randrange(6)
    integers = [t for t in graph.initializer if t.data_type == 7]
    if what == 0:
        node.op_type = choose.choice(OPERATORS)
    elif what == 1 and len(node.input) > 1:
        node.input[0], node.input[1] = node.input[1], node.input[0]
    elif what == 2 and node.attribute:
        attribute = choose.choice(list(node.attribute))
        attribute.i = choose.choice([-1, 0, 1, 2])
        attribute.ints[:] = [choose.choice([-1, 0, 1, 2, 3]) for _ in attribute.ints]
    elif what == 3 and integers:
        tensor = choose.choice(integers)
        array = numpy_helper.to_array(tensor).copy()
        array.reshape(-1)[choose.randrange(array.size)] = choose.choice([-1, 0, 1, 2, 3, 16])
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    elif what == 4:
        node.input[choose.randrange(len(node.input))] = choose.choice([v.name for v in graph.input])
    else:
        dims = choose.choice(list(graph.input)).type.tensor_type.shape.dim
        dims[choose.randrange(len(dims))].dim_param = choose.choice(["batch", "tokens", "sources"])
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")
    return made


def full(value, array, behind):
    """An array of the capacities' shape with other entries behind the lengths."""
    made = np.full(value.shape, behind, value.dtype)
    made[tuple(slice(0, n) for n in array.shape)] = array
    return made


def filling(fill, dtype):
    if fill not in (LOWEST, HIGHEST):
        return fill
    if dtype.kind == "f":
        return -np.inf if fill == LOWEST else np.inf
    return np.iinfo(dtype).min if fill == LOWEST else np.iinfo(dtype).max


def operands(node, known, point):
    """What the generated code gives a node at a point."""
    arrays = []
    for value in node.inputs:
        is_table = value is not None and value.family is not None and node.title not in SHAPE_OPERATORS
        arrays.append(None if value is None else full(value, value.family.at(point), 0) if is_table else
                      known.get(id(value), value.array))
    for place, axis, fill in node.open.get("masks", []):
        value, array = node.inputs[place], arrays[place].copy()
        if not value.constant or not np.isfinite(value.array).all():
            array[(slice(None),) * axis + (slice(value.axes[axis].at(point), None),)] = filling(fill, value.dtype)
            arrays[place] = array
    return arrays


def results(graph, inputs, point):
    """The outputs at the capacities, by name."""
    known = {id(v): full(v, inputs[v.name], poison(v.dtype)) for v in graph.inputs}
    for node in graph.nodes:
        made = TABLE[node.title](node, *operands(node, known, point))
        for value, array in zip(node.outputs, made if isinstance(made, tuple) else (made,)):
            for count in node.open.get("share", []):
                array = array * (count.numbers[-1] / count.at(point))
            if value is not None:
                known[id(value)] = np.asarray(array)
    return {name: known.get(id(value), value.array) for name, value in graph.outputs}


def differences(model, capacities, choose):
    """Whether the importer accepts the model, and the names of outputs that are wrong at one of three points."""
    capacity = open_axes(model, capacities, {}, [])

    def evaluated(point, samples, capacity=None):
        return Evaluation(model, fixed_shapes(model, capacity_extents(point)), {}, samples, capacity)

    def capacity_extents(point):
        return capacity.named_extents(model, point)

    most = evaluated(capacity.most, {}, capacity)
    if most.problems:
        return False, []
    graph, wrong = most.graph, []
    graph.remove_dead_nodes()
    for point in choose.sample(points_of(capacity.axes), 3):
        samples = {v.name: v.array[tuple(slice(0, n) for n in shape_at(v, point))] for v in graph.inputs}
        exact = {name: v.array for name, v in evaluated(point, samples).graph.outputs}
        found = results(graph, samples, point)
        for name, value in graph.outputs:
            shape = shape_at(value, point)
            entries = found[name][tuple(slice(0, n) for n in shape)]
            if shape != exact[name].shape or not np.allclose(entries, exact[name], 1e-4, 1e-4, equal_nan=True):
                wrong.append(f"{name} at {list(point.values())}")
    return True, wrong


def check_mutants(count=160):
    """Some changed graphs are accepted, and none of these is wrong."""
    choose, accepted = random.Random(11), 0
    models = [case for name, case in graphs.accepted_together().items() if name in ("batches", "crossed", "merged")]
    models += [(model, [("tokens", *extents)]) for name, (model, *extents) in graphs.accepted().items()
               if name in ("encoder", "reductions", "convolutions", "causal", "kernel")]
    for turn in range(count):
        model, capacities = choose.choice(models)
        try:
            with np.errstate(all="ignore"):
                good, wrong = differences(changed(model, choose), capacities, choose)
        except ModelError:
            continue  # no model any more
        accepted += good
        expect(not wrong, f"changed graph {turn} is accepted, but wrong: {wrong[:3]}")
    expect(accepted > count / 5, f"{accepted} of {count} changed graphs are accepted")
