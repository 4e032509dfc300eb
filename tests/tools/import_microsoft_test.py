#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports models of one operator of com.microsoft each. The evaluator must agree with the definitions, the C++ with it.

    tests/tools/import_microsoft_test.py --compiler g++ -- -Iinclude -mavx2

`--only` chooses cases by a part of their name. Exits with 77 (skipped) if the Python packages onnx and NumPy are missing.
"""
import re
import sys
import tempfile
from pathlib import Path

from tool_checks import expect, finished, options, skip_without

skip_without("numpy", "onnx")
import numpy as np  # noqa: E402
from imported_program import compile_and_run  # noqa: E402
from microsoft_cases import attention_cases  # noqa: E402
from microsoft_quantized import quantized_cases  # noqa: E402
from onnx_import.evaluate import Evaluation  # noqa: E402
from onnx_import.load import fixed_shapes  # noqa: E402
from onnx_import.run import import_model  # noqa: E402

# Their C++ is that of another case but for the order of axes or an operand that is absent; the evaluator has all.
EVALUATED = {
    "gqa_both_ways", "gqa_known", "rotary_of_heads", "rotary_from", "embedding_alone", "rms", "attention_sizes", "multi_head_joined",
    "multi_head_cross", "multi_head_pairs", "qlinear_mul", "qlinear_leaky", "qlinear_softmax_rows", "qlinear_global",
    "qlinear_global_last", "qlinear_average", "to_float_plain", "dynamic_plain", "qgemm_float", "fused_conv", "fused_conv_clip",
    "nhwc_conv", "fused_matmul_activation", "transpose_matmul", "bias_add", "bias_softmax_planes", "group_norm",
    "skip_group_norm_last"}


def check_evaluator(name, case):
    evaluation = Evaluation(case.model, fixed_shapes(case.model, {}), {}, case.inputs)
    found = [value.array for _, value in evaluation.graph.outputs]
    expected = [y for y in case.expected if y is not None]
    expect(len(found) == len(expected) and all(
        a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=1e-5, atol=1e-5)
        for a, b in zip(found, expected)), f"{name}: the evaluator agrees with the definition of the operator")


def main():
    parser = options(__doc__)
    parser.add_argument("--only", default="", help="a regular expression of names")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, names = Path(made), []
        for name, case in {**attention_cases(), **quantized_cases()}.items():
            if not re.search(given.only, name):
                continue
            check_evaluator(name, case)
            complete, text = import_model(case.model, f"net_{name}", folder, samples=case.inputs)
            expect(complete, text)
            if complete and name not in EVALUATED:
                names.append(f"net_{name}")
        compile_and_run(names, folder, given.compiler, given.flags)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
