# SPDX-License-Identifier: BSL-1.0
"""Turns recorded calls of torch into operators of ONNX, whose translation into lines of C++ is there already."""
import numpy as np
import torch

from onnx_import.errors import Uncovered
from onnx_import.graph import Node, computed, Value
from onnx_import.numpy_ops import TABLE as EVALUATE

OPSET = 18
DTYPES = {torch.bool: np.bool_, torch.uint8: np.uint8, torch.int8: np.int8, torch.int16: np.int16, torch.int32: np.int32,
          torch.int64: np.int64, torch.float16: np.float16, torch.float32: np.float32, torch.float64: np.float64}


def array_of(tensor):
    """A tensor of torch as an array."""
    if tensor.is_sparse or tensor.is_quantized or tensor.dtype not in DTYPES:
        raise Uncovered(f"elements of {tensor.dtype} ({tensor.layout}) are not supported")
    return tensor.detach().cpu().numpy().copy()


class Builder:
    """Adds operators to a graph. `name` and `wanted` are those of the call that is being translated."""

    def __init__(self, graph):
        self.graph, self.folded, self.operands = graph, {}, []
        self.begin("", "", None)

    def begin(self, name, op_name, wanted):
        """The call of `op_name` whose values shall be called `name`. `wanted` is what torch computes."""
        self.name, self.op_name, self.wanted, self.count = name, op_name, wanted, 0

    array = staticmethod(array_of)

    @property
    def wanted_array(self):
        return array_of(self.wanted)

    def value(self, number, dtype=None):
        """A constant operand of a number, a list or an array."""
        if isinstance(number, Value):
            return number if dtype is None or number.dtype == dtype else self.cast(number, dtype)
        array = np.asarray(number, dtype)
        return Value(f"{self.name}_constant", array, constant=True)

    def op(self, op, inputs, domain="", **attributes):
        """An operator; returns its first result, or a constant if all operands are."""
        inputs = [None if v is None else self.value(v) for v in inputs]
        key = (op, tuple(map(id, inputs)), repr(attributes))
        if key in self.folded:
            return self.folded[key]
        node = Node(op, domain, self.name, inputs, [], attributes, OPSET)
        for v in inputs:
            if v is not None and 0 in v.shape and not v.constant:
                raise Uncovered(f"{v.name} has shape {list(v.shape)}: tensors without entries do not exist")
        try:
            with np.errstate(all="ignore"):
                arrays = EVALUATE[node.title](node, *(None if v is None else v.array for v in inputs))
        except Uncovered:
            raise
        except Exception as failure:
            raise Uncovered(f"{op} of these operands: {failure}") from None
        array = arrays[0] if isinstance(arrays, tuple) else arrays
        value = computed(self.fresh(op), array, inputs)
        if value.constant:
            named = {v.name for v in inputs if v is not None and not v.name.endswith("_constant")}
            value.name = named.pop() if len(named) == 1 else value.name  # a part of a parameter
            self.folded[key] = value
            self.operands.extend(inputs)  # so that no other operand has their ids
        else:
            node.outputs = [value]
            self.graph.nodes.append(node)
        return value

    def fresh(self, op):
        self.count += 1
        return f"{self.name}_{op.lower()}" if self.count > 1 else self.name

    def custom(self, op, domain, inputs, arrays, **attributes):
        """A step that is no operator of ONNX: a call of a module. Returns the values of `arrays`, None for None."""
        node = Node(op, domain, self.name, list(inputs), [], attributes, OPSET)
        sources = frozenset().union(*(v.sources for v in inputs))
        node.outputs = [None if a is None else Value(self.fresh(f"out{i}" if i else op), a, sources=sources)
                        for i, a in enumerate(arrays)]
        self.graph.nodes.append(node)
        return node.outputs

    # What many functions need.

    def cast(self, x, dtype):
        dtype = np.dtype(dtype)
        return x if x.dtype == dtype else self.op("Cast", [x], to=1, to_dtype=dtype)

    def reshape(self, x, shape):
        shape = tuple(int(n) for n in shape)
        return x if x.shape == shape else self.op("Reshape", [x, np.array(shape, np.int64)])

    def transpose(self, x, order):
        return x if list(order) == list(range(len(order))) else self.op("Transpose", [x], perm=[int(n) for n in order])

    def slice(self, x, axis, first, last, step=1):
        return self.op("Slice", [x] + [np.array([n], np.int64) for n in (first, last, axis, step)])

    def common(self, *operands):
        """Operands in the element type that torch computes with; numbers become constants of it."""
        def plain(v):
            return torch.from_numpy(np.zeros(v.shape, v.dtype)) if isinstance(v, Value) else v

        kind = DTYPES[torch.result_type(*map(plain, operands))]
        return [self.value(v, kind) for v in operands]

    def common_all(self, operands):
        """A list of tensors in the element type of the result."""
        return [self.value(v, self.result_dtype()) for v in operands]

    def result_dtype(self):
        return np.dtype(DTYPES[self.wanted.dtype])
