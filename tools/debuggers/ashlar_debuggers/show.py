# SPDX-License-Identifier: BSL-1.0
"""The text of a value of ashlar, by its type."""
from __future__ import annotations

import re
from typing import Optional

from . import arrays, expression, texts
from .errors import NotUnderstood, Unreadable
from .type_name import TypeName, parse
from .value import Settings, Value

# Types that are shown, for debuggers that choose a printer by the name of a type.
SHOWN = (
    "basic_tensor|basic_view|strided_view|basic_packed|basic_quantized|fixed_text|plan_summary|plan_step"
    "|borrowed_packed|borrowed_quantized|borrowed_int4|[a-z0-9_]+_node"
)
# An extended regular expression of POSIX, for lldb.
PATTERN = f"^(const )?ashlar::(v[0-9]+_[0-9]+::)?(detail::)?({SHOWN})(<.*)?$"
IS_SHOWN = re.compile(f"({SHOWN})$")


def shown_type(text: str) -> Optional[TypeName]:
    """The parsed name of a type that is shown, else None."""
    try:
        name = parse(text)
    except NotUnderstood:
        return None
    return name if name is not None and IS_SHOWN.match(name.name) else None


def text_of(value: Value, name: TypeName, settings: Settings) -> str:
    """Raises NotUnderstood if the debugger should show the value in its own format."""
    try:
        if settings.in_short and name.name in ("fixed_text", "plan_summary", "plan_step"):
            return "..."
        if name.name == "fixed_text":
            return texts.fixed_text(value, name)
        if name.name == "plan_summary":
            return texts.plan_summary(value, name)
        if name.name == "plan_step":
            return texts.plan_step(value)
        if name.name in expression.ARRAYS:
            if settings.in_short:
                return arrays.summary(arrays.described(value, name))
            return arrays.text(value, name, settings)
        return expression.text(value, name, settings)
    except Unreadable as reason:
        return f"<{reason}>"
    except (IndexError, ValueError, RecursionError) as wrong:  # a name of another form than those that are tested
        raise NotUnderstood(str(wrong)) from wrong
