# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
from .capacity import Capacity
from .cpp import FUNCTIONS, KEYWORDS
from .emit import report, write_all
from .emit_counts import sample_lengths
from .errors import ModelError
from .evaluate import Evaluation
from .load import check_model, fixed_shapes
from .translation import Translation


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True,
                 capacity=None):
    """Writes the files. Returns whether all operators are covered, and the report. `capacity` is (axis, most, least)."""
    if name in KEYWORDS or name in FUNCTIONS:
        raise ModelError(f"--name {name}: this name has a meaning of its own; choose another one")
    notes = []
    if check:
        check_model(model, notes)
    try:
        capacity = Capacity(*capacity) if capacity else None

        def shapes_of(length):
            return fixed_shapes(model, {**(shapes or {}), **({capacity.name: (length,)} if capacity else {})}, constants or {})

        evaluation = Evaluation(model, shapes_of(capacity.most if capacity else 0), constants or {}, samples or {}, capacity)
    except RecursionError:
        raise ModelError("graphs or functions inside each other are nested too deeply") from None
    except MemoryError as failure:
        raise ModelError(f"its values do not fit into memory: {failure}") from None
    graph = evaluation.graph
    if evaluation.problems:
        lines = [f"{name}: {len(evaluation.problems)} operators are not covered. "
                 "Nothing is written, because what follows them is unknown:"]
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in evaluation.problems]
        return False, "\n".join(notes + lines)
    graph.remove_dead_nodes()
    translation = Translation(graph, name)
    try:
        counts = sample_lengths(model, translation, shapes_of, constants or {}) if capacity else ()
        paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.", counts)
    except OSError as failure:
        raise ModelError(f"{folder}: cannot write: {failure.strerror}") from None
    return not translation.problems, report(name, graph, translation, translation.problems, notes, paths)
