# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
import numpy as np

from .cpp import check_name
from .emit import report, write_all
from .errors import ModelError
from .evaluate import Evaluation
from .load import check_model, fixed_shapes
from .translation import Translation


def replace_outputs(translation, expected):
    """Other reference values, which must be near those of NumPy."""
    if len(expected) != len(translation.outputs):
        raise ModelError(f"the graph has {len(translation.outputs)} outputs, the module {len(expected)}")
    for (_, name, value), array in zip(translation.outputs, expected):
        if value.shape != array.shape or value.dtype != array.dtype or not np.allclose(value.array, array, 1e-4, 1e-4,
                                                                                       equal_nan=True):
            raise ModelError(f"output {name}: the graph gives other numbers than the module")
        value.array = array


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True, expected=None):
    """Writes the files. Returns whether all operators are covered, and the report.

    `expected` are arrays for the outputs, which the test compares with instead of those that NumPy computes.
    """
    check_name(name)
    notes = []
    if check:
        check_model(model, notes)
    try:
        evaluation = Evaluation(model, fixed_shapes(model, shapes or {}, constants or {}), constants or {}, samples or {})
    except RecursionError:
        raise ModelError("graphs or functions inside each other are nested too deeply") from None
    except MemoryError as failure:
        raise ModelError(f"its values do not fit into memory: {failure}") from None
    graph = evaluation.graph
    if evaluation.problems:
        lines = [f"{name}: {len(evaluation.problems)} operators are not covered. "
                 "Nothing is written, because the shapes behind them are unknown:"]
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in evaluation.problems]
        return False, "\n".join(notes + lines)
    graph.remove_dead_nodes()
    translation = Translation(graph, name)
    if expected is not None:
        replace_outputs(translation, expected)
    paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.")
    return not translation.problems, report(name, graph, translation, translation.problems, notes, paths)
