# SPDX-License-Identifier: BSL-1.0
"""The printers of gdb: found by the names of types, never an exception in a session."""
from __future__ import annotations

from typing import Optional

import gdb
import gdb.printing

from .errors import NotUnderstood, Unreadable
from .gdb_values import NOT_READABLE, GdbValue, basic
from .show import shown_type, text_of
from .type_name import TypeName
from .value import Settings


def settings() -> Settings:
    """`set print elements` or `print -elements 30 --` limits how many elements are shown; the default is 200. Frames show
    their arguments in short, which gdb says since version 13."""
    options = gdb.print_options() if hasattr(gdb, "print_options") else {}
    limit = options.get("max_elements", gdb.parameter("print elements"))
    return Settings(limit if limit is not None and limit > 0 else None, bool(options.get("summary")))


class ValuePrinter:
    """Prints a value as text."""

    def __init__(self, value: gdb.Value, name: TypeName) -> None:
        self.value = value
        self.name = name

    def to_string(self) -> str:
        try:
            if self.value.is_optimized_out:
                return "<optimized out>"
            return text_of(GdbValue(self.value), self.name, settings())
        except NotUnderstood:
            return self.raw()
        except (Unreadable, *NOT_READABLE) as wrong:
            return f"<{wrong}>"
        except Exception as wrong:  # a mistake of this package must not end the user's command
            return f"<ashlar's printer: {type(wrong).__name__}: {wrong}> {self.raw()}"

    def raw(self) -> str:
        try:
            return self.value.format_string(raw=True)
        except NOT_READABLE as wrong:
            return f"<{wrong}>"


class Printers(gdb.printing.PrettyPrinter):
    """All printers, which `info pretty-printer` lists as one."""

    def __call__(self, value: gdb.Value) -> Optional[ValuePrinter]:
        try:
            kind = value.type
            if kind.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", gdb.TYPE_CODE_REF)):
                value = value.referenced_value()
            name = shown_type(basic(value.type).name or "")
            return None if name is None else ValuePrinter(value, name)
        except NOT_READABLE:
            return None


def register(objfile: Optional[gdb.Objfile]) -> None:
    """For the types of one program or library, or of all."""
    gdb.printing.register_pretty_printer(objfile, Printers("ashlar"), replace=True)
