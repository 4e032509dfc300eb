#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes a C++ header of ashlar, its weights and a test for an ONNX model.

    tools/import_onnx.py model.onnx --shape x=1,128 --name net --out folder
"""
import argparse
import re
import sys
from pathlib import Path

import missing_package

try:
    import numpy as np

    from onnx_import.errors import ModelError, exit_status
    from onnx_import.load import read_model
    from onnx_import.narrow import KINDS
    from onnx_import.run import import_model
except ModuleNotFoundError as missing:
    missing_package.stop(missing)


def named(text, what):
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise ModelError(f"{what} {text}: write NAME=VALUE")
    return name, value


def shape(text):
    name, value = named(text, "--shape")
    try:
        return name, tuple(int(n) for n in value.split(",") if n)
    except ValueError:
        if re.fullmatch(r" *\w+ *\+ *\d+ *", value):
            return name, value
        raise ModelError(f"--shape {text}: extents are integers, as in x=1,128, or an axis that has a capacity and a number, "
                         "as in total=past+1") from None


def capacity(text):
    """An axis that has a capacity, its greatest and its least extent (None: not given)."""
    name, value = named(text, "--capacity")
    try:
        least, _, most = value.rpartition("..")
        return name, int(most), int(least) if least else None
    except ValueError:
        raise ModelError(f"--capacity {text}: give a number, as in tokens=128 or tokens=2..128") from None


def constant(text):
    name, value = named(text, "--constant")
    try:
        return name, np.array([float(n) for n in value.split(",") if n])
    except ValueError:
        raise ModelError(f"--constant {text}: give numbers, as in n=1,2") from None


def sample(text):
    name, value = named(text, "--input")
    try:
        return name, np.load(value)
    except (OSError, ValueError) as failure:
        raise ModelError(f"--input {text}: {failure}") from None


def states(texts):
    """Names of outputs by those of the inputs that they replace, and whether names of the model may tell others."""
    pairs = [named(text, "--state") for text in texts if text != "none"]
    if len({before for before, _ in pairs}) != len(pairs):
        raise ModelError("--state: an input is given twice")
    return dict(pairs), "none" not in texts


def add_model_options(parser):
    parser.add_argument("model", help="a .onnx file")
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=1,128",
                        help="extents of an input or of a named axis")
    parser.add_argument("--constant", action="append", default=[], metavar="NAME=1,2", help="an input that never changes")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=x.npy",
                        help="a sample; random numbers unless given")


def given_inputs(given):
    """The shapes, constants and samples of the options."""
    return dict(map(shape, given.shape)), dict(map(constant, given.constant)), dict(map(sample, given.input))


def import_file(given):
    """Whether every operator is covered, and the report."""
    given_states, automatic = states(given.state)
    return import_model(read_model(given.model), given.name, given.out, *given_inputs(given),
                        origin=f"Imported from {Path(given.model).name} by tools/import_onnx.py.", states=given_states,
                        automatic=automatic, weights=given.weights, embed=given.embed, capacities=list(map(capacity, given.capacity)),
                        plan=given.plan)


def main(arguments=None):
    """Returns the exit status: 0 if every operator is covered, 1 if some are not, 2 if the model cannot be used."""
    parser = argparse.ArgumentParser(description="Writes a C++ header of ashlar, its weights and a test for an ONNX model.")
    add_model_options(parser)
    parser.add_argument("--capacity", action="append", default=[], metavar="AXIS=2..128",
                        help="least and most entries of a named axis whose extent is known when the program runs")
    parser.add_argument("--state", action="append", default=[], metavar="INPUT=OUTPUT",
                        help="an input that an output replaces for the next call; none: not even if names tell it")
    parser.add_argument("--weights", choices=list(KINDS), default="float",
                        help="elements of matrices and kernels; auto: as few bits as the error of each layer allows")
    parser.add_argument("--name", default="net", help="of the struct and the files")
    parser.add_argument("--out", default=".", type=Path, metavar="FOLDER", help="where the files go")
    parser.add_argument("--embed", action="store_true",
                        help="write a header with the weights too, which the compiler checks")
    parser.add_argument("--plan", action="store_true", help="write a program too that prints the plans, for tools/draw_plan.py")
    given = parser.parse_args(arguments)
    return exit_status("import_onnx", lambda: import_file(given))


if __name__ == "__main__":
    sys.exit(main())
