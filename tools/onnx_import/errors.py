# SPDX-License-Identifier: BSL-1.0
"""The two kinds of failure: a file that is no usable model, and an operator that the importer does not cover."""
import os
import sys


class ModelError(Exception):
    """The file or its shapes cannot be used at all. The message is the whole error."""


class Uncovered(Exception):
    """One node cannot be translated. The message is the reason, without the node's name."""


MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)  # of a node that the checker of onnx did not see


def malformed(name, title, failure):
    """The error of a node that has not what its operator needs."""
    return ModelError(f"node {name} ({title}) has not the operands or attributes of this operator: {first_line(failure)}")


def first_line(failure):
    """The first line of an exception's message."""
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(failure).__name__


def exit_status(tool, work):
    """0 if `work` covers everything, 1 if not: it returns that and a report. 2 and one line of error for a ModelError."""
    try:
        complete, text = work()
    except ModelError as failure:
        print(f"{tool}: {' '.join(str(failure).split())}", file=sys.stderr)
        return 2
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader, such as head, ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if complete else 1
