# SPDX-License-Identifier: BSL-1.0
"""Evaluates a model with sample inputs: finds all shapes, folds constants, and unrolls the graphs inside If, Loop and Scan."""
import itertools

import numpy as np

from . import sequences
from .errors import MALFORMED, ModelError, Uncovered, first_line, malformed
from .graph import Graph, Node, Value, computed
from .load import NUMPY_TYPES, array_of, changed_later, opsets_of, type_name
from .numpy_ops import TABLE, check_size
from .parameters import CONSTANT_OPERANDS
from .types import check_types

SHAPE_ONLY = {"Shape", "Size", "EyeLike"}  # whose result depends on the operand's shape only
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
MOST_AXES = 8  # of a tensor
MOST_TURNS = 4096  # of a loop that is unrolled
MOST_NODES = 200_000  # with those of loops and functions


def check_broadcast(values):
    """Refuses operands that make each other huge."""
    values = list(values)
    try:
        shape = np.broadcast_shapes(*(v.shape for v in values))
    except ValueError:
        return  # they are not broadcast
    check_size(shape, values[0].dtype if values else np.float32)


class Evaluation:
    """Turns a ModelProto into a Graph. What cannot be evaluated is listed in `problems`: pairs of a node and a reason."""

    def __init__(self, model, shapes, constants, samples, capacity=None, seed=1, may_be_empty=frozenset()):
        self.model, self.opsets, self.capacity = model, opsets_of(model), capacity
        self.graph = Graph(model.graph.name, capacity=capacity)
        self.problems, self.count, self.may_be_empty = [], 0, may_be_empty
        self.functions = {(f.domain, f.name): f for f in getattr(model, "functions", [])}
        self.taken = {}
        scope = {"": None}
        for tensor in model.graph.initializer:
            scope[tensor.name] = Value(tensor.name, array_of(tensor), constant=True)
        if model.graph.sparse_initializer:
            raise ModelError("the model has sparse initialisers, which are not supported; make them dense")
        random = np.random.default_rng(seed)
        for declared in model.graph.input:
            if declared.name in scope:
                continue
            value = self.input_value(declared, shapes[declared.name], constants, samples, random)
            scope[declared.name] = value
            if capacity:
                capacity.mark_input(value, declared)
            if not value.constant:
                self.graph.inputs.append(value)
        for name in set(constants) - {v.name for v in model.graph.input}:
            raise ModelError(f"--constant {name}: the model has no input of this name; it has "
                             + ", ".join(v.name for v in model.graph.input))
        with np.errstate(all="ignore"):
            self.run(model.graph.node, scope, "")
        for declared in model.graph.output:
            value = self.look_up(scope, declared.name, "the list of outputs")
            if isinstance(value, sequences.Sequence):
                raise ModelError(f"output {declared.name}: a sequence is no tensor")
            if value is not None:
                self.graph.outputs.append((declared.name, value))
                if len(value.shape) > MOST_AXES:
                    raise ModelError(f"output {declared.name}: {len(value.shape)} axes; tensors have at most {MOST_AXES}")
                self.check_declared(declared, value)
                if capacity:
                    capacity.check_output(declared.name, value)
                if value.family is not None:
                    names = " and ".join(axis.name for axis in value.family.axes)
                    raise ModelError(f"output {declared.name} depends on the length of {names} only")

    def input_value(self, declared, shape, constants, samples, random):
        kind = declared.type.tensor_type.elem_type
        if kind not in NUMPY_TYPES:
            raise ModelError(f"input {declared.name}: elements of {type_name(kind)} are not supported")
        if len(shape) > MOST_AXES:
            raise ModelError(f"input {declared.name}: {len(shape)} axes; tensors have at most {MOST_AXES}")
        dtype = np.dtype(NUMPY_TYPES[kind])
        if declared.name in constants:
            array = constants[declared.name]
            if array.size != np.prod(shape, dtype=np.int64):
                raise ModelError(f"--constant {declared.name}: {array.size} numbers for shape {list(shape)}")
            return Value(declared.name, array.astype(dtype).reshape(shape), constant=True)
        if declared.name in samples:
            array = np.asarray(samples[declared.name])
            if array.shape != tuple(shape) or array.dtype != dtype:
                raise ModelError(f"--input {declared.name}: the file has {array.dtype} {list(array.shape)}, "
                                 f"the model needs {dtype} {list(shape)}")
        elif dtype.kind == "f":
            array = random.standard_normal(shape).astype(dtype)
        else:
            array = random.integers(0, 2 if dtype.kind == "b" else self.most_of_integers(declared.name), shape).astype(dtype)
        return Value(declared.name, array, sources=frozenset([declared.name]))

    def most_of_integers(self, name):
        """Sample integers lie below this: the entries of the table that they choose from, or 2."""
        extents = {t.name: t.dims for t in self.model.graph.initializer}
        names, most = {name}, None
        for node in self.model.graph.node:
            first, second = (*node.input, "", "")[:2]
            if node.op_type in ("Cast", "Identity", "Reshape", "Unsqueeze", "Squeeze") and first in names:
                names.update(node.output)
            if node.op_type == "Gather" and second in names and first in extents:
                axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
                most = min([most or 1 << 30, *extents[first][axis:][:1]])
        return most or 2

    def check_declared(self, declared, value):
        wanted = [d.dim_value if d.HasField("dim_value") else None for d in declared.type.tensor_type.shape.dim]
        if wanted and declared.type.tensor_type.HasField("shape") and (
                len(wanted) != len(value.shape) or any(w not in (None, 0, -1, n) for w, n in zip(wanted, value.shape))):
            raise ModelError(f"output {declared.name}: the model says {wanted}, with these inputs it is {list(value.shape)}")

    def look_up(self, scope, name, reader):
        if name not in scope:
            raise ModelError(f"{reader} reads {name}, which no node before makes: the graph is cyclic, cut or not in order")
        return scope[name]

    def unique(self, name):
        count = self.taken.get(name, 0)
        self.taken[name] = count + 1
        return name if count == 0 else f"{name}_{count}"

    def run(self, nodes, scope, path):
        for proto in nodes:
            self.count += 1
            if self.count > MOST_NODES:
                raise ModelError(f"more than {MOST_NODES} operators after loops and functions are unrolled")
            name = path + (proto.name or (proto.output[0] if proto.output else proto.op_type))
            inputs = [self.look_up(scope, i, f"node {name} ({proto.op_type})") for i in proto.input]
            node = Node(proto.op_type, "" if proto.domain == "ai.onnx" else proto.domain, name, inputs, [], {},
                        self.opsets.get(proto.domain or "ai.onnx", self.opsets["ai.onnx"]))
            unknown = any(given and value is None for given, value in zip(proto.input, inputs))
            try:
                self.read_attributes(proto, node)
                results = None if unknown else self.results_of(node, proto, scope, path)
                if unknown:
                    self.check_covered(node)
            except Uncovered as reason:
                self.problems.append((node, str(reason)))
                results = None
            except MALFORMED as failure:
                raise malformed(name, node.title, failure) from None
            for output, value in itertools.zip_longest(proto.output, (results or [])[:len(proto.output)]):
                if output:
                    scope[output] = value

    def check_covered(self, node):
        known = node.title in TABLE or node.title in sequences.OPERATORS or node.op in ("If", "Loop", "Scan")
        if not known and (node.domain, node.op) not in self.functions:
            raise Uncovered("this operator is not supported")

    def read_attributes(self, proto, node):
        for a in proto.attribute:
            kind = a.type
            if kind == a.GRAPH:
                node.subgraphs[a.name] = a.g
            elif kind == a.TENSOR:
                node.attributes[a.name] = array_of(a.t)
            elif kind == a.STRING:
                node.attributes[a.name] = a.s.decode("utf-8", "replace")
            elif kind == a.FLOAT:
                node.attributes[a.name] = float(np.float32(a.f))
            elif kind == a.INT:
                node.attributes[a.name] = int(a.i)
            elif kind == a.FLOATS:
                node.attributes[a.name] = [float(x) for x in a.floats]
            elif kind == a.INTS:
                node.attributes[a.name] = [int(x) for x in a.ints]
            elif kind == a.STRINGS:
                node.attributes[a.name] = [s.decode("utf-8", "replace") for s in a.strings]
            else:
                raise Uncovered(f"attribute {a.name} is of a kind that is not supported")
        for name, as_type in (("to", "to_dtype"), ("dtype", "to_dtype"), ("output_datatype", "output_dtype")):
            if name in node.attributes and isinstance(node.attributes[name], int):
                if node.attributes[name] not in NUMPY_TYPES:
                    raise Uncovered(f"elements of {type_name(node.attributes[name])} are not supported")
                node.attributes[as_type] = np.dtype(NUMPY_TYPES[node.attributes[name]])

    def results_of(self, node, proto, scope, path):
        """The values of a node's outputs; records the node unless it is folded."""
        if self.capacity and node.op in ("If", "Loop", "Scan"):
            self.capacity.check_control(node)
        if node.op == "If":
            return self.run_if(node, scope)
        if node.op == "Loop":
            return self.run_loop(node, scope)
        if node.op == "Scan":
            return self.run_scan(node, scope)
        if node.title in sequences.OPERATORS:
            if self.capacity:
                self.capacity.check_sequence(node)
            return sequences.results_of(self, node)
        if any(isinstance(v, sequences.Sequence) for v in node.inputs):
            if node.op == "Identity":
                return list(node.inputs)
            raise Uncovered("an operand is a sequence")
        if (proto.domain, proto.op_type) in self.functions:
            return self.run_function(self.functions[proto.domain, proto.op_type], node)
        if not node.domain and changed_later(node.op, node.opset):
            raise Uncovered(f"operator set {node.opset} has an old form of it; convert the model with onnx.version_converter")
        if node.op in RANDOM:
            raise Uncovered("random numbers are not supported")
        self.check_covered(node)
        if not node.domain:
            check_types(node)
        if node.title == "Concat":
            self.drop_empty(node)
        for value in node.inputs:
            if value is not None and 0 in value.shape and not value.constant and not value.sources & self.may_be_empty:
                raise Uncovered(f"{value.name} has shape {list(value.shape)}: tensors without entries do not exist")
        for place in CONSTANT_OPERANDS.get(node.title, ()):
            if node.op != "Resize" or node.opset > 10 or place == 1:
                node.constant(place, f"operand {place}, which decides the shape,")
        node.outputs = list(proto.output)
        try:
            check_broadcast(v for v in node.inputs if v is not None)
            arrays = TABLE[node.title](node, *(None if v is None else v.array for v in node.inputs))
        except Uncovered:
            raise
        except NotImplementedError as failure:
            raise Uncovered(f"not supported: {failure}") from None
        except MemoryError as failure:
            raise ModelError(f"node {node.name} ({node.title}): {first_line(failure)}") from None
        except Exception as failure:
            shapes = ", ".join("-" if v is None else str(list(v.shape)) for v in node.inputs)
            raise ModelError(f"node {node.name} ({node.title}) of {shapes} cannot be evaluated: {first_line(failure)}") from None
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        operands = [] if node.op in SHAPE_ONLY else node.inputs
        outputs = [computed(self.unique(name), array, operands) if name else None for name, array in zip(proto.output, arrays)]
        if self.capacity:
            self.capacity.follow(node, outputs)
        if any(v is not None and not v.constant for v in operands):
            wide = next((v for v in (*node.inputs, *outputs) if v is not None and len(v.shape) > MOST_AXES), None)
            if wide is not None:
                raise Uncovered(f"{wide.name} has {len(wide.shape)} axes; expressions have at most {MOST_AXES}")
            node.outputs = outputs
            self.graph.nodes.append(node)
        return outputs

    def drop_empty(self, node):
        """Drops operands that have no entries, unless a state may begin with none."""
        axis = node.attribute("axis", 0)
        full = [v for v in node.inputs if 0 not in v.shape or v.sources & self.may_be_empty]
        shapes = {v.shape[:axis % len(v.shape)] + v.shape[axis % len(v.shape) + 1:] for v in node.inputs if v.shape}
        if full and len(shapes) == 1:
            node.inputs = full

    def run_if(self, node, scope):
        condition = node.inputs[0]
        node.constant(0, "the condition, which chooses a branch,")
        branch = node.subgraphs["then_branch" if bool(condition.array) else "else_branch"]
        return self.run_inner(branch, scope, [], node.name + "/")

    def run_inner(self, graph, scope, inputs, path):
        inner = dict(scope)
        for tensor in graph.initializer:
            inner[tensor.name] = Value(tensor.name, array_of(tensor), constant=True)
        inner.update({declared.name: value for declared, value in zip(graph.input, inputs)})
        self.run(graph.node, inner, path)
        return [self.look_up(inner, output.name, f"the graph in {path}") for output in graph.output]

    def run_function(self, function, node):
        scope = {"": None}
        scope.update(zip(function.input, node.inputs))
        self.run(function.node, scope, node.name + "/")
        return [scope.get(name) for name in function.output]

    def run_loop(self, node, scope):
        count, condition, carried = node.input(0), node.input(1), list(node.inputs[2:])
        body = node.subgraphs["body"]
        node.constant(0, "the number of turns")
        node.constant(1, "the condition of the loop")
        turns = MOST_TURNS + 1 if count is None else int(count.array)
        going, turn, parts = condition is None or bool(condition.array), 0, []
        while going and turn < turns:
            if turn == MOST_TURNS:
                raise Uncovered(f"more than {MOST_TURNS} turns")
            number = Value("", np.array(turn, np.int64), constant=True)
            results = self.run_inner(body, scope, [number, Value("", np.array(True), constant=True)] + carried,
                                     f"{node.name}/{turn}/")
            if any(r is None for r in results):
                return None
            if not results[0].constant:
                raise Uncovered("whether the loop goes on depends on the inputs")
            going, carried, turn = bool(results[0].array), results[1:1 + len(carried)], turn + 1
            parts.append(results[1 + len(carried):])
        return carried + [self.stacked(node, list(column), 0) for column in zip(*parts)]

    def run_scan(self, node, scope):
        body, count = node.subgraphs["body"], node.attribute("num_scan_inputs")
        if node.opset < 9:
            raise Uncovered("Scan of operator set 8")
        states, scanned = list(node.inputs[:len(node.inputs) - count]), node.inputs[len(node.inputs) - count:]
        axes = node.attribute("scan_input_axes") or [0] * count
        backward = node.attribute("scan_input_directions") or [0] * count
        outputs = len(body.output) - len(states)
        out_axes = node.attribute("scan_output_axes") or [0] * outputs
        out_backward = node.attribute("scan_output_directions") or [0] * outputs
        turns, parts = scanned[0].shape[axes[0]], []
        if turns > MOST_TURNS:
            raise Uncovered(f"more than {MOST_TURNS} turns")
        for turn in range(turns):
            slices = [self.derived(node, "Gather", [s, Value("", np.array(turns - 1 - turn if back else turn), constant=True)],
                                   {"axis": axis}) for s, axis, back in zip(scanned, axes, backward)]
            results = self.run_inner(body, scope, states + slices, f"{node.name}/{turn}/")
            if any(r is None for r in results):
                return None
            states = results[:len(states)]
            parts.append(results[len(states):])
        columns = [list(column)[::-1] if back else list(column) for column, back in zip(zip(*parts), out_backward)]
        return states + [self.stacked(node, column, axis) for column, axis in zip(columns, out_axes)]

    def derived(self, node, op, inputs, attributes):
        """A node that unrolling adds."""
        added = Node(op, "", node.name, inputs, [], attributes, max(13, self.opsets["ai.onnx"]))
        arrays = TABLE[op](added, *(v.array for v in inputs))
        value = computed(self.unique(f"{node.name}_{op.lower()}"), arrays, inputs)
        if not value.constant:
            added.outputs = [value]
            self.graph.nodes.append(added)
        return value

    def stacked(self, node, values, axis):
        axes = Value("", np.array([axis], np.int64), constant=True)
        parts = [self.derived(node, "Unsqueeze", [v, axes], {}) for v in values]
        return self.derived(node, "Concat", parts, {"axis": axis})
