#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Looks for links of the documents that lead nowhere: to a file or a heading that does not exist, or a page nobody lists."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))
sys.dont_write_bytecode = True
from markdown_pages import Page, is_elsewhere, read_pages, resolved  # noqa: E402


def problems_of(root: Path, pages: dict[str, Page]) -> list[str]:
    problems = []
    for page in pages.values():
        for line, target in page.links():
            if is_elsewhere(target):
                continue
            path, _, anchor = target.partition("#")
            place = resolved(page.path, path) if path else page.path
            if place is None or not (root / place).exists():
                problems.append(f"{page.path}:{line}: there is no {target}")
            elif anchor and place in pages and anchor not in pages[place].anchors:
                problems.append(f"{page.path}:{line}: {place} has no heading #{anchor}")
    listed = {entry for group in json.loads((root / "tools/site/sidebar.json").read_text()) for entry in group["pages"]}
    problems += [f"tools/site/sidebar.json: there is no {page}" for page in sorted(listed - set(pages))]
    unlisted = {page for page in pages if page.startswith("docs/")} - listed
    problems += [f"tools/site/sidebar.json does not list {page}" for page in sorted(unlisted)]
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root.resolve()
    pages = read_pages(root)
    problems = problems_of(root, pages)
    print("\n".join(problems))
    print(f"{sum(1 for page in pages.values() for _ in page.links())} links on {len(pages)} pages")
    if problems:
        print(f"FAILED: {len(problems)} links or pages")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
