#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports small ONNX models by tools/import_onnx.py, compiles what it writes in one program and runs it.

    tests/tools/import_onnx_test.py --compiler clang++-19 --first-compiler g++ -- -Iinclude -mavx2

Exits with 77 (skipped) if the Python packages onnx and NumPy are missing.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, expect, finished, options, skip_without

skip_without("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import import_onnx_graphs as graphs  # noqa: E402
from import_onnx_images import check_images  # noqa: E402
from import_onnx_narrow import check_narrow  # noqa: E402
from import_onnx_quantized import check_quantized  # noqa: E402
from import_onnx_recurrent import check_recurrent  # noqa: E402
from import_onnx_refusals import check_refusals  # noqa: E402
from import_onnx_states import check_states  # noqa: E402
from imported_plan import check_plan  # noqa: E402
from imported_program import compile_and_run, embedded  # noqa: E402
from onnx_import.cpp import Names, literal, shared_prefix  # noqa: E402
from onnx_import.errors import ModelError  # noqa: E402
from onnx_import.operators import TABLE  # noqa: E402
from onnx_import.page import covered_rows  # noqa: E402
from onnx_import.rounding import tolerance  # noqa: E402
from onnx_import.run import import_model  # noqa: E402


# import_random_test.py compiles these operators, and import_onnx_narrow.py the product of few bits.
SEEN_ELSEWHERE = {"clip", "gather", "slice", "tile", "cumsum", "few_bits"}


def check_text():
    expect(literal(0.1, np.float32) == "0.1f", "a number of float")
    expect(literal(2, np.float64) == "2.0", "a number of double")
    expect(literal(-np.inf, np.float32) == "-std::numeric_limits<float>::infinity()", "an infinity")
    names = Names()
    expect([names.make(n) for n in ("a/b.c", "a.b.c", "1x", "sum", "")] == ["a_b_c", "a_b_c_1", "x1x", "sum_1", "value"], "names")
    expect([names.make(n) for n in ("packed", "workspace")] == ["packed_1", "workspace_1"], "names of types in the header are taken")
    expect([names.make(n) for n in ("NAN", "M_PI", "unix")] == ["nan", "m_pi", "unix_1"], "no name is that of a macro")
    prefix = shared_prefix(["net/a/b", "net/a/c", "net/d", "net/e", "y"])
    expect(prefix == "net_" and Names(prefix=prefix).make("net/a/b") == "a_b", "names without the prefix that most share")


def check_rounding(imported):
    """Sums of large terms round more than 1e-5 of a small result; a model whose steps give other entries has no such error."""
    expect([tolerance(error) for error in (1e-7, 3e-5, 0.5)] == [1e-5, 1.2e-4, 1e-5], "what a test accepts of floats")
    large = np.random.default_rng(6).standard_normal((512, 16)).astype(np.float32) * 100
    text = imported("net_large_terms", graphs.node_model("MatMul", [(4, 512), large], [4, 16]), compiled=False)
    expect("output.y: floats differ from doubles by" in text and "the test accepts" in text, f"errors of floats: {text}")
    small = imported("net_small_terms", graphs.node_model("Tanh", [(4, 8)], [4, 8]), compiled=False)
    expect("floats differ" not in small, "small errors are not listed")


def check_denormals(folder, imported):
    """Denormal weights become 0 in the file; a constant that may be divided by stays as it is."""
    weights = np.random.default_rng(7).standard_normal((3, 2, 3, 3)).astype(np.float32)
    weights[1] = 1e-40
    conv, divided = (graphs.node_model(op, [(1, 2, 5, 5), x], y) for op, x, y in (
        ("Conv", weights, [1, 3, 3, 3]), ("Add", np.full((1, 1, 1, 1), 1e-40, np.float32), [1, 2, 5, 5])))
    expect("18 denormal entries of weights are 0" in imported("net_denormal", conv, compiled=False), "denormal weights are listed")
    expect("denormal" not in imported("net_epsilon", divided, compiled=False), "a denormal constant stays")
    stored = [np.frombuffer((folder / f"{name}.safetensors").read_bytes()[-4 * count:], np.float32)
              for name, count in (("net_denormal", 54), ("net_epsilon", 1))]
    expect((stored[0] == 0).sum() == 18 and stored[1][0] != 0, "the file has zeros for denormal weights, and keeps the constant")


def check_page():
    page = (ROOT / "docs/import.md").read_text()
    expect(all(row in page for row in covered_rows(TABLE)), "docs/import.md lists the table; run tools/onnx_import/page.py")


def check_command(folder):
    path = folder / "attentive.onnx"
    onnx.save(graphs.attentive(), path)
    command = [sys.executable, str(ROOT / "tools/import_onnx.py"), str(path), "--name", "attentive", "--out", str(folder),
               "--embed", "--plan"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    expect(refused.returncode == 2 and "rows" in refused.stderr, "an axis without an extent is named")
    done = subprocess.run(command + ["--shape", "rows=5"], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"the command imports a model: {done.stdout}{done.stderr}")
    reading, writing = os.pipe()
    os.close(reading)  # as head does after its last line
    cut = subprocess.run(command + ["--shape", "rows=5"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    expect(cut.returncode == 0 and not cut.stderr, f"a reader of the report that ends: {cut.returncode} {cut.stderr}")
    header = (folder / "attentive.hpp").read_text()
    expect(all(f"const auto {line}" in header for line in ("products = matmul", "scores = products", "shares = softmax<3>")),
           "attention is one step")
    narrow = subprocess.run(command + ["--shape", "rows=5", "--weights", "bf16", "--out", str(folder / "narrow")],
                            capture_output=True, text=True, check=False)
    expect(narrow.returncode == 0 and "q.weight: bf16, 512 bytes" in narrow.stdout, f"--weights: {narrow.stdout}{narrow.stderr}")
    return "attentive"


def check_uncovered(folder):
    nodes = [onnx.helper.make_node("Det", ["x"], ["d"], name="first"),
             onnx.helper.make_node("NonZero", ["x"], ["n"], name="second"), onnx.helper.make_node("Exp", ["d"], ["y"])]
    model = graphs.model(nodes, [graphs.value("x", [2, 3, 3])], [graphs.value("y", [2]), graphs.value("n", None)])
    complete, text = import_model(model, "uncovered", folder, check=False)
    expect(not complete and "first (Det)" in text, f"operators that are not covered are listed: {text}")


def main():
    parser = options(__doc__)
    parser.add_argument("--first-compiler", help="of the first models, which are whole ones; without it --compiler has all")
    parser.add_argument("--only", default="", help="a regular expression of the models that are compiled")
    given = parser.parse_args()
    check_text()
    check_page()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        names = [check_command(folder)]
        check_uncovered(folder)
        check_refusals(folder)

        def imported(name, model, compiled=True, **options):
            """Imports a model; returns the report, or an empty text after a failure. Those that are `compiled` become part of the
            program; what others show is in the report, in the header or in NumPy's results."""
            try:
                complete, text = import_model(model, name, folder, **options)
            except ModelError as failure:
                complete, text = False, str(failure)
            expect(complete, f"{name}: {text}")
            names.extend([name] if complete and compiled else [])
            return text if complete else ""

        whole = {"convolutional": graphs.convolutional(), "unusual": graphs.unusual()}
        others = {"pools": graphs.pools(), "halves": graphs.halves()}
        for operator, model in {**whole, **others, **graphs.single_operators(), **graphs.attentions()}.items():
            imported(f"net_{operator}", model, operator not in SEEN_ELSEWHERE)
        check_images(folder, imported, expect)
        imported("net_shuffled", graphs.shuffled())
        expect("step(values.c, reshape<1, 8, 5, 5>(b))" in (folder / "net_shuffled.hpp").read_text(),
               "shuffled channels of which parts are taken are in memory")
        check_rounding(imported)
        check_denormals(folder, imported)
        check_recurrent(folder, imported, expect)
        check_narrow(folder, imported, expect)
        check_quantized(folder, imported, expect)
        check_states(folder, imported, expect)
        names = [name for name in names if re.search(given.only, name)]
        check_plan("attentive", folder, given.compiler, given.flags)
        whole_models = names[:1 + len(whole)]
        compile_and_run(whole_models, folder, given.first_compiler or given.compiler, given.flags,
                        checks={"attentive": embedded("attentive")})
        compile_and_run(names[len(whole_models):], folder, given.compiler, given.flags)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
