#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Looks for the figures of docs/comparison.md in the tables of docs/performance.md: the row of the case and the library's column."""

import argparse
import re
import sys
from pathlib import Path


def cells(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def figures(text: str) -> dict[tuple[str, str], set[str]]:
    """The values of all tables by the first cell of the row and the heading of the column, in small letters."""
    found: dict[tuple[str, str], set[str]] = {}
    heading: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("|"):
            heading = []
        elif not heading:
            heading = cells(line)
        else:
            row = cells(line)
            for name, value in zip(heading[1:], row[1:]):
                found.setdefault((row[0], name.lower()), set()).add(value)
    return found


def problems_of(comparison: str, performance: str) -> list[str]:
    known = figures(performance)
    problems, count = [], 0
    for (case, column), values in figures(comparison).items():
        if not column.endswith(" / ashlar"):
            continue
        count += 1
        library = column.removesuffix(" / ashlar")
        measured = known.get((case, library), set()) | known.get((case, column), set())
        if not values <= measured:
            problems.append(f"{case}: {library} has {', '.join(sorted(values))}, measured is {', '.join(sorted(measured)) or 'nothing'}")
    if count == 0:
        problems.append("there are no figures")
    outside = [line for line in comparison.split("\n") if re.search(r"\d×", line) and not re.match(r"\| `.*` \| \d+\.\d+× \|$", line)]
    return problems + [f"a figure outside of the tables: {line}" for line in outside]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    docs = parser.parse_args().root / "docs"
    problems = problems_of((docs / "comparison.md").read_text(encoding="utf-8"), (docs / "performance.md").read_text(encoding="utf-8"))
    print("\n".join(problems))
    if problems:
        print(f"FAILED: {len(problems)} figures")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
