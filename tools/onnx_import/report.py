# SPDX-License-Identifier: BSL-1.0
"""What an import made, as text."""
from .emit_test import compared
from .narrow import FLOAT, MOST_ERROR
from .narrow_errors import LEAST_TOLERANCE
from .rounding import tolerance


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
    lines.append("the whole program, as NumPy computes it with these weights, compared with floats:")
    for prefix in ("", "again.") if t.states else ("",):
        lines += [f"  {c.stored}: cosine {c.distance.cosine:.6f}, largest error {c.distance.largest:.2g}; the test accepts "
                  f"{c.distance.tolerance:g}" for c in compared(t, prefix)]
    return lines


def denormals_report(t):
    return [f"  {t.weights.denormals} denormal entries of weights are 0 in the file, since arithmetic with them is slow"] if t.weights.denormals else []


def wide_products_report(t):
    """Products of quantized matrices that are not products of bytes."""
    return [f"  {node.name} ({node.title}) multiplies 32-bit integers: {reason}" for node, reason in t.wide_products]


def rounding_report(t):
    """Outputs and states whose floats have larger errors than the test accepts otherwise."""
    return [f"  {c.stored}: floats differ from doubles by {c.rounding:.2g} in NumPy; the test accepts {tolerance(c.rounding):g}"
            for prefix in (("", "again.") if t.states else ("",)) for c in compared(t, prefix) if tolerance(c.rounding) > LEAST_TOLERANCE]


def summary(name, what, program, notes, paths):
    """The lines of a report about what was written."""
    weights = sum(a.nbytes for m in program.members for a in m.arrays.values())
    arrays = sum(len(m.arrays) for m in program.members)
    lines = [f"{name}: {what}, {arrays} arrays of weights ({weights} bytes), "
             f"{len(program.buffers()) + len(program.nested)} buffers ({program.buffer_bytes()} bytes)"]
    lines += [f"  input  {text} {list(v.shape)} {v.dtype}" for text, v in program.inputs]
    lines += [f"  state  {member} {list(v.shape)} {v.dtype}" for member, v in program.states]
    lines += [f"  output {text} {list(v.shape)} {v.dtype}" for text, _, v in program.outputs]
    return lines + notes + [f"wrote {path}" for path in paths]


def report(name, translation, notes, paths):
    """What was made of a graph, as text."""
    notes = weights_report(translation) + denormals_report(translation) + wide_products_report(translation) + rounding_report(translation) + notes
    lines = summary(name, f"{len(translation.graph.nodes)} operators", translation, notes, paths)
    if translation.problems:
        lines.append(f"{len(translation.problems)} operators are not covered:")
        lines += [f"  {node.name} ({node.title}): {reason}" for node, reason in translation.problems]
    return "\n".join(lines)
