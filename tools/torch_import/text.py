# SPDX-License-Identifier: BSL-1.0
"""Options of modules of ashlar::nn as C++ writes them."""


def options(**given):
    """Designated initialisers; what is None stays the default."""
    def text(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    return "{" + ", ".join(f".{name} = {text(value)}" for name, value in given.items() if value is not None) + "}"


def number(x, usual=1e-5):
    """A number of an option, None if it is the usual one."""
    return None if x == usual else repr(float(x))
