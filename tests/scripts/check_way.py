#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks "The way of one call" of docs/architecture.md: at most 12 functions to the multiply-add, 12 to the store, and
12 headers; each function is in its file, and a debugger sees these functions and no others. 77 means that the debugger
was missing."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

MOST = 12
# Runs inside gdb: the functions of the library between main and a place, where a result's product passes it. Scores go
# through one more epilogue.
IN_GDB = """
gdb.execute('set pagination off')
gdb.execute('break {place}')
gdb.execute('run')
for stop in range(2000):
    names, frame = [], gdb.newest_frame()
    while frame is not None and frame.name() != 'main':
        names.append(frame.name())
        frame = frame.older()
    if not any(without_arguments(name).endswith('greatest_epilogue::column') for name in names[:3]):
        print(''.join('FRAME ' + name + chr(10) for name in names))
        break
    gdb.execute('continue')
gdb.execute('kill')
"""
PROGRAM = """#include <ashlar/ashlar.hpp>
int main() {
    ashlar::tensor<float, 64, 32> q, k, v, o;
    q = k = v = 0.5f;
    o = attention(q, k, v, ashlar::causal);
}
"""


def rows(page: str) -> list[tuple[str, str, str]]:
    """The rows of the section's tables: to which end, function, file."""
    section = page.split("## The way of one call\n")[1].split("\n## ")[0]
    return re.findall(r"^\| ([a-z-]+) \| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)


def without_arguments(name: str, opening: str = "<({[") -> str:
    """A name without brackets and their contents: template arguments, parameters."""
    out, depth = "", 0
    for c in name.replace("operator()", "operator_call").replace("->", ""):
        depth += c in opening
        if depth == 0:
            out += c
        depth -= c in "".join({"<": ">", "(": ")", "{": "}", "[": "]"}[o] for o in opening)
    return out.replace("operator_call", "operator()").removesuffix(" const").split(" ")[-1]


def functions(frames: list[str]) -> list[str]:
    """A lambda, and a function that is called with it, belong to the function that wrote the lambda."""
    found: list[str] = []
    after_lambda = False
    for frame in frames:
        is_lambda = "{lambda" in without_arguments(frame, "<(") or re.match(r"_Z.*NKUl", frame) is not None
        if not is_lambda and not after_lambda:
            name = without_arguments(frame)
            if name not in found:
                found.append(name)
        after_lambda = is_lambda
    return found


def is_row(name: str, row: str) -> bool:
    """Whether a debugger's name is that of a row: the last parts are the same."""
    return f"::{name}".endswith(f"::{row}") or f"::{name}".endswith(f"::{row}::operator()")


def seen(root: Path, folder: Path, compiler: list[str], gdb: str) -> list[list[str]] | None:
    """The functions on the way to the multiply-add and to the store."""
    places = []
    for path, text in [
        ("kernel/product/product_accumulators.hpp", r"const vec next = fma\("),
        ("eval/stages/product_epilogues.hpp", r"store_lanes<rows_in_lanes"),
    ]:
        lines = (root / "include/ashlar" / path).read_text().splitlines()
        places.append([f"{Path(path).name}:{n}" for n, line in enumerate(lines, 1) if re.search(text, line)])
    source, program, script = folder / "way.cpp", folder / "way", folder / "way_gdb.py"
    source.write_text(PROGRAM)
    flags = ["-std=c++20", "-O0", "-g", "-w", "-DASHLAR_UNOPTIMIZED"]
    subprocess.run([*compiler, *flags, str(source), "-o", str(program)], check=True)
    ways: list[list[str]] = []
    for end in places:
        for place in end:
            script.write_text("import gdb\n" + inspect.getsource(without_arguments) + IN_GDB.format(place=place))
            command = [gdb, "-q", "-nx", "-batch", "-x", str(script), str(program)]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
            if "ptrace" in ran.stdout + ran.stderr:
                return None
            frames = re.findall(r"^FRAME (.*)$", ran.stdout, re.MULTILINE)
            if frames:
                ways.append(functions(frames))
                break
        else:
            raise SystemExit(f"FAILED: gdb did not stop at {end}:\n{ran.stdout[-500:]}{ran.stderr[-500:]}")
    return ways


def main() -> int:
    root, folder, gdb, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    table = rows((root / "docs/architecture.md").read_text())
    failures = []
    headers = {file for _, _, file in table}
    if len(headers) > MOST:
        failures.append(f"{len(headers)} headers")
    ends = ["multiply-add", "store"]
    for end in ends:
        count = sum(end in where or where == "both" for where, _, _ in table)
        if not 0 < count <= MOST:
            failures.append(f"{count} functions to the {end}")
    for _, name, file in table:
        text = (root / "include/ashlar" / file).read_text()
        if not re.search(rf"\b{re.escape(name.split('::')[-1])}(?!\w)", text):
            failures.append(f"{file} has no {name}")
    ways = seen(root, folder, compiler, gdb) if gdb else None
    for end, way in zip(ends, ways or []):
        listed = [name for where, name, _ in table if end in where or where == "both"]
        for name in way:
            if not any(is_row(name, row) for row in listed):
                failures.append(f"on the way to the {end} a debugger sees {name}")
        for row in listed:
            # The expression is built before the assignment begins.
            if row != "attention" and not any(is_row(name, row) for name in way):
                failures.append(f"on the way to the {end} a debugger does not see {row}")
    for failure in failures:
        print(f"FAILED: {failure}")
    if not failures and ways is None:
        print("skipped: no gdb that may start programs; the table alone is right")
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
