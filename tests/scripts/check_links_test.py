#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Proves that check_links.py finds links to files and headings that do not exist, and pages that nobody lists."""

import json
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from check_links import problems_of, read_pages  # noqa: E402

SOUND = {
    "README.md": "# Title\n\n[a](docs/a.md#the-second-heading), [again](docs/a.md#again-1), [code](tools/site/sidebar.json), "
                 "[far](https://example.org/x), `[no](link.md)`\n\n```\n[no](link.md)\n```\n",
    "docs/a.md": "# A\n\n## The `second` heading\n\n[up](../README.md#title)\n\n## Again\n\n## Again\n",
}  # fmt: skip
VIOLATIONS = {
    "a file that is not there": ("README.md", "[b](docs/b.md)", "README.md:9: there is no docs/b.md"),
    "a heading that is not there": ("docs/a.md", "[b](#third)", "docs/a.md:11: docs/a.md has no heading #third"),
    "a heading of another page": ("README.md", "[b](docs/a.md#third)", "README.md:9: docs/a.md has no heading #third"),
    "a file outside": ("README.md", "[b](../../b.md)", "README.md:9: there is no ../../b.md"),
    "an image": ("README.md", "![b](b.svg)", "README.md:9: there is no b.svg"),
    "a page that is not listed": ("docs/b.md", "# B", "tools/site/sidebar.json does not list docs/b.md"),
}


def problems_with(path: str, line: str) -> list[str]:
    """The problems of the sound pages after a line is added to one of them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        pages = dict(SOUND)
        pages[path] = pages.get(path, "") + "\n" + line + "\n"
        for name, text in pages.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        (root / "tools/site").mkdir(parents=True)
        (root / "tools/site/sidebar.json").write_text(json.dumps([{"text": "All", "pages": list(SOUND)}]))
        return problems_of(root, read_pages(root))


def main() -> int:
    failures = [f"sound pages: {problem}" for problem in problems_with("README.md", "")]
    for name, (path, line, expected) in VIOLATIONS.items():
        found = problems_with(path, line)
        if found != [expected]:
            failures.append(f"{name}: expected {expected!r}, found {found}")
    print("\n".join(failures) or "all violations are found")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
