# SPDX-License-Identifier: BSL-1.0
"""Growing states: inputs to which each call appends rows, such as caches of keys and values. Their length is the open axis."""
from dataclasses import dataclass

from .errors import ModelError


@dataclass(eq=False)
class Growing:
    """A state: its value before a call, the one after it, and the rows that the call appends along an axis."""

    name: str  # of the output
    before: object
    after: object
    rows: object
    axis: int

    @property
    def count(self):
        """The number of entries that a call appends."""
        return self.rows.shape[self.axis]

    def distance(self):
        """Elements from one entry to the next."""
        size = 1
        for extent in self.after.shape[self.axis + 1:]:
            size *= extent
        return size


def may_grow(model, pairs, axis):
    """The pairs whose output is Concat of the input and something else along the axis."""
    dims = {v.name: [d.dim_param for d in v.type.tensor_type.shape.dim] for v in model.graph.input}
    appended = {}
    for node in model.graph.node:
        if node.op_type == "Concat" and len(node.input) == 2:
            along = next((a.i for a in node.attribute if a.name == "axis"), 0)
            names = dims.get(node.input[0], [])
            if -len(names) <= along < len(names):
                appended[node.input[0], node.output[0]] = names[along]
    return [pair for pair in pairs if appended.get((pair.before, pair.after)) == axis]


def split_off_growing(graph, pairs, notes):
    """Moves the growing states of a graph out of its inputs and outputs. Each is read by the operator that appends to it."""
    inputs, outputs = {v.name: v for v in graph.inputs}, dict(graph.outputs)
    for pair in pairs:
        before, after = inputs.get(pair.before), outputs[pair.after]
        readers = [node for node in graph.nodes if any(v is before for v in node.inputs)]
        if len(readers) != 1 or "append" not in readers[0].open or readers[0].outputs[0] is not after:
            raise ModelError(f"{pair.before} -> {pair.after} is no growing state: nothing but its Concat with new entries may "
                             f"read {pair.before}; --state none leaves it an input")
        state = Growing(pair.after, before, after, readers[0].inputs[1], readers[0].open["append"])
        graph.growing.append(state)
        notes.append(f"{pair.before} is a state: each call appends {state.count} to it, and {pair.after} is the result"
                     + (" (taken by their names; --state none takes no state)" if pair.by_name else ""))
    counts = {state.count for state in graph.growing}
    if len(counts) > 1:
        raise ModelError(f"the growing states grow by {sorted(counts)} in a call: their lengths would differ")
    graph.inputs = [v for v in graph.inputs if all(v.name != pair.before for pair in pairs)]
    graph.outputs = [(name, v) for name, v in graph.outputs if all(name != pair.after for pair in pairs)]
