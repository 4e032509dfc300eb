# SPDX-License-Identifier: BSL-1.0
"""From a model in memory to files: what the command line and the tests call."""
import numpy as np

from .capacity import Capacity
from .channels_last import store_channels_last
from .counts import OpenAxis
from .cpp import check_name
from .emit import write_all
from .errors import ModelError
from .evaluate import Evaluation
from .framing import store_padded
from .growing import may_grow, split_off_growing
from .lengths import sample_lengths
from .load import check_model, fixed_shapes
from .narrow import Weights
from .narrow_errors import difference_of_calls
from .report import report
from .rounding import rounding_errors
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


def measure(translation):
    """Notes the errors that the test accepts: of narrow weights, or of floats."""
    if translation.weights.nodes:
        translation.distances = difference_of_calls(translation.graph, translation.weights.computed)
    else:
        translation.rounding = rounding_errors(translation.graph)


def replace_outputs(translation, expected):
    """Other reference values, which must be near those of NumPy."""
    if len(expected) != len(translation.outputs):
        raise ModelError(f"the graph has {len(translation.outputs)} outputs, the module {len(expected)}")
    for (_, name, value), array in zip(translation.outputs, expected):
        if value.shape != array.shape or value.dtype != array.dtype or not np.allclose(value.array, array, 1e-4, 1e-4,
                                                                                       equal_nan=True):
            raise ModelError(f"output {name}: the graph gives other numbers than the module")
        value.array = array


def longer_axes(model, capacities, shapes):
    """Of axes that --shape makes longer than one with a capacity: that one's name, and by how much.

    `shapes` are the values of --shape: a text for such an axis. Refuses axes that no input has, and those with two extents."""
    known = {d.dim_param: None for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
    names, longer = [name for name, *_ in capacities], {}

    def check_known(option, name):
        if name not in known:
            raise ModelError(f"{option} {name}: no input has an axis of this name; those with a name are: {', '.join(known) or 'none'}")

    for name in names:
        check_known("--capacity", name)
        if name in shapes:
            raise ModelError(f"--shape {name}: this axis has a capacity; give one of the two")
    for axis, text in shapes.items():
        if not isinstance(text, str):
            continue
        check_known("--shape", axis)
        name, _, more = text.partition("+")
        longer[axis] = name.strip(), int(more)
        if longer[axis][0] not in names:
            raise ModelError(f"--shape {axis}={text}: {longer[axis][0]} is an axis, which needs a --capacity; "
                             f"those with one are: {', '.join(names) or 'none'}")
    return longer


def open_axes(model, capacities, longer, pairs):
    """The axes of --capacity, or None."""
    axes = [OpenAxis(name, most, least, frozenset(pair.before for pair in may_grow(model, pairs, name)))
            for name, most, least in ((*given, None)[:3] for given in capacities)]
    return Capacity(axes, longer) if axes else None


def check_together(capacity, states, weights):
    """Refuses options that are not right together."""
    if not capacity:
        return
    names, axis = " ".join(a.name for a in capacity.axes), capacity.axes[0]
    whole = [name for name in states if name not in capacity.growing]
    if whole:
        raise ModelError(f"--capacity {names} with --state {whole[0]}: only a state that grows along an open axis can be one; "
                         f"use --shape {axis.name}={axis.most}")
    if weights != "float":
        raise ModelError(f"--capacity {names} with --weights {weights}: the errors of narrow weights are known for one "
                         f"length only; use --shape {axis.name}={axis.most}, or --weights float")


def translated(graph, name, weights, expected=None):
    """The translation of a graph of static shapes or with a capacity; `expected` are other references of its outputs."""
    if not graph.capacity:
        store_channels_last(graph)
        store_padded(graph)
    graph.remove_dead_nodes()
    translation = Translation(graph, name, Weights(weights, graph))
    if expected is not None:
        replace_outputs(translation, expected)
    measure(translation)
    return translation


def import_model(model, name, folder, shapes=None, constants=None, samples=None, origin="", check=True, states=None,
                 automatic=False, weights="float", embed=False, expected=None, capacities=(), plan=False):
    """Writes the files. Returns whether all operators are covered, and the report.

    `states` are names of outputs by those of inputs that they replace; with `automatic` also those that names tell.
    `weights` is an option of narrow.KINDS. With `embed` there is a header with the weights too,
    with `plan` a program that prints the plans.
    `expected` are arrays for the outputs, which the test compares with instead of those that NumPy computes.
    `capacities` are pairs of an axis whose extent the call takes and its most entries; a third element is the least number.
    """
    check_name(name)
    notes, shapes, constants, samples, states = [], shapes or {}, constants or {}, samples or {}, states or {}
    if check:
        check_model(model, notes)
    pairs = candidates(model, states, automatic, {*constants, *samples})
    longer = longer_axes(model, capacities, shapes)
    shapes = {axis: extent for axis, extent in shapes.items() if axis not in longer}
    capacity = open_axes(model, capacities, longer, pairs)
    check_together(capacity, states, weights)
    try:
        def shapes_of(point):
            return fixed_shapes(model, {**shapes, **(capacity.named_extents(model, point) if capacity else {})}, constants,
                                capacity.growing if capacity else ())

        evaluation = evaluated(model, shapes_of(capacity.most if capacity else None), constants, samples, pairs, notes, capacity)
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
    translation = translated(graph, name, weights, expected)
    lengths = sample_lengths(model, translation, shapes_of, constants) if capacity else ()
    paths = write_all(folder, name, translation, origin or f"Imported from the ONNX graph {model.graph.name}.", embed, lengths, plan)
    return not translation.problems, report(name, translation, notes, paths)
