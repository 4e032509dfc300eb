# SPDX-License-Identifier: BSL-1.0
"""The two kinds of failure: a file that is no usable model, and an operator that the importer does not cover."""


class ModelError(Exception):
    """The file or its shapes cannot be used at all. The message is the whole error."""


class Uncovered(Exception):
    """One node cannot be translated. The message is the reason, without the node's name."""
