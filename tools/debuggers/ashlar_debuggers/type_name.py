# SPDX-License-Identifier: BSL-1.0
"""Names of types, as g++ and clang write them into debug information and as demanglers write them.

One type has several spellings:

    axis<fixed_string<4>{"seq"}, 4>()                                           g++, in gdb
    axis<fixed_string<4UL>{"seq"}, 4UL>{}                                       clang, in gdb
    axis<fixed_string<4ul>{char [4]{(char)115, (char)101, (char)113}}, 4ul>{}   a demangled name, in lldb
"""
from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Tuple

from .errors import NotUnderstood

OPENING, CLOSING = "<({[", ">)}]"
NAMESPACE = re.compile(r"^ashlar::(?:v\d+_\d+::)?(?:detail::)?")
ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|37777777[0-7]{3}|[0-7]{1,3}|.)", re.S)  # g++ 12 has 11 digits for \xe4
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CODE = re.compile(r"(?:\(char\))?(-?\d+)$")
INTEGER = re.compile(r"^(?:\([\w: ]+\))?(-?\d+)[uUlL]*$")
NAMED_ESCAPES = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"e": 27}


class TypeName(NamedTuple):
    """A name without its namespace, and its template arguments as text."""

    name: str
    arguments: Tuple[str, ...]


class Dimension(NamedTuple):
    """An extent, and the name of the axis or nothing."""

    extent: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.extent}" if self.name else str(self.extent)


def skip_quoted(text: str, at: int) -> int:
    """The place after the literal that starts at `at`."""
    quote = text[at]
    at += 1
    while at < len(text) and text[at] != quote:
        at += 2 if text[at] == "\\" else 1
    return at + 1


def split_arguments(text: str, at: int) -> Tuple[List[str], int]:
    """The arguments after the `<` at `at`, and the place after its `>`."""
    arguments: List[str] = []
    depth, first, at = 0, at + 1, at + 1
    while at < len(text):
        character = text[at]
        if character in "\"'":
            at = skip_quoted(text, at)
            continue
        if depth == 0 and character in ",>":
            arguments.append(text[first:at].strip())
            first = at + 1
            if character == ">":
                return ([] if arguments == [""] else arguments), at + 1
        elif character in OPENING:
            depth += 1
        elif character in CLOSING and text[at - 1] != "-":
            depth -= 1
        at += 1
    raise NotUnderstood(f"no end of the arguments in {text[:80]}")


def without_const(text: str) -> Tuple[str, bool]:
    """A type without const, and whether it was const: `const float` for clang, `float const` for g++."""
    if text.startswith("const "):
        return text[6:], True
    if text.endswith(" const"):
        return text[:-6], True
    return text, False


def parse(text: str) -> Optional[TypeName]:
    """The type that a text starts with, or None if it is not one of ashlar's."""
    text, _ = without_const(text.strip())
    inside = NAMESPACE.match(text)
    if inside is None:
        return None
    name = re.compile(r"\w+").match(text, inside.end())
    if name is None:
        return None
    if name.end() == len(text) or text[name.end()] != "<":
        return TypeName(name.group(), ())
    return TypeName(name.group(), tuple(split_arguments(text, name.end())[0]))


def integer(text: str) -> int:
    """The value of `4`, `4ul`, `(unsigned long)4` or `-8l`."""
    found = INTEGER.match(text)
    if found is None:
        raise NotUnderstood(f"no integer: {text}")
    return int(found.group(1))


def literal_bytes(literal: str) -> bytes:
    """The bytes of a string literal with escapes."""

    def byte(escape: "re.Match[bytes]") -> bytes:
        code = escape.group(1)
        if code[:1] == b"x":
            return bytes([int(code[1:], 16)])
        if code.isdigit():
            return bytes([int(code, 8) & 255])
        return bytes([NAMED_ESCAPES[code]]) if code in NAMED_ESCAPES else code

    return ESCAPE.sub(byte, literal.encode("utf-8", "surrogateescape"))


def fixed_string(text: str) -> str:
    """The characters of a fixed_string."""
    literal = LITERAL.search(text)
    if literal is not None:
        data = literal_bytes(literal.group(1))
    elif "{" in text:
        # clang writes non-ASCII characters as numbers and omits all after the tenth.
        codes = [part.strip() for part in text[text.rindex("{") + 1 :].split("}")[0].split(",")]
        known = [CODE.match(code) for code in codes]
        data = bytes(int(code.group(1)) & 255 for code in known if code is not None)
        data += b"..." if codes[-1] == "..." else b""
    else:
        raise NotUnderstood(f"no characters: {text}")
    return data.rstrip(b"\0").decode("utf-8", "replace")


def dimension(text: str) -> Dimension:
    """An axis or an integer."""
    axis = parse(text)
    if axis is None:
        return Dimension(integer(text))
    if axis.name != "axis" or len(axis.arguments) != 2:
        raise NotUnderstood(f"no dimension: {text}")
    return Dimension(integer(axis.arguments[1]), fixed_string(axis.arguments[0]))


def dimensions(texts: Tuple[str, ...]) -> Tuple[Dimension, ...]:
    found = tuple(dimension(text) for text in texts)
    if any(d.extent < 1 for d in found):
        raise NotUnderstood(f"no extents: {texts}")
    return found


def integers_of_array(text: str, count: int) -> Tuple[int, ...]:
    """The elements of a std::array. Names may omit zeros at its end."""
    if not text.endswith(("}", ")")):
        raise NotUnderstood(f"no elements: {text}")
    braces = text.rfind("{")
    inside = text[braces + 1 :].split("}")[0] if braces >= 0 else ""
    found = [integer(part.strip()) for part in inside.split(",") if part.strip()]
    if len(found) > count:
        raise NotUnderstood(f"more than {count} strides: {text}")
    return tuple(found + [0] * (count - len(found)))


def shape_text(shape: Tuple[Dimension, ...]) -> str:
    return "[" + ", ".join(str(d) for d in shape) + "]"


def element_text(text: str) -> str:
    """The name of an element type as the user writes it."""
    plain, is_const = without_const(text)
    element = parse(plain)
    if element is not None and element.name == "narrow_float" and element.arguments:
        plain = "f16" if element.arguments[0].endswith(("0", "half")) else "bf16"
    elif element is not None:
        inner = ", ".join(element_text(a) for a in element.arguments)
        plain = f"{element.name}<{inner}>" if inner else element.name
    elif plain == "_Float16":
        plain = "f16"
    elif "bf16" in plain or "bfloat16" in plain:
        plain = "bf16"
    return f"const {plain}" if is_const else plain
