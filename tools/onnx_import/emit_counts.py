# SPDX-License-Identifier: BSL-1.0
"""The test of a model with capacities: it runs at several lengths, with what must not be read after each."""
import numpy as np

from .emit_test import agreement, call_of, load_of


def counts(value, point):
    """A function of C++ that tells whether an entry lies below the counts along all open axes; empty if all do."""
    terms = []
    for axis, count in sorted(value.axes.items()):
        behind = int(np.prod(value.shape[axis + 1:], dtype=np.int64))
        place = "i" if behind == 1 else f"i / {behind}"
        terms.append(f"{place} % {value.shape[axis]} < {count.at(point)}")
    return f"[](std::size_t i) {{ return {' && '.join(terms)}; }}" if terms else ""


def checks_of(name, t, samples):
    """The lines of the test: for each point they load the sample, run the model and compare."""
    lines = []
    for sample in samples:
        n, point = sample.title, sample.point
        named = [f'io::named("input{n}.{text}", in_{text})' for text, _ in t.inputs]
        named += [f'io::named("output{n}.{text}", expected_{text})' for text, _, _ in t.outputs]
        named += [f'io::named("output{n}.{text}", expected_state_{text})' for text, _ in t.growing]
        if not sample.goes_on:
            named += [f'io::named("input{n}.{text}", kept.{text})' for text, _ in t.growing]
        call = "run()" if point == t.open.capacity.most else call_of(t, point=point)
        if t.growing and not sample.goes_on and point != t.open.capacity.most:
            call = f"kept.length = {point[t.open.capacity.growing_axis]};\n    {call}"
        lines += [load_of(name, named, ", {.ignore_unexpected = true}"), f"    {call};\n"]
        compared = [(f"{text} at {n}", f"out_{text}", f"expected_{text}", v) for text, _, v in t.outputs]
        compared += [(f"{text} after {n}", f"kept.{text}", f"expected_state_{text}", s.after) for text, s in t.growing]
        lines += [agreement(*names, v, t.rounding[0].get(id(v), 0.0), counts(v, point)) for *names, v in compared]
    return "".join(lines)
