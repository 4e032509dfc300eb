#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the pages of the site: those of the repository, of each error, of each public name, and of the files they link."""

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import api_pages  # noqa: E402
import error_pages  # noqa: E402
from markdown_pages import (  # noqa: E402
    HEADING,
    IMAGE_TAG,
    INLINE_CODE,
    LINK,
    Page,
    changed_outside_code,
    is_elsewhere,
    lines_outside_code,
    plain,
    read_pages,
    resolved,
    slug,
)

# Pages of which each section becomes a page.
SPLIT = ("docs/tutorial.md", "docs/reference.md", "docs/modules.md", "docs/cookbook.md")
# Pages whose tables begin with names, with the namespace of these, and the part of a row that has them.
NAMING = {"docs/reference.md": "", "docs/modules.md": "nn::"}
ROW_OF_NAMES = re.compile(r"^\| (?:`[^`]+`(?:, | )?)+\|")
IMAGES = (".svg", ".png")
TEXTS = (".c", ".cpp", ".hpp", ".html", ".js", ".md", ".mjs", ".py", ".sh", ".txt")
# Of pages outside the order of the sidebar: no page is before or after them.
ASIDE = "---\nprev: false\nnext: false\n---\n"


class Site:
    """Collects pages, and the files of the repository that they link."""

    def __init__(self, root: Path, out: Path, xml: Path | None) -> None:
        self.root, self.out = root, out
        self.entries = api_pages.read_entries(xml) if xml else []
        self.names = {entry.name.removeprefix(api_pages.SCOPE): entry.path for entry in self.entries}
        self.pages = read_pages(root)
        self.sections: dict[str, dict[str, str]] = {path: {} for path in SPLIT if path in self.pages}
        self.sources: set[str] = set()
        for path in self.sections:
            self.place_sections(path)

    def place(self, path: str) -> str:
        """The path on the site of a page of the repository."""
        if path == "README.md":
            return "index.md"
        if path in self.sections:
            return f"{Path(path).stem}/index.md"
        name = path.removeprefix("docs/")
        if name.endswith("README.md"):
            return name.removesuffix("README.md") + "index.md"
        return name.lower() if "/" not in path else name

    def place_sections(self, path: str) -> None:
        """Notes on which page of the site each heading of a split page is."""
        current, anchors = self.place(path), iter(self.pages[path].anchors)
        for line in self.headings(self.pages[path]):
            anchor = next(anchors)
            if line.startswith("## "):
                current = f"{Path(path).stem}/{anchor}.md"
            self.sections[path][anchor] = current

    @staticmethod
    def headings(page: Page) -> list[str]:
        return [line for _, line in lines_outside_code(page.text) if HEADING.match(line)]

    def target(self, page: str, link: str) -> str:
        """The target on the site of a link of a page."""
        if is_elsewhere(link) or link.startswith("/"):
            return link
        path, _, anchor = link.partition("#")
        found = resolved(page, path) if path else page
        if found in self.pages:
            place = self.sections.get(found, {}).get(anchor, self.place(found))
            if anchor and place.endswith(f"/{anchor}.md"):
                anchor = ""
            return f"/{place}" + (f"#{anchor}" if anchor else "")
        if found is None:
            return link
        if found.endswith(IMAGES):
            return f"/{found}"
        self.sources.add(found)
        return f"/{self.source_place(found)}"

    def source_place(self, path: str) -> str:
        return f"source/{path}/index.md" if (self.root / path).is_dir() else f"source/{path}.txt"

    def text_for_site(self, page: str, text: str) -> str:
        """The text of a page of the repository with links as the site has them, and no HTML."""
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^```cpp nocompile$", "```cpp", text, flags=re.MULTILINE)

        if page in NAMING:
            names = api_pages.names_inside(NAMING[page], self.names)
            lines, of_options = text.split("\n"), False
            for number, line in lines_outside_code(text):
                of_options = line.startswith("| option") or (of_options and line.startswith("|"))
                if not of_options:
                    lines[number - 1] = ROW_OF_NAMES.sub(lambda row: with_names(row[0], names), line)
            text = "\n".join(lines)

        def change(line: str) -> str:
            line = IMAGE_TAG.sub(lambda image: f"![{image[2]}]({image[1]})", line)
            return LINK.sub(lambda link: f"{link[1]}[{link[2]}]({self.target(page, link[3])})", line)

        return escape_braces(changed_outside_code(text, change))

    def write(self, place: str, text: str) -> None:
        file = self.out / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def write_page(self, path: str) -> None:
        page = self.pages[path]
        if path in self.sections:
            self.write_sections(path)
        elif path == "docs/errors.md":
            errors = error_pages.read_errors(page.text)
            self.write("errors.md", self.text_for_site(path, error_pages.index_text(page.text, errors)))
            for error in errors:
                for program in error.programs:
                    self.sources.add(program)
                names = [name for name in self.names if name.rsplit("::", 1)[-1] == error.operation]
                about = [f"[`{name}`](/{self.names[name]})" for name in names]
                self.write(error.path, ASIDE + self.text_for_site(path, error_pages.page_text(self.root, error, about)))
        else:
            self.write(self.place(path), self.text_for_site(path, page.text))

    def write_sections(self, path: str) -> None:
        """A page for each section, and one that lists them after what comes first."""
        parts = re.split(r"^(?=## )", self.pages[path].text, flags=re.MULTILINE)
        parts = joined_code(parts)
        listed = []
        for part in parts[1:]:
            heading = part.split("\n", 1)[0][3:]
            place = f"{Path(path).stem}/{slug(heading)}.md"
            listed.append(f"- [{plain(heading)}](/{place})")
            self.write(place, self.text_for_site(path, raised_headings(part)))
        first = self.text_for_site(path, parts[0])
        if not all(item.partition("](")[2] in first for item in listed):
            first += "\n" + "\n".join(listed) + "\n"
        self.write(self.place(path), first)

    def write_sources(self) -> None:
        """Pages of the folders that pages link, and the files as they are: a thousand highlighted pages would take minutes."""
        for path in sorted(path for path in self.sources if (self.root / path).is_dir()):
            inside = sorted(entry for entry in (self.root / path).iterdir() if not entry.name.startswith((".", "__")))
            links = []
            for entry in inside:
                relative = entry.relative_to(self.root).as_posix()
                if entry.suffix in TEXTS or relative in self.sources:
                    links.append(f"- [{entry.name}]({self.target('README.md', relative)})")
                else:
                    links.append(f"- `{entry.name}{'/' * entry.is_dir()}`")
            lines = [ASIDE, f"# {path}", "", f"The files of the folder `{path}` of the repository.", "", *links, ""]
            self.write(self.source_place(path), "\n".join(lines))
        for path in self.sources:
            if (self.root / path).is_file():
                self.copy(self.root / path, f"public/{self.source_place(path)}")

    def copy(self, file: Path, place: str) -> None:
        target = self.out / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)

    def write_api(self) -> list[dict[str, object]]:
        """A page of each public name; returns them for the sidebar."""
        errors = error_pages.read_errors(self.pages["docs/errors.md"].text)
        groups: dict[str, list[dict[str, str]]] = {}
        for entry in self.entries:
            name = entry.name.removeprefix(api_pages.SCOPE)
            own = [(error.message, error.path) for error in errors if error.operation == name.rsplit("::", 1)[-1]]
            self.write(entry.path, escape_braces(api_pages.page_text(entry, own)))
            for declaration in entry.declarations:
                self.sources.add(f"include/{declaration.header}")
            header = next(declaration.header for declaration in entry.declarations if declaration.comment)
            groups.setdefault(header.split("/")[1], []).append({"text": name, "link": f"/{entry.path}"})
        self.write("api/index.md", escape_braces(api_pages.index_text(self.entries)))
        return [{"text": layer, "collapsed": True, "items": items} for layer, items in sorted(groups.items())]

    def sidebar(self) -> list[dict[str, object]]:
        groups = json.loads((self.root / "tools/site/sidebar.json").read_text())
        sidebar = []
        for group in groups:
            items = []
            for path in group["pages"]:
                text = group.get("titles", {}).get(path, self.pages[path].title)
                item: dict[str, object] = {"text": text, "link": f"/{self.place(path)}"}
                if path in self.sections:
                    item["collapsed"] = True
                    item["items"] = [{"text": plain(line[3:]), "link": f"/{self.sections[path][anchor]}"}
                                     for line, anchor in zip(self.headings(self.pages[path]), self.pages[path].anchors)
                                     if line.startswith("## ")]  # fmt: skip
                items.append(item)
            sidebar.append({"text": group["text"], "items": items})
        return sidebar


def with_names(cell: str, names: dict[str, str]) -> str:
    """The first cell of a row with a link from each name to its page."""
    return INLINE_CODE.sub(lambda code: api_pages.linked(code[2], names), cell)


def joined_code(parts: list[str]) -> list[str]:
    """Parts of a page, with those joined between which a code block was cut."""
    joined: list[str] = []
    for part in parts:
        if joined and len(re.findall(r"^```", joined[-1], flags=re.MULTILINE)) % 2:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def raised_headings(part: str) -> str:
    """A section as a page: its headings one level up, outside code."""
    lines = part.split("\n")
    for number, line in lines_outside_code(part):
        if line.startswith("##"):
            lines[number - 1] = line[1:]
    return "\n".join(lines)


def escape_braces(text: str) -> str:
    """Vue would take two braces in a row for an expression of its own."""
    return changed_outside_code(text, lambda line: line.replace("{{", "{&#8203;{"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path, help="the folder of the pages, which is emptied")
    parser.add_argument("xml", type=Path, nargs="?", help="what Doxygen wrote; without it there are no pages of names")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    site = Site(arguments.root.resolve(), arguments.out, arguments.xml)
    for path in site.pages:
        site.write_page(path)
    api = site.write_api() if site.entries else []
    site.write_sources()
    for image in site.root.glob("docs/**/*.svg"):
        target = site.out / "public" / image.relative_to(site.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(image, target)
    shutil.copytree(site.root / "tools/site/theme", site.out / ".vitepress/theme")
    shutil.copytree(site.root / "tools/site/plain", site.out / "public/plain")
    for script in ("config.mjs", "offline.mjs"):
        site.copy(site.root / "tools/site" / script, f".vitepress/{script}")
    site.write(".vitepress/sidebar.json", json.dumps({"pages": site.sidebar(), "api": api}))
    print(f"{sum(1 for _ in site.out.rglob('*.md'))} pages")


if __name__ == "__main__":
    main()
