#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports models with an axis of open extent. Each runs at several lengths, with NaN behind the length of its inputs.

    tests/tools/import_capacity_test.py --compiler g++ -- -Iinclude -mavx2

Exits with 77 (skipped) if the Python packages onnx and NumPy are missing.
"""
import sys
import tempfile
from pathlib import Path

from tool_checks import called, expect, expect_refusal, finished, options, skip_without

skip_without("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import capacity_graphs as graphs  # noqa: E402
import import_onnx  # noqa: E402
from capacity_merged import merged_output  # noqa: E402
from capacity_mutants import check_mutants  # noqa: E402
from imported_plan import check_plan  # noqa: E402
from imported_program import compile_and_run, embedded  # noqa: E402
from onnx_import.capacity import Capacity  # noqa: E402
from onnx_import.counts import Count, OpenAxis, points_of  # noqa: E402
from onnx_import.run import import_model  # noqa: E402


def check_counts():
    """Counts that stay simple are written, others are not."""
    lengths, axis, other = np.arange(1, 20), OpenAxis("n", 19), OpenAxis("m", 5, 3)
    for numbers, text in ((lengths, "n"), (lengths + 2, "n + 2"), (3 * lengths - 1, "3 * n - 1"), (lengths**2, None),
                          ((lengths + 1) // 2, "(n + 1) / 2"), (lengths // 4 + 1, "n / 4 + 1"), (np.minimum(lengths, 8), None),
                          ((lengths + 3) // 15, "(n + 10) / 11 - 1"), ((lengths + 5) // 10 + lengths // 19, None)):
        expect(Count(axis, numbers).text("n") == text, f"the count {list(numbers)} is {Count(axis, numbers).text('n')}, not {text}")
    hops = OpenAxis("n", 4000, 512)
    expect(Count(hops, [(n - 512) // 160 + 1 for n in hops.lengths]).text("n") == "(n + 128) / 160 - 3", "a long stride")
    count = Count(other, [4, 5, 6])
    expect(count.text("m") == "m + 1" and count.at({other: 5}) == 6, "a count from length 3 on")
    expect(count != Count(OpenAxis("n", 5, 3), [4, 5, 6]), "equal counts of different axes are different")
    expect(OpenAxis("n", 20).lengths_to_test() == [20, 11, 1], "lengths to test")
    points = [tuple(point.values()) for point in Capacity([axis, other]).points_to_test()]
    expect(points == [(19, 5), (11, 5), (1, 3), (1, 5), (19, 3)], f"points to test: {points}")
    expect(len(points_of([axis, other])) == 19 * 3, "all combinations of two lengths")


def check_refusals(folder):
    cases = {reason: case if isinstance(case, tuple) else (case, 8) for reason, case in graphs.refused().items()}
    for reason, (model, most) in (cases | graphs.refused_together()).items():
        capacities = most if isinstance(most, list) else [("tokens", most)]
        complete, text = import_model(model, "refused", folder, capacities=capacities, check=False)
        lines = [line for line in text.splitlines() if line.startswith("  mixing (")]
        expect(not complete and len(lines) == 1 and reason in lines[0], f"the report says once that {reason}: {text}")


def check_options(folder):
    path = folder / "encoder.onnx"
    onnx.save(graphs.encoder(), path)
    cases = {"tokens=1": "between 2 and", "tokens=9..9": "the least length between 1 and", "tokens=many": "give a number",
             "rows=8": "--capacity rows: no input has an axis", "tokens=8 --shape tokens=8": "give one of the two",
             "tokens=8 --shape rows=tokens+1": "--shape rows: no input has an axis", "tokens=8 --name state": "--name state", "tokens=8 --capacity tokens=3": "tokens: it is given twice",
             "tokens=8 --state words=hidden": "--capacity tokens with --state words",
             "tokens=8 --weights bf16": "--capacity tokens with --weights bf16"}
    for options, reason in cases.items():
        expect_refusal(options, import_onnx.main, [path, "--out", folder / "out", *f"--capacity {options}".split()], folder / "out",
                       reason)
    merged = folder / "merged.onnx"
    onnx.save(merged_output(), merged)
    expect_refusal("an output of merged axes", import_onnx.main, [merged, "--out", folder / "out", "--capacity", "tokens=5"],
                   folder / "out", "output y: axes tokens: a Reshape merged it with an axis before it")
    status, text, _ = called(import_onnx.main, path, "--out", folder / "out", "--capacity", "tokens=99")
    expect(status == 1 and "use --capacity tokens=24" in text, f"a capacity that is too great: status {status}, {text}")
    expect(not (folder / "out").exists(), "a capacity that is too great: nothing is written")


def check_embedded(folder):
    """The weights in the program, with a table that has an entry for each length."""
    path = folder / "embedded.onnx"
    onnx.save(graphs.unpadded(), path)
    status, text, _ = called(import_onnx.main, path, "--out", folder, "--capacity", "tokens=5..9", "--name", "embedded", "--embed")
    expect(status == 0 and "_of_tokens{};" in (folder / "embedded.hpp").read_text(), f"--embed with --capacity: {text}")
    return "embedded"


def check_states(folder):
    """An input that its name makes a state elsewhere stays an input; the report says so."""
    path = folder / "stateful.onnx"
    onnx.save(graphs.with_state(), path)
    status, text, _ = called(import_onnx.main, path, "--out", folder, "--capacity", "tokens=6", "--name", "stateful")
    expect(status == 0 and "hidden_in -> hidden_out is no state: with --capacity" in text, f"states by names: {text}")
    return "stateful"


def check_growing(folder):
    """Caches whose length is an open axis: one row in a call with a longer axis by its name, three rows by its text, and an
    open batch."""
    path, options = folder / "cached.onnx", ["--out", folder, "--name", "cached"]
    onnx.save(graphs.decoder(1, "total"), path)
    status, text, _ = called(import_onnx.main, path, *options, "--capacity", "past=20", "--shape", "total=past+1", "--plan")
    expect(status == 0 and "each call appends 1 to it, and present.1.value is the result" in text, f"growing states: {text}")
    expect("    kept.length += 1;" in (folder / "cached.hpp").read_text(), "the length grows with each call")
    complete, text = import_model(graphs.decoder(3), "cached_rows", folder, capacities=[("past", 12)], automatic=True)
    expect(complete, text)
    complete, text = import_model(graphs.decoder(2, batch="batch", layers=1), "cached_batches", folder, automatic=True,
                                  capacities=[("batch", 3), ("past", 9)])
    expect(complete, text)

    model = graphs.decoder()
    model.graph.node.add(op_type="Neg", input=["past_key_values.0.key"], output=["other"], name="other")
    model.graph.output.append(model.graph.output[1])
    model.graph.output[-1].name = "other"
    model.graph.output[-1].type.CopyFrom(model.graph.input[2].type)
    read = folder / "read.onnx"
    onnx.save(model, read)
    out = folder / "refused"
    for model, given, reason in ((read, "--capacity past=8", "may read past_key_values.0.key"),
                                 (path, "--capacity past=1..8 --shape total=past+1", "which begins with no entries"),
                                 (path, "--capacity past=8 --shape total=tokens+1", "those with one are: past"),
                                 (path, "--shape total=past+1 --shape past=8", "which needs a --capacity"),
                                 (path, "--capacity past=8 --shape total=past+x", "as in total=past+1")):
        expect_refusal(given, import_onnx.main, [model, "--out", out, *given.split()], out, reason)
    return ["cached", "cached_batches"]


def check_together(folder):
    """Several open axes, two of them by the command, with steps that compute no row of other entries of the batch."""
    names, shapes = [], {"pictures": {"width": (7,)}, "picture": {"pictures": (1,)}}
    kept = np.tri(2, 12, 4, dtype=np.int32)  # no sentence without words: ONNX Runtime then takes all of them
    for name, (model, capacities) in graphs.accepted_together().items():
        complete, text = import_model(model, f"open_{name}", folder, shapes.get(name), capacities=capacities,
                                      samples={"kept": kept} if name == "fused_batches" else None)
        expect(complete, text)
        names += [f"open_{name}"] if complete and name not in ("crossed", "picture") else []  # below, and that of "pictures"
    header = (folder / "open_batches.hpp").read_text()
    expect("where(index<0>(zeros<std::int32_t, 3>()) < batch_end, tokens_end, 0)" in header, "entries behind the batch have no rows")
    path = folder / "crossed.onnx"
    onnx.save(graphs.crossed(), path)
    status, text, _ = called(import_onnx.main, path, "--out", folder, "--name", "crossed", "--shape", "batch=1",
                             "--capacity", "targets=2..5", "--capacity", "sources=6")
    expect(status == 0 and "std::size_t targets, std::size_t sources, scratch" in (folder / "crossed.hpp").read_text().replace(
        "\n" + " " * 20, " "), f"two capacities by the command: {text}")
    return names + ["crossed"]


def main():
    given = options(__doc__).parse_args()
    check_counts()
    check_mutants()
    with tempfile.TemporaryDirectory() as made:
        folder, names = Path(made), []
        check_refusals(folder)
        check_options(folder)
        names += [check_embedded(folder), check_states(folder), *check_growing(folder)]
        for name, (model, *extents) in graphs.accepted().items():
            complete, text = import_model(model, f"open_{name}", folder, capacities=[("tokens", *extents)])
            expect(complete, text)
            # The program has these with a batch, with pictures, or embedded.
            if complete and name not in ("encoder", "fused_encoder", "kernel", "convolutions"):
                names.append(f"open_{name}")
        check_plan("cached", folder, given.compiler, given.flags, unnamed=1)
        names += check_together(folder)
        compile_and_run(names, folder, given.compiler, given.flags, checks={"embedded": embedded("embedded")})
    return finished()


if __name__ == "__main__":
    sys.exit(main())
