#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports random graphs of mixed types, compiles them and compares with NumPy.

    tests/tools/import_random_test.py --compiler g++ [--first 0] [--count 12] -- -Iinclude -mavx2

Exits with 77 (skipped) if the Python packages onnx and NumPy are missing.
"""
import random
import sys
import tempfile
from pathlib import Path

from tool_checks import expect, finished, options, skip_without

skip_without("numpy", "onnx")
from imported_program import compile_and_run  # noqa: E402
from onnx_import.errors import ModelError  # noqa: E402
from onnx_import.run import import_model  # noqa: E402
from random_graphs import random_graph  # noqa: E402


def main():
    parser = options(__doc__)
    parser.add_argument("--first", type=int, default=0, help="the number of the first graph")
    parser.add_argument("--count", type=int, default=12, help="of graphs that are compiled")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, names, number = Path(made), [], given.first
        while len(names) < given.count and number < given.first + 2 * given.count:
            name, model = f"random_{number}", random_graph(random.Random(number))
            number += 1
            try:
                complete, text = import_model(model, name, folder)
            except ModelError as failure:
                complete, text = False, str(failure)
            names += [name] if complete else []
            expect(complete or "entries" in text, f"{name} is imported, unless a value has no entries: {text}")
        expect(len(names) == given.count, f"{len(names)} of {number - given.first} random graphs are imported")
        compile_and_run(names, folder, given.compiler, given.flags, 6)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
