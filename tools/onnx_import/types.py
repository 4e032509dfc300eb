# SPDX-License-Identifier: BSL-1.0
"""Refuses operands whose types an operator does not take: the checker of onnx does not look at types."""
import functools

import onnx

from .errors import ModelError
from .load import NUMPY_TYPES

NEWEST_KNOWN = onnx.defs.onnx_opset_version()  # newer operator sets may take more types
ONNX_NAMES = {dtype: f"tensor({onnx.TensorProto.DataType.Name(kind).lower()})" for kind, dtype in NUMPY_TYPES.items()}


@functools.lru_cache(maxsize=None)
def operands_of(op, opset):
    """For each operand a text that is equal where types must be equal, the types, and whether more operands of it follow."""
    try:
        schema = onnx.defs.get_schema(op, min(opset, NEWEST_KNOWN), "")
    except Exception:  # the installed onnx does not know it
        return []
    variadic = onnx.defs.OpSchema.FormalParameterOption.Variadic
    return [(operand.typeStr, frozenset(operand.types), operand.option == variadic) for operand in schema.inputs]


def check_types(node):
    """Refuses a node of ONNX's own operators whose operands have types that it does not take, or that differ and must not."""
    operands, first = operands_of(node.op, node.opset), {}
    for place, value in enumerate(node.inputs):
        if value is None or not operands:
            continue
        text, types, more = operands[min(place, len(operands) - 1)]
        if place >= len(operands) and not more:
            continue
        kind = value.dtype.name
        if node.opset <= NEWEST_KNOWN and ONNX_NAMES.get(value.dtype.type) not in types:
            raise ModelError(f"node {node.name} ({node.title}): {value.name or f'operand {place}'} is {kind}, "
                             "which this operator does not take")
        other = first.setdefault(text, value)
        if other.dtype != value.dtype:
            raise ModelError(f"node {node.name} ({node.title}): {other.name or 'an operand'} is {other.dtype.name} and "
                             f"{value.name or f'operand {place}'} is {kind}; their types must be the same")
