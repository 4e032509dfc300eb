#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports the node tests of the installed onnx package, compiles and runs them, and reports how many are right.

    tests/tools/onnx_node_tests.py --compiler g++ -- -Iinclude -mavx2 -mfma

Takes about half an hour on one core. `--only` chooses tests by a part of their name, `--compile-every 10` compiles each tenth.
Fails if one that is compiled is not right, or if the numbers are not those of docs/import.md for this version of onnx.
Exits with 77 (skipped) if the Python packages onnx and NumPy are missing.
"""
import argparse
import collections
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from tool_checks import ROOT, expect, finished, skip_without

skip_without("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from onnx_import.errors import ModelError  # noqa: E402
from onnx_import.load import NUMPY_TYPES, type_name  # noqa: E402
from onnx_import.run import import_model  # noqa: E402
from onnx_import.safetensors import write_safetensors  # noqa: E402

DYNAMIC = {"NonZero", "NonMaxSuppression", "Unique"}  # the values of their operands decide the shape of the result
GROUP = 24  # tests of one program
TOLERANCE = "1e-4"  # of float: onnx has an inexact pi in some values, and allows 1e-3


def all_cases():
    warnings.simplefilter("ignore")
    for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):
        if name not in np.__dict__:
            setattr(np, name, kind)  # onnx 1.12 uses names that NumPy 1.24 no longer has
    from onnx.backend.test.case.node import collect_testcases
    argument = [None] if collect_testcases.__code__.co_argcount else []
    cases = {}
    for case in collect_testcases(*argument):
        cases.setdefault(case.name if case.name not in cases else f"{case.name}_{len(cases)}", case)
    return sorted(cases.items())


def missing_type(case):
    """Why the library has no values of these types or shapes; None if it has."""
    model, (_, outputs) = case.model, case.data_sets[0]
    for declared in list(model.graph.input) + list(model.graph.output):
        kind = declared.type.WhichOneof("value")
        if kind != "tensor_type":
            return f"types: {kind.replace('_type', '')}"
        if declared.type.tensor_type.elem_type not in NUMPY_TYPES:
            return f"types: {type_name(declared.type.tensor_type.elem_type)}"
    for node in model.graph.node:
        if node.op_type in DYNAMIC:
            return "shapes that depend on values"
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype") and attribute.i and attribute.i not in NUMPY_TYPES:
                return f"types: {type_name(attribute.i)}"
    for array in outputs:
        if 0 in np.shape(array):
            return "shapes: an output without entries"
    return None


def arrays_of(values):
    return [np.asarray(numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v) for v in values]


def import_case(name, case, folder):
    """Returns None, or the reason why the case is not covered. Inputs that must be constants become constants."""
    inputs = dict(zip((v.name for v in case.model.graph.input), arrays_of(case.data_sets[0][0])))
    shapes = {n: a.shape for n, a in inputs.items()}
    constants = {n: a for n, a in inputs.items() if a.size == 0}
    while True:
        try:
            complete, text = import_model(case.model, name, folder, shapes, constants, inputs, check=False)
        except ModelError as failure:
            return str(failure)
        if complete:
            break
        wanted = {n: inputs[n] for n in re.findall(r"--constant (\S+)=", text) if n not in constants}
        if not wanted:
            return next((line.split("): ", 1)[1] for line in text.splitlines() if "): " in line), text)
        constants.update(wanted)
    return replace_samples(case, folder / f"{name}_test.cpp", inputs, constants)


def replace_samples(case, source, inputs, constants):
    """Puts the reference values of onnx in place of those of the importer. Names in the file are those of the test's source."""
    text = source.read_text()
    read = re.findall(r'io::named\("input\.(\w+)"', text)
    written = re.findall(r'io::named\("output\.(\w+)"', text)
    given = [a for n, a in inputs.items() if n not in constants]
    outputs = arrays_of(case.data_sets[0][1])
    declared = [v.name for v in case.model.graph.output]
    assert len(read) == len(given) and len(written) == len(declared), case.name
    write_safetensors(source.with_suffix(".safetensors"),
                      [(f"input.{n}", a) for n, a in zip(read, given)] + [(f"output.{n}", a) for n, a in zip(written, outputs)])
    source.write_text(text.replace(", 1e-5);", f", {TOLERANCE});"))
    return None


def program_of(names, folder, number):
    source = folder / f"group{number}.cpp"
    calls = "".join(f'    if (name == "{n}") return {n}_test::passes(arguments[1]) ? 0 : 1;\n' for n in names)
    source.write_text("#define ASHLAR_IMPORT_NO_MAIN\n" + "".join(f'#include "{n}_test.cpp"\n' for n in names) +
                      f"int main(int, char** arguments) {{\n    const std::string name = arguments[2];\n{calls}    return 2;\n}}\n")
    return source


def compile_and_run(names, folder, number, compiler, flags):
    """Returns the outcome of each test: 'right', 'wrong', or the first error of the compiler."""
    outcomes, left = {}, list(names)
    while left:
        source, program = program_of(left, folder, number), folder / f"group{number}"
        built = subprocess.run([compiler, "-std=c++20", "-O0", "-DASHLAR_UNOPTIMIZED", "-fmax-errors=200", *flags, str(source), "-o", str(program)],
                               cwd=ROOT, check=False, capture_output=True, text=True)
        if built.returncode == 0:
            break
        blamed = broken(built.stderr, left) or {n: "does not compile" for n in left[:1]}
        outcomes.update(blamed)
        left = [n for n in left if n not in blamed]
    for name in left:
        ran = subprocess.run([str(program), str(folder), name], check=False, capture_output=True, text=True)
        outcomes[name] = "right" if ran.returncode == 0 else f"wrong: {(ran.stdout + ran.stderr).strip()[:200]}"
    return outcomes


def broken(errors, names):
    """The tests that errors of the compiler come from, with the first message of each."""
    found, seen = {}, None
    for line in errors.splitlines():
        where = re.search(r"/(\w+?)(?:_test\.cpp|\.hpp):\d+", line)
        if where and where[1] in names:
            seen = where[1]
        if "error:" in line and seen and seen not in found:
            found[seen] = "does not compile: " + line.split("error:", 1)[1].strip()[:160]
    return found


def check_page(*counts):
    """The numbers of docs/import.md, which are those of one version of onnx; it has 90% of the tests."""
    said = re.search(r"Of the (\d+) tests of onnx ([\d.]+), (\d+) have .*\n(\d+) of these", (ROOT / "docs/import.md").read_text())
    expect(said, "docs/import.md has numbers of node tests")
    if said and onnx.__version__.startswith(said[2] + "."):
        expect(counts == (int(said[1]), int(said[3]), int(said[4])), f"docs/import.md has {said[0]!r}, but the numbers are {counts}")
        expect(counts[2] >= 0.9 * counts[1], "90% are imported")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--compile-every", type=int, default=1, metavar="N", help="compile only every N-th of those imported; 0: none")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary one unless given")
    parser.add_argument("flags", nargs="*")
    given = parser.parse_args()
    cases = [(name, case) for name, case in all_cases() if re.search(given.only, name)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        outside, uncovered, ready = {}, {}, []
        for name, case in cases:
            why = missing_type(case)
            if why:
                outside[name] = why
                continue
            why = import_case(name, case, folder)
            if why:
                uncovered[name] = why
            else:
                ready.append(name)
        outcomes, chosen = {}, ready[::given.compile_every] if given.compile_every else []
        for number, first in enumerate(range(0, len(chosen), GROUP)):
            made = compile_and_run(chosen[first:first + GROUP], folder, number, given.compiler, given.flags)
            outcomes.update(made)
            bad = [f"\n  {n}: {o}" for n, o in made.items() if o != "right"]
            print(f"{len(outcomes)} of {len(chosen)} done" + "".join(bad), file=sys.stderr, flush=True)
    for title, reasons in (("no such types or shapes", outside), ("not covered", uncovered)):
        groups = collections.defaultdict(list)
        for name, why in reasons.items():
            groups[why].append(name)
        print(f"\n{title}: {len(reasons)}")
        for why, names in sorted(groups.items(), key=lambda pair: -len(pair[1])):
            print(f"  {len(names):4} {why}: {' '.join(n[5:] for n in names)}")
    bad = {n: o for n, o in outcomes.items() if o != "right"}
    print(f"\ncompiled, but not right: {len(bad)}" if bad else "")
    for name, outcome in sorted(bad.items(), key=lambda pair: pair[1]):
        print(f"  {name[5:]}: {outcome}")
    eligible, right = len(cases) - len(outside), len(outcomes) - len(bad)
    print(f"\n{len(cases)} node tests; {eligible} with types and shapes of the library: {len(ready)} imported, "
          f"{len(outcomes) - sum('compile' in o for o in bad.values())} compiled, {right} right"
          + (f" ({100 * right / max(eligible, 1):.1f} %)" if given.compile_every == 1 else ""))
    expect(not bad, "all that are compiled give the values of onnx")
    if not given.only:
        check_page(len(cases), eligible, len(ready))
    return finished()


if __name__ == "__main__":
    sys.exit(main())
