# SPDX-License-Identifier: BSL-1.0
"""What an import made, as text."""
from .emit_test import compared
from .narrow import FLOAT, MOST_ERROR


def weights_report(t):
    """The type of each matrix with the error of its layer, and the errors of the whole program."""
    weights = t.weights
    if weights.option == "float":
        return []
    bounds = f": the fewest bytes with an error of at most {MOST_ERROR:.0%}" if weights.option == "auto" else ""
    lines = [f"weights {weights.option}{bounds}; errors are those of each layer's result with its sample inputs, root mean square"]
    for choice in weights.choices.values():
        error = f", error {choice.error:.2%}" if choice.kind is not FLOAT else ""
        refused = "".join(f"; {kind.name} has {error:.2%}" for kind, error in choice.refused.items())
        lines.append(f"  {choice.name}: {choice.kind.name}, {choice.bytes} bytes{error}{refused}")
    if not weights.nodes:
        return lines + ["  no weight is narrow"]
    lines.append("the whole program, as NumPy computes it with these weights, beside floats:")
    for prefix in ("", "again.") if t.states else ("",):
        lines += [f"  {c.stored}: cosine {c.distance.cosine:.6f}, largest error {c.distance.largest:.2g}; the test accepts "
                  f"{c.distance.tolerance:g}" for c in compared(t, prefix)]
    return lines


def report(name, graph, translation, problems, notes, paths):
    """What was made, as text."""
    t = translation
    buffers = t.buffers()
    size = sum(line.array.dtype.itemsize * line.array.size for line in buffers)
    weights = sum(a.nbytes for m in t.members for a in m.arrays.values())
    arrays = sum(len(m.arrays) for m in t.members)
    lines = [f"{name}: {len(graph.nodes)} operators, {arrays} arrays of weights ({weights} bytes), "
             f"{len(buffers)} buffers ({size} bytes)"]
    lines += [f"  input  {text} {list(v.shape)} {v.dtype}" for text, v in t.inputs]
    lines += [f"  state  {member} {list(v.shape)} {v.dtype}" for member, v in t.states]
    lines += [f"  output {text} {list(v.shape)} {v.dtype}" for text, _, v in t.outputs]
    lines += weights_report(t) + notes + [f"wrote {path}" for path in paths]
    if problems:
        lines.append(f"{len(problems)} operators are not covered:")
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in problems]
    return "\n".join(lines)
