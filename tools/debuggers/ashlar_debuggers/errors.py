# SPDX-License-Identifier: BSL-1.0
"""Why a value cannot be shown."""
from __future__ import annotations


class NotUnderstood(Exception):
    """The type is none of ashlar's, or of a version whose layout this package does not know."""


class Unreadable(Exception):
    """The debugger has no such bytes: the message says why, as `cannot access memory at 0x0`."""
