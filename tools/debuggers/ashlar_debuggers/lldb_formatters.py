# SPDX-License-Identifier: BSL-1.0
"""The formatters of lldb: summaries found by the names of types, never an exception in a session."""
from __future__ import annotations

import lldb

from .errors import NotUnderstood, Unreadable
from .lldb_values import LldbValue, full_name
from .show import PATTERN, shown_type, text_of
from .value import Settings

CATEGORY = "ashlar"


def settings(value: lldb.SBValue) -> Settings:
    """`settings set target.max-children-count` limits how many elements are shown; its default is 256."""
    name = value.GetTarget().GetDebugger().GetInstanceName()
    found = lldb.SBDebugger.GetInternalVariableValue("target.max-children-count", name)
    text = found.GetStringAtIndex(0) if found.GetSize() == 1 else ""
    return Settings(int(text) if text.isdigit() and int(text) > 0 else None)


def summary(value: lldb.SBValue, _internal_dict: dict) -> str:
    """The text of a value. An exception here would be printed in place of the value."""
    try:
        value = value.GetNonSyntheticValue()
        if value.GetType().IsReferenceType():
            value = value.Dereference()
        if value.GetError().Fail():
            return f"<{value.GetError().GetCString()}>"
        name = shown_type(full_name(value.GetType()))
        if name is None:
            raise NotUnderstood(value.GetTypeName())
        return text_of(LldbValue(value), name, settings(value))
    except NotUnderstood as reason:
        return f"<{reason}; see frame variable --raw-output>"
    except Unreadable as reason:
        return f"<{reason}>"
    except Exception as wrong:  # a mistake of this package must not end the user's command
        return f"<ashlar's formatter: {type(wrong).__name__}: {wrong}>"


def register(debugger: lldb.SBDebugger, function: str) -> None:
    """In a category of its own, which `type category disable ashlar` turns off."""
    category = debugger.GetCategory(CATEGORY)
    if not category.IsValid():
        category = debugger.CreateCategory(CATEGORY)
    options = lldb.eTypeOptionCascade | lldb.eTypeOptionSkipPointers | lldb.eTypeOptionHideChildren
    formatter = lldb.SBTypeSummary.CreateWithFunctionName(function, options)
    category.AddTypeSummary(lldb.SBTypeNameSpecifier(PATTERN, True), formatter)
    category.SetEnabled(True)
