#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times an imported ONNX model beside ONNX Runtime.

    tools/bench_imported.py model.onnx --onnxruntime node_modules/onnxruntime-node [--shape x=1,128] [--rounds 10] [--markdown FILE]

One process and one core: the importer's header is compiled to a shared library, ONNX Runtime's C library reads the file as it
is, and both take turns with the same inputs. Minima count. ONNX Runtime gets all graph optimizations, one thread, and memory
for inputs and outputs that stays where it is. A model is timed only if both results agree with the reference of the importer.
--markdown appends a row to a table.

Needs the packages of tools/import_onnx.py, a C++ compiler ($CXX, else g++), xsimd (a build tree has it, else --xsimd), and
libonnxruntime.so of version 1.15 or later: --onnxruntime is that file or a folder above it. The npm package onnxruntime-node
has it. What is absent is named, and nothing measured.
"""
import argparse
import ctypes
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy

from import_onnx import add_model_options, given_inputs
from onnx_import.emit import write_all
from onnx_import.errors import ModelError
from onnx_import.evaluate import Evaluation
from onnx_import.load import fixed_shapes, read_model
from onnx_import.narrow import KINDS
from onnx_import.rounding import tolerance
from onnx_import.run import translated
from onnxruntime_peer import ROOT, OnnxRuntime, SessionCall, find_onnxruntime, find_xsimd, skip

NAME = "net"
SOURCE = f"""#define ASHLAR_IMPORT_NO_MAIN
#include "{NAME}_test.cpp"

#include <tools/bench_turns.hpp>

extern "C" {{
int passes(const char* folder) {{ return {NAME}_test::passes(folder); }}
double time_ours(int turns, int calls) {{ return fastest(turns, calls, {NAME}_test::run); }}
}}
"""


def import_into(folder, given):
    """Writes the files. Returns the model's inputs, and its outputs as pairs of a reference and a tolerance, by their names in the
    model."""
    model, (shapes, constants, samples) = read_model(given.model), given_inputs(given)
    shapes = fixed_shapes(model, shapes, constants)
    evaluation = Evaluation(model, shapes, constants, samples)
    graph = evaluation.graph
    translation = translated(graph, NAME, given.weights)
    for node, reason in evaluation.problems + translation.problems:
        raise ModelError(f"{node.name} ({node.title}) is not covered: {reason}")
    write_all(folder, NAME, translation, f"Imported from {pathlib.Path(given.model).name} by tools/bench_imported.py.")
    inputs = {value.name: value.array for value in graph.inputs}
    for declared in model.graph.input:
        if declared.name in constants:
            inputs[declared.name] = evaluation.input_value(declared, shapes[declared.name], constants, {}, None).array
    errors = translation.rounding[0]
    return inputs, {name: (value.array, max(1e-4, tolerance(errors.get(id(value), 0.0)))) for name, value in graph.outputs}


def compile_ours(folder, xsimd):
    """The imported model and a clock as a library."""
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler):
        skip(f"there is no compiler {compiler}; set CXX")
    source, library = folder / "bench.cpp", folder / "bench.so"
    source.write_text(SOURCE)
    command = [compiler, "-std=c++20", "-O2", "-DNDEBUG", "-march=native", "-shared", "-fPIC", f"-I{ROOT / 'include'}", f"-I{ROOT}",
               *(["-isystem", str(xsimd)] if xsimd else []), str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(library))
    library.time_ours.restype = ctypes.c_double
    return library


def check_agreement(references, outputs):
    for name, (expected, accepted) in references.items():
        found, expected = outputs[name].astype("float64"), expected.astype("float64")
        difference = numpy.abs(found - expected).max() / max(1, numpy.abs(expected).max())
        if not difference <= accepted:
            raise SystemExit(f"ONNX Runtime's {name} differs from the reference by {difference:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_model_options(parser)
    parser.add_argument("--weights", choices=list(KINDS), default="float", help="of the imported model, not of ONNX Runtime's")
    parser.add_argument("--onnxruntime", default="node_modules/onnxruntime-node", help="libonnxruntime.so, or a folder above it")
    parser.add_argument("--xsimd", default=find_xsimd(), help="the folder that has xsimd/xsimd.hpp")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cpu", type=int, default=0, help="the core to run on")
    parser.add_argument("--markdown", type=pathlib.Path)
    given = parser.parse_args()
    runtime_path = find_onnxruntime(given.onnxruntime)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        try:
            inputs, references = import_into(folder, given)
        except ModelError as failure:
            raise SystemExit(f"bench_imported: {failure}") from None
        library = compile_ours(folder, given.xsimd)
        if not library.passes(str(folder).encode()):
            raise SystemExit("the imported model differs from its reference")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {given.cpu})
    runtime = OnnxRuntime(runtime_path)
    inputs = {name: numpy.array(array, order="C") for name, array in inputs.items()}
    outputs = {name: numpy.zeros_like(array, order="C") for name, (array, _) in references.items()}
    call = SessionCall(runtime, library.time_session, runtime.session(pathlib.Path(given.model).read_bytes()), inputs, outputs)
    call.time(1, 1)
    check_agreement(references, outputs)
    calls = max(1, int(2e6 / library.time_ours(1, 1)))
    ours = theirs = math.inf
    for _ in range(given.rounds):
        ours = min(ours, library.time_ours(3, calls))
        theirs = min(theirs, call.time(3, calls))
    name = pathlib.Path(given.model).stem + (f", {given.weights}" if given.weights != "float" else "")
    row = f"| {name} | {ours / 1000:.1f} | {theirs / 1000:.1f} | {theirs / ours:.2f} |"
    if given.markdown:
        is_new = not given.markdown.exists()
        with open(given.markdown, "a") as table:
            if is_new:
                table.write("| model | ashlar, µs | ONNX Runtime, µs | ONNX Runtime / ashlar |\n|---|---:|---:|---:|\n")
            table.write(row + "\n")
    print(row)


if __name__ == "__main__":
    main()
