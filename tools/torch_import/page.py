# SPDX-License-Identifier: BSL-1.0
"""The tables of covered modules and functions in docs/import_torch.md: `python3 -m torch_import.page ../docs/import_torch.md` in tools/
replaces them."""
import sys
from pathlib import Path

BEGIN, END = "<!-- modules: begin -->\n", "<!-- modules: end -->\n"


def covered_rows():
    """One row for each type of ashlar, and one with all functions."""
    from .functions import TABLE as functions
    from .modules import TABLE as modules
    groups = {}
    for type_, entry in modules.items():
        groups.setdefault(entry.uses, []).append(f"`{type_.__name__}`")
    rows = [f"| {' '.join(names)} | {uses} |\n" for uses, names in groups.items()]
    names = sorted(name for name in functions if not name.endswith("_") and name[0] != "_" and "." not in name)
    return rows + [f"| functions, methods and operators | {' '.join(f'`{name}`' for name in names)} |\n"]


def main():
    path = Path(sys.argv[1])
    before, rest = path.read_text().split(BEGIN)
    behind = rest.split(END)[1]
    path.write_text(before + BEGIN + "| modules | in ashlar |\n|---|---|\n" + "".join(covered_rows()) + END + behind)


if __name__ == "__main__":
    main()
