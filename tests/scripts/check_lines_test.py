#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Breaks a small tree in each way that check_lines.py must find."""

import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).with_name("check_lines.py")
HEADER = '// one sentence\n\nint a; /* two\n lines */\nconst char* b = "// no comment";\n' + "int c;\n" * 98
PAGE = """**What the lines buy.** The 2 headers have 200 lines of code. The tests have 100 lines of C++.

| part | then | now | without it |
|---|---:|---:|---|
| `expr/nodes*` | 90 | 100 | shapes |
| `expr` | 0 | 100 | the rest |

More.
"""


def check(page: str, headers: dict[str, str], *options: str) -> tuple[int, str, str]:
    """The status, what the script prints, and the page after it."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        files = {"docs/decisions.md": page, "tests/a.cpp": HEADER, "tests/a.py": HEADER}
        for path, text in {**files, **{f"include/ashlar/{h}": t for h, t in headers.items()}}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        ran = subprocess.run([sys.executable, str(CHECK), name, *options], capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr, (root / "docs/decisions.md").read_text()


def main() -> int:
    two = {"expr/nodes/a.hpp": HEADER, "expr/b.hpp": HEADER}
    broken = [
        ("", PAGE, two),
        ("`expr`: the page says 100 lines, the headers have 150", PAGE, {**two, "expr/b.hpp": HEADER + "int d;\n" * 50}),
        ("the page says 200 lines in all, the headers have 210", PAGE, {**two, "expr/b.hpp": HEADER + "int d;\n" * 10}),
        ("the rows add up to 220", PAGE.replace("| 100 |", "| 110 |"), two),
        ("no row has nn/c.hpp", PAGE, {**two, "nn/c.hpp": "\n"}),
        ("no header is in expr/nodes*", PAGE, {"expr/b.hpp": HEADER * 2}),
        ("the page says 200 lines of tests, there are 100", PAGE.replace("have 100", "have 200"), two),
        ("no sentence of the form", PAGE.replace("The 2 headers have", "There are"), two),
    ]
    failures = []
    for expected, page, headers in broken:
        status, printed, _ = check(page, headers)
        if (status == 0) != (expected == "") or expected not in printed:
            failures.append(f"expected '{expected}', got status {status}: {printed}")
    _, _, written = check(PAGE, {**two, "expr/b.hpp": HEADER * 2}, "--write")
    if "The 2 headers have 300 lines of code. The tests have 100 lines" not in written or "| `expr` | 0 | 200 | the rest |" not in written:
        failures.append(f"--write wrote {written}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
