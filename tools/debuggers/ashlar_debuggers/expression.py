# SPDX-License-Identifier: BSL-1.0
"""Lazy expressions as a tree of their nodes, from the names of their types; numbers and addresses from their values."""
from __future__ import annotations

import re
from typing import Iterator, List, Optional, Tuple

from . import arrays
from .errors import NotUnderstood, Unreadable
from .type_name import Dimension, TypeName, dimensions, element_text, integer, parse, shape_text, without_const
from .value import Settings, Value

ARRAYS = (
    "basic_tensor", "basic_view", "strided_view", "basic_packed", "borrowed_packed", "basic_quantized",
    "borrowed_quantized", "borrowed_int4",
)  # fmt: skip
OPERATORS = {
    "plus": "+", "minus": "-", "times": "*", "divides": "/", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "equal": "==", "not_equal": "!=", "and": "&&", "or": "||", "not": "!", "modulo": "%",
}  # fmt: skip
REDUCTIONS = ("sum", "mean", "max", "min", "variance", "argmax", "all", "any", "logsumexp", "prod", "argmin")
MATRIX_FUNCTIONS = (
    "inverse", "solve", "solve_spd", "solve_lower", "solve_upper", "cholesky", "determinant", "lu",
)  # fmt: skip
WRAPPERS = ("mapped_function", "user_function", "math_function")
OUR_NAMESPACE = re.compile(r"\bashlar::(?:v\d+_\d+::)?(?:detail::)?")


def is_expression(name: Optional[TypeName]) -> bool:
    return name is not None and (name.name.endswith("_node") or name.name in ARRAYS)


def operand_names(node: TypeName) -> List[str]:
    """The types of the operands, as text."""
    texts = node.arguments
    if node.name == "store_node":
        texts = texts[1:]  # after its destination
    if node.name in ("let_value_node", "index_node", "mask_node", "scalar_node", "sequence_node"):
        return []
    return [text for text in texts if is_expression(parse(text))]


def enumerator(text: str, names: Tuple[str, ...]) -> str:
    """The name of an enumerator, from `(kind)2` or `kind::max`."""
    found = re.search(r"::(\w+)$", text)
    if found:
        return found.group(1)
    place = integer(text)
    return names[place] if 0 <= place < len(names) else text


def shape_of(name: TypeName) -> Tuple[Dimension, ...]:
    """The shape of an array or node."""
    if name.name in ("basic_tensor", "basic_view"):
        return dimensions(name.arguments[1:])
    if name.name in ("strided_view", "basic_packed", "borrowed_packed"):
        return dimensions(name.arguments[2:])
    if name.name in ARRAYS:
        return dimensions(name.arguments[-2:])
    if name.name == "scalar_node":
        return ()
    for text in name.arguments:
        argument = parse(text)
        if argument is not None and argument.name == "shape":
            return dimensions(argument.arguments)
    operands = [parse(text) for text in operand_names(name) or name.arguments[:1]]
    if not operands or operands[0] is None:
        raise NotUnderstood(f"no shape: {name.name}")
    return shape_of(operands[-1 if name.name == "let_node" else 0])


def element_of(name: TypeName) -> str:
    """The element type that an array or node is computed with."""
    if name.name in ("borrowed_int4", "basic_quantized", "borrowed_quantized", "partial_softmax_node"):
        return "float"
    if name.name in ARRAYS or name.name == "scalar_node":
        element = element_text(without_const(name.arguments[0])[0])
        return "float" if element in ("f16", "bf16") else element
    behind_shape = {"map_node": 2, "let_value_node": 2, "reduce_node": 4}.get(name.name)
    if behind_shape is not None:
        element = element_text(name.arguments[behind_shape])
        return "float" if element in ("f16", "bf16") else element
    if name.name in ("index_node", "mask_node"):
        return "int" if name.name == "index_node" else "bool"
    operands = [parse(text) for text in operand_names(name) or name.arguments[:1]]
    if not operands or operands[0] is None:
        raise NotUnderstood(f"no element type: {name.name}")
    return element_of(operands[-1 if name.name == "let_node" else 0])


def short(text: str) -> str:
    """A name of a user, or of a mask or function that is not listed here, without our namespaces."""
    text = OUR_NAMESPACE.sub("", text)
    return text if len(text) <= 60 else text[:57] + "..."


def mask_text(text: str) -> str:
    """A mask as the user writes it."""
    mask = parse(text)
    if mask is None:
        return short(text)
    arguments = mask.arguments
    if mask.name == "causal_mask" and arguments:
        offset = integer(arguments[0])
        return "causal" if offset == 0 else f"causal_at<{offset}>()"
    if mask.name == "sliding_window_mask" and len(arguments) == 2:
        return f"sliding_window<{integer(arguments[0])}, {integer(arguments[1])}>"
    if mask.name == "block_diagonal_mask" and arguments:
        return f"block_diagonal<{integer(arguments[0])}>"
    if mask.name == "not_mask" and arguments:
        return f"!{operand_mask(arguments[0])}"
    if mask.name == "pair_mask" and len(arguments) == 3:
        both = "&&" if arguments[0] == "true" else "||"
        return f" {both} ".join(operand_mask(text) for text in arguments[1:])
    names = {"causal_at_mask": "causal_at(offset)", "causal_at_each_mask": "causal_at(t)"}
    names.update(keys_below_mask="keys_below(n)", keys_below_each_mask="keys_below(t)", keep_all_mask="true")
    names.update(keep_mask="keep(t)", keep_if_mask="keep_if(f)")
    return names.get(mask.name, mask.name[:-5] if mask.name.endswith("_mask") else mask.name)


def operand_mask(text: str) -> str:
    """A mask inside another one."""
    mask = parse(text)
    return f"({mask_text(text)})" if mask is not None and mask.name == "pair_mask" else mask_text(text)


def function_text(text: str) -> str:
    """The function of a map: an operator or a name."""
    function = parse(text)
    if function is None:
        return short(text)
    name = function.name[:-9] if function.name.endswith("_function") else function.name
    if function.name in WRAPPERS and function.arguments:
        return function_text(function.arguments[0])
    if function.name in ("cast_function", "rounded_function", "narrowing_function") and function.arguments:
        return f"{name}<{element_text(function.arguments[0])}>"
    if function.name == "fast_function" and function.arguments:
        return f"fast {function_text(function.arguments[0])}"
    return OPERATORS.get(name, name)


def node_text(node: TypeName) -> str:
    """The operation of a node, without its operands."""
    arguments, name = node.arguments, node.name[:-5]
    if name == "map":
        return function_text(arguments[0])
    if name in ("masked", "mask"):
        return f"{name}({mask_text(arguments[0])})"
    if name == "reduce":
        return f"{enumerator(arguments[0], REDUCTIONS)}<{integer(arguments[1])}>"
    if name == "softmax":
        plain = enumerator(arguments[0], ("plain", "logarithmic")) == "plain"
        return f"{'softmax' if plain else 'log_softmax'}<{integer(arguments[1])}>"
    if name == "standardize":
        by_variance = enumerator(arguments[0], ("mean_and_variance", "root_mean_square")) == "mean_and_variance"
        return "layer_norm" if by_variance else "rms_norm"
    if name == "matrix":
        return enumerator(arguments[0], MATRIX_FUNCTIONS).replace("determinant", "det")
    if name in ("slice", "repeat", "roll", "concat", "take", "index"):
        return f"{name}<{integer(arguments[0])}>"
    return name


def operand_value(value: Optional[Value], index: int) -> Optional[Value]:
    """Operand `index` of a node, if the debugger has it."""
    if value is None:
        return None
    try:
        return value.member("operands").base(index).member("value")
    except (Unreadable, NotUnderstood):
        return None


def leaf_text(value: Optional[Value], name: TypeName) -> str:
    """A leaf: a number, or the description of an array."""
    if name.name == "scalar_node":
        try:
            return f"{value.member('value').number():g}" if value is not None else "scalar"
        except (Unreadable, NotUnderstood):
            return "scalar"
    if value is not None:
        try:
            array = arrays.described(value, name)
            return variable_text(array.pointer) + arrays.summary(array)
        except (Unreadable, NotUnderstood):
            pass
    return f"{element_of(name)} {shape_text(shape_of(name))}"


def variable_text(pointer: Optional[Value]) -> str:
    """The variable that a pointer points to the beginning of."""
    try:
        address = pointer.pointer() if pointer is not None else 0
        variable = pointer.variable_at(address) if address else None
    except (Unreadable, NotUnderstood):
        return ""
    return f"{variable}: " if variable else ""


def store_text(value: Optional[Value], name: TypeName) -> str:
    """A store and its destination."""
    destination = parse(name.arguments[0])
    if destination is None:
        return "store"
    try:
        return f"store into {leaf_text(value.member('destination') if value is not None else None, destination)}"
    except (Unreadable, NotUnderstood):
        return f"store into {leaf_text(None, destination)}"


def lines(value: Optional[Value], name: TypeName, indent: int) -> Iterator[str]:
    """The lines of a tree: each node above its operands, which are indented."""
    margin = "  " * indent
    if name.name in ARRAYS or name.name == "scalar_node":
        yield margin + leaf_text(value, name)
        return
    if name.name == "store_node":
        yield margin + store_text(value, name)
    else:
        yield f"{margin}{node_text(name)} {shape_text(shape_of(name))}"
    for index, text in enumerate(operand_names(name)):
        yield from lines(operand_value(value, index), parse(text), indent + 1)


def text(value: Value, name: TypeName, settings: Settings) -> str:
    """A lazy expression: what it makes, and its nodes."""
    if name.name == "sequence_node":
        return f"lazy sequence of {plural_steps(len(name.arguments) - 1)}: {element_of(name)} {shape_text(shape_of(name))}"
    if not is_expression(name):
        raise NotUnderstood(f"no expression: {name.name}")
    if settings.in_short:
        return f"lazy {element_of(name)} {shape_text(shape_of(name))}"
    all_lines = list(lines(value, name, 1))
    if settings.limit is not None and len(all_lines) > settings.limit:
        all_lines[settings.limit :] = [f"  ... and {len(all_lines) - settings.limit:,} nodes more"]
    return "\n".join([f"lazy {element_of(name)} {shape_text(shape_of(name))}:", *all_lines])


def plural_steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"
