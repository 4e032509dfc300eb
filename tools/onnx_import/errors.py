# SPDX-License-Identifier: BSL-1.0
"""The two kinds of failure: a file that is no usable model, and an operator that the importer does not cover."""


class ModelError(Exception):
    """The file or its shapes cannot be used at all. The message is the whole error."""


class Uncovered(Exception):
    """One node cannot be translated. The message is the reason, without the node's name."""


def first_line(failure):
    """The first line of an exception's message."""
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(failure).__name__
