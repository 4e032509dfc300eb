# SPDX-License-Identifier: BSL-1.0
"""The table of covered operators in docs/import.md: `python3 -m onnx_import.page ../docs/import.md` in tools/ replaces it."""
import sys
from pathlib import Path

BEGIN, END = "<!-- operators: begin -->\n", "<!-- operators: end -->\n"


def covered_rows(table):
    """One row for each way to translate: operators, and what they become."""
    groups = {}
    for title, entry in sorted(table.items()):
        groups.setdefault(entry.uses, []).append(f"`{title}`")
    return [f"| {' '.join(titles)} | {uses} |\n" for uses, titles in sorted(groups.items(), key=lambda pair: pair[1])]


def main():
    from .operators import TABLE
    path = Path(sys.argv[1])
    before, rest = path.read_text().split(BEGIN)
    behind = rest.split(END)[1]
    rows = "| operators | in ashlar |\n|---|---|\n" + "".join(covered_rows(TABLE))
    path.write_text(before + BEGIN + rows + END + behind)


if __name__ == "__main__":
    main()
