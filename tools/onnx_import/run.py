# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
import numpy as np

from .cpp import check_name
from .emit import write_all
from .errors import ModelError
from .evaluate import Evaluation
from .load import check_model, fixed_shapes
from .narrow import Weights
from .narrow_errors import distances
from .report import report
from .states import candidates, kept_pairs, split_off, zeros_of
from .translation import Translation


def evaluated(model, shapes, constants, samples, states, automatic, notes):
    """The evaluation of a call, with its states apart, and of a second one if there are states."""
    pairs = candidates(model, states, automatic, {*constants, *samples})
    evaluation = Evaluation(model, shapes, constants, {**samples, **zeros_of(pairs, model, shapes)})
    graph = evaluation.graph
    if evaluation.problems or not pairs:
        return evaluation
    kept = kept_pairs(pairs, graph, notes)
    if len(kept) != len(pairs):  # the others get samples that are no zeros
        evaluation = Evaluation(model, shapes, constants, {**samples, **zeros_of(kept, model, shapes)})
        graph = evaluation.graph
    split_off(graph, kept)
    if kept:
        reached = {before.name: after.array for before, after in graph.states}
        second = Evaluation(model, shapes, constants, {**samples, **reached}, seed=2).graph
        split_off(second, kept)
        graph.again = {id(first): value.array for first, value in zip(graph.inputs + graph.results(),
                                                                      second.inputs + second.results())}
    notes += [f"{pair.before} is a state: {pair.after} replaces it" + (" (taken by their names; --state none takes no state)"
                                                                      if pair.by_name else "") for pair in kept]
    return evaluation


def replace_outputs(translation, expected):
    """Other reference values, which must be near those of NumPy."""
    if len(expected) != len(translation.outputs):
        raise ModelError(f"the graph has {len(translation.outputs)} outputs, the module {len(expected)}")
    for (_, name, value), array in zip(translation.outputs, expected):
        if value.shape != array.shape or value.dtype != array.dtype or not np.allclose(value.array, array, 1e-4, 1e-4,
                                                                                       equal_nan=True):
            raise ModelError(f"output {name}: the graph gives other numbers than the module")
        value.array = array


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True, states=None,
                 automatic=False, weights="float", embed=False, expected=None):
    """Writes the files. Returns whether all operators are covered, and the report.

    `states` are names of outputs by those of inputs that they replace; with `automatic` also those that names tell.
    `weights` is an option of narrow.KINDS. With `embed` there is a header with the weights too.
    `expected` are arrays for the outputs, which the test compares with instead of those that NumPy computes.
    """
    check_name(name)
    notes = []
    if check:
        check_model(model, notes)
    try:
        evaluation = evaluated(model, fixed_shapes(model, shapes or {}, constants or {}), constants or {}, samples or {},
                               states or {}, automatic, notes)
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
    translation = Translation(graph, name, Weights(weights, graph))
    if expected is not None:
        replace_outputs(translation, expected)
    if translation.weights.nodes:
        translation.distances = distances(graph, translation.weights)
    paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.", embed)
    return not translation.problems, report(name, translation, notes, paths)
