# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
import numpy as np

from .capacity import Capacity
from .cpp import check_name
from .emit import write_all
from .errors import ModelError
from .evaluate import Evaluation
from .growing import may_grow, split_off_growing
from .lengths import sample_lengths
from .load import check_model, fixed_shapes
from .narrow import Weights
from .narrow_errors import distances
from .report import report
from .states import candidates, kept_pairs, split_off, zeros_of
from .translation import Translation


def evaluated(model, shapes, constants, samples, pairs, notes, capacity):
    """The evaluation of a call, with its states apart, and of a second one if there are states that do not grow."""
    if capacity:
        growing = [pair for pair in pairs if pair.before in capacity.growing]
        notes += [f"{pair.before} -> {pair.after} is no state: with --capacity only growing ones are"
                  for pair in pairs if pair not in growing]
        evaluation = Evaluation(model, shapes, constants, samples, capacity)
        if not evaluation.problems:
            split_off_growing(evaluation.graph, growing, notes)
        return evaluation
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


def longer_axes(texts, name):
    """By how much other axes are longer than the one that has a capacity; `texts` are those of --shape, by axis."""
    for axis, text in texts.items():
        if text.partition("+")[0].strip() != name:
            raise ModelError(f"--shape {axis}={text}: the axis with a capacity is {name}")
    return {axis: int(text.partition("+")[2]) for axis, text in texts.items()}


def check_together(capacity, states, weights):
    """Refuses options that are not right together."""
    whole = [name for name in states if capacity and name not in capacity.growing]
    if whole:
        raise ModelError(f"--capacity {capacity.name} with --state {whole[0]}: a state without this axis is whole after each "
                         f"call, whatever the number of {capacity.name}; use --shape {capacity.name}={capacity.most}")
    if capacity and weights != "float":
        raise ModelError(f"--capacity {capacity.name} with --weights {weights}: the errors of narrow weights are known for one "
                         f"length only; use --shape {capacity.name}={capacity.most}, or --weights float")


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True, states=None,
                 automatic=False, weights="float", embed=False, expected=None,
                 capacity=None, plan=False):
    """Writes the files. Returns whether all operators are covered, and the report.

    `states` are names of outputs by those of inputs that they replace; with `automatic` also those that names tell.
    `weights` is an option of narrow.KINDS. With `embed` there is a header with the weights too,
    with `plan` a program that prints the plans.
    `expected` are arrays for the outputs, which the test compares with instead of those that NumPy computes.
    `capacity` is (axis, most, least): an axis whose extent the call takes.
    """
    check_name(name)
    notes, shapes, constants, samples, states = [], shapes or {}, constants or {}, samples or {}, states or {}
    if check:
        check_model(model, notes)
    pairs = candidates(model, states, automatic, {*constants, *samples})
    others = {axis: extent for axis, extent in shapes.items() if isinstance(extent, str)}
    shapes = {axis: extent for axis, extent in shapes.items() if axis not in others}
    if capacity:
        capacity = Capacity(*capacity, others=longer_axes(others, capacity[0]),
                            growing=[pair.before for pair in may_grow(model, pairs, capacity[0])])
    elif others:
        raise ModelError("--shape " + next(f"{a}={e}: {e} follows from an axis, which needs --capacity" for a, e in others.items()))
    check_together(capacity, states, weights)
    try:
        def shapes_of(length):
            return fixed_shapes(model, {**shapes, **(capacity.named_extents(model, length) if capacity else {})}, constants,
                                capacity.growing if capacity else ())

        evaluation = evaluated(model, shapes_of(capacity.most if capacity else 0), constants, samples, pairs, notes, capacity)
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
    translation = Translation(graph, name, Weights(weights, graph))
    if expected is not None:
        replace_outputs(translation, expected)
    if translation.weights.nodes:
        translation.distances = distances(graph, translation.weights)
    lengths = sample_lengths(model, translation, shapes_of, constants) if capacity else ()
    paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.", embed, lengths, plan)
    return not translation.problems, report(name, translation, notes, paths)
