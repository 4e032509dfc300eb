# SPDX-License-Identifier: BSL-1.0
"""Why a value cannot be shown."""
from __future__ import annotations


class NotUnderstood(Exception):
    """The type is not one of ashlar's, or has a version whose layout this package does not know."""


class Unreadable(Exception):
    """The debugger has no such bytes: the message says why, for example `cannot access memory at 0x0`."""
