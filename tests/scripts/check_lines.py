#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Counts the lines of code of headers and tests, and compares them with "What the lines buy" in docs/decisions.md. Comments and
blank lines do not count. --write puts the present counts into the page."""

import argparse
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

PAGE = "docs/decisions.md"
HEADERS = "include/ashlar"
HEADING = "**What the lines buy.**"
TOTAL = r"(The \d+ headers have )([\d,]+) lines of code"
TESTS = r"(The tests have )([\d,]+)( lines of C\+\+)"
SOURCES = {".cpp", ".hpp", ".inc", ".c", ".h"}
ROW = r"^\| (`[^|]+?) \| ([\d,]+) \| ([\d,]+) \|"
# The page may be this far from the truth: in a row, in all.
ROW_TOLERANCE, TOTAL_TOLERANCE = 0.08, 0.02
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)


def lines_of_code(text: str) -> int:
    """The lines that hold more than comments."""

    def without_comment(token: re.Match[str]) -> str:
        return "\n" * token[0].count("\n") if token[0].startswith("/") else token[0]

    return sum(1 for line in TOKEN.sub(without_comment, text).split("\n") if line.strip())


def section_of(page: str) -> tuple[int, int]:
    """Where the paragraph of the lines begins, and where its first table ends."""
    begin = page.index(HEADING)
    return begin, page.index("\n\n", page.index("\n|", begin))


def number(text: str) -> int:
    return int(text.replace(",", ""))


def covers(pattern: str, header: str) -> bool:
    """Whether a path of the table is that of the header, or of a folder above it."""
    return fnmatchcase(header, pattern) or fnmatchcase(header, f"{pattern}/*")


def counts(root: Path, parts: list[str]) -> tuple[dict[str, int], list[str], int]:
    """Lines of each row, what does not fit together, number of headers. The longest path that covers a header owns it."""
    rows = {path: part for part in parts for path in re.findall(r"`([^`]+)`", part)}
    lines = {h.relative_to(root / HEADERS).as_posix(): lines_of_code(h.read_text()) for h in (root / HEADERS).rglob("*.hpp")}
    found, failures = dict.fromkeys(parts, 0), []
    for header in sorted(lines):
        owner = max((path for path in rows if covers(path, header)), key=len, default=None)
        if owner is None:
            failures.append(f"no row has {header}")
        else:
            found[rows[owner]] += lines[header]
    failures += [f"no header is in {path}" for path in rows if not any(covers(path, header) for header in lines)]
    return found, failures, len(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--write", action="store_true", help="put the present counts into the page")
    options = parser.parse_args()
    path = options.root / PAGE
    page = path.read_text()
    begin, end = section_of(page)
    section = page[begin:end]
    stated = {row[1]: number(row[3]) for row in re.finditer(ROW, section, re.MULTILINE)}
    found, failures, headers = counts(options.root, list(stated))
    total = sum(found.values())
    sources = [path for path in (options.root / "tests").rglob("*") if path.suffix in SOURCES]
    tests = sum(lines_of_code(path.read_text(errors="replace")) for path in sources)
    if options.write:
        section = re.sub(ROW, lambda row: f"| {row[1]} | {row[2]} | {round(found[row[1]], -1):,} |", section, flags=re.MULTILINE)
        section = re.sub(TOTAL, f"The {headers} headers have {round(total, -1):,} lines of code", section)
        section = re.sub(TESTS, rf"\g<1>{round(tests, -1):,}\g<3>", section)
        path.write_text(page[:begin] + section + page[end:])
    else:
        for part, lines in stated.items():
            if abs(found[part] - lines) > max(ROW_TOLERANCE * lines, 20):
                failures.append(f"{part}: the page says {lines:,} lines, the headers have {found[part]:,}")
        written = re.search(TOTAL, section)
        if written is None:
            failures.append(f"no sentence of the form: {TOTAL}")
        elif abs(total - number(written[2])) > TOTAL_TOLERANCE * total:
            failures.append(f"the page says {written[2]} lines in all, the headers have {total:,}")
        elif abs(sum(stated.values()) - number(written[2])) > 5 * len(stated) + 5:
            failures.append(f"the rows add up to {sum(stated.values()):,}, the page says {written[2]}")
        of_tests = re.search(TESTS, section)
        if of_tests is None or abs(tests - number(of_tests[2])) > TOTAL_TOLERANCE * tests:
            failures.append(f"the page says {of_tests and of_tests[2]} lines of tests, there are {tests:,}")
    for failure in failures:
        print(f"FAILED: {failure}")
    if failures and not options.write:
        print(f"python3 tests/scripts/check_lines.py . --write puts the present counts into {PAGE}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
