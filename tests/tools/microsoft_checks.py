# SPDX-License-Identifier: BSL-1.0
"""Compares the importer's evaluator with the references of microsoft_cases.py."""
import numpy as np
from onnx_import.evaluate import Evaluation
from onnx_import.load import fixed_shapes


def evaluated(case):
    """The outputs that the importer's evaluator computes, in the order of the graph."""
    evaluation = Evaluation(case.model, fixed_shapes(case.model, {}), {}, case.inputs)
    assert not evaluation.problems, evaluation.problems
    return [value.array for _, value in evaluation.graph.outputs]


def check_cases(cases, expect):
    for name, case in cases.items():
        expected = [y for y in case.expected if y is not None]
        found = evaluated(case)
        good = all(a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=1e-5, atol=1e-5)
                   for a, b in zip(found, expected))
        expect(good, f"{name}: the evaluator agrees with the definition of the operator")
