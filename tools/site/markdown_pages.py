# SPDX-License-Identifier: BSL-1.0
"""Markdown pages of the repository: their headings, code blocks and links, as GitHub reads them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^\s*(```+)(.*)$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
INLINE_CODE = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
IMAGE_TAG = re.compile(r'<img src="([^"]+)"(?:[^>]*?)alt="([^"]*)"[^>]*>')


def plain(text: str) -> str:
    """The text of a heading or cell without the marks of links and code."""
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()]*\)", r"\1", text)
    return text.replace("`", "").replace("**", "").strip()


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading. config.mjs has the same function."""
    kept = re.sub(r"[^\w\- ]", "", plain(heading).lower())
    return kept.replace(" ", "-")


def lines_outside_code(text: str) -> Iterator[tuple[int, str]]:
    """Numbers, from 1, and lines that no code block holds."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def changed_outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied outside code blocks and code spans."""
    lines = text.split("\n")
    for number, line in lines_outside_code(text):
        if line.startswith("    ") and not line.lstrip().startswith(("-", "*", "|")):
            continue  # an indented block
        spans: list[str] = []

        def keep(match: re.Match[str]) -> str:
            spans.append(match[0])
            return f"\0{len(spans) - 1}\0"

        changed = change(INLINE_CODE.sub(keep, line))
        lines[number - 1] = re.sub("\0(\\d+)\0", lambda match: spans[int(match[1])], changed)
    return "\n".join(lines)


@dataclass
class Page:
    """A page: where it is in the repository, its text, and the anchors of its headings."""

    path: str
    text: str
    title: str = ""
    anchors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        for _, line in lines_outside_code(self.text):
            heading = HEADING.match(line)
            if not heading:
                continue
            self.title = self.title or plain(heading[2])
            anchor = slug(heading[2])
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            self.anchors.append(anchor if count == 0 else f"{anchor}-{count}")

    def links(self) -> Iterator[tuple[int, str]]:
        """The lines and targets of links and images, those to other hosts too."""
        for number, line in lines_outside_code(self.text):
            bare = INLINE_CODE.sub(lambda match: "x" * len(match[0]), line)
            for link in LINK.finditer(bare):
                yield number, link[3]
            for image in IMAGE_TAG.finditer(bare):
                yield number, image[1]


def is_elsewhere(target: str) -> bool:
    """Whether a link leads to another host."""
    return re.match(r"[a-z]+:", target) is not None


def resolved(page: str, target: str) -> str | None:
    """The path in the repository that a link of a page leads to; None outside the repository."""
    parts: list[str] = []
    for part in (Path(page).parent / target).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def read_pages(root: Path) -> dict[str, Page]:
    """All pages of the repository that readers are led to, by their paths."""
    found = sorted(root.glob("*.md")) + sorted(root.glob("docs/**/*.md")) + sorted(root.glob("examples/**/*.md"))
    paths = [path.relative_to(root).as_posix() for path in found]
    return {path: Page(path, (root / path).read_text(encoding="utf-8")) for path in paths}
