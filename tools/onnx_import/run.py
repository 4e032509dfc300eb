# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
from .cpp import FUNCTIONS, KEYWORDS
from .emit import report, write_all
from .errors import ModelError
from .evaluate import Evaluation
from .load import check_model, fixed_shapes
from .translation import Translation


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True,
                 embed=False):
    """Writes the files. Returns whether all operators are covered, and the report."""
    if name in KEYWORDS or name in FUNCTIONS:
        raise ModelError(f"--name {name}: this name has a meaning of its own; choose another one")
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
    try:
        paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.", embed)
    except OSError as failure:
        raise ModelError(f"{folder}: cannot write: {failure.strerror}") from None
    return not translation.problems, report(name, graph, translation, translation.problems, notes, paths)
