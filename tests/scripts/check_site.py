#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the pages of the site, without those that need Doxygen, and looks for messages without a page and links that lead nowhere.

With Node.js also: that the links of built pages become relative. With Doxygen also: that each public name has a page.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))
import api_pages  # noqa: E402
import error_pages  # noqa: E402
from markdown_pages import Page  # noqa: E402


def problems_of(pages: Path, messages: list[str]) -> list[str]:
    """What is wrong with the written pages."""
    problems = []
    read = {path.relative_to(pages).as_posix(): Page(str(path), path.read_text(encoding="utf-8")) for path in pages.rglob("*.md")}
    shown = "\n".join(page.text for path, page in read.items() if path.startswith("errors/"))
    problems += [f"no page has the message {message!r}" for message in messages if f"\n`{message}`\n" not in shown]
    problems += [f"errors.md does not link {message!r}" for message in messages if f"[`{message}`](/errors/" not in read["errors.md"].text]
    for path, page in read.items():
        for line, target in page.links():
            if not target.startswith("/"):
                continue
            place, _, anchor = target[1:].partition("#")
            if place not in read and not (pages / "public" / place).is_file():
                problems.append(f"{path}:{line}: there is no {target}")
            elif anchor and place in read and anchor not in read[place].anchors:
                problems.append(f"{path}:{line}: no heading {target}")
    return problems


BUILT = """<head><link rel="preload stylesheet" href="/assets/style.css" as="style">
<link rel="modulepreload" href="/assets/page.js">
<script type="module" src="/assets/app.js"></script></head>
<body><a href="/">a</a><a class="x" href="/api/#expr">b</a><a href="/errors.html#rows">c</a><a href="#here">d</a>
<a href="https://host/">e</a><a href="//host/">f</a><img src="/docs/plan.svg" alt="a"><code>href="/kept"</code></body>"""

# The links of BUILT as a page in a folder, and as one at the root, has them.
RELATIVE = {
    "api/abs.md": ["../assets/style.css", "../index.html", "../api/index.html#expr", "../errors.html#rows", "#here", "https://host/",
                   "//host/", "../docs/plan.svg", "/kept", "../plain/start.js"],
    "index.md": ["./assets/style.css", "./index.html", "./api/index.html#expr", "./errors.html#rows", "#here", "https://host/",
                 "//host/", "./docs/plan.svg", "/kept", "./plain/start.js"],
}  # fmt: skip


def problems_of_links(root: Path) -> list[str]:
    """What is wrong with how tools/site/offline.mjs changes a built page."""
    node = shutil.which("node")
    if node is None:
        print("without Node.js the links of built pages are not tested")
        return []
    module = (root / "tools/site/offline.mjs").resolve().as_uri()
    script = f"import {{ openable }} from '{module}'; process.stdout.write(openable({json.dumps(BUILT)}, process.argv[1]))"
    problems = []
    for page, expected in RELATIVE.items():
        html = subprocess.run([node, "--input-type=module", "-e", script, page], check=True, capture_output=True, text=True).stdout
        links = re.findall(r'(?:href|src)="([^"]*)"', html)
        if links != expected:
            problems.append(f"{page} has the links {links}, not {expected}")
        if 'data-modules="assets/app.js"' not in html:
            problems.append(f"{page} does not name its module")
    return problems


def problems_of_names(root: Path, work: Path) -> list[str]:
    """The names that headers declare for users, but Doxygen does not see; nodes need no comment."""
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        print("without Doxygen the pages of names are not tested")
        return []
    folder = work / "doxygen"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = (root / "tools/site/Doxyfile").read_text(encoding="utf-8") + f"OUTPUT_DIRECTORY = {folder.resolve()}\n"
    subprocess.run([doxygen, "-"], input=settings, cwd=root, check=True, capture_output=True, text=True)
    entries = api_pages.read_entries(folder / "xml")
    members = [member.name for entry in entries for declaration in entry.declarations for member in declaration.members]
    known = {name.rpartition("::")[2] for name in [entry.name for entry in entries] + members}
    headers = [str(path) for path in sorted((root / "include").rglob("*.hpp")) if "kernel" not in path.parts]
    names = subprocess.run(["awk", "-f", Path(__file__).with_name("list_names.awk"), *headers], check=True, capture_output=True, text=True)
    declared = [line.split() for line in names.stdout.splitlines()]
    print(f"{len(entries)} pages of names")
    vague = [entry.name for entry in entries if entry.summary.startswith(("The same", "Likewise"))
             and not entry.name.endswith("_node") and "/kernel/" not in entry.declarations[0].header]  # fmt: skip
    problems = [f"the page of {name} begins with another name's" for name in vague]
    return problems + [f"{Path(file).relative_to(root)}: there is no page of {name}" for file, name in declared
            if name not in known and not name.endswith("_node")]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    subprocess.run([sys.executable, arguments.root / "tools/site/gather.py", arguments.root, arguments.work], check=True)
    errors = error_pages.read_errors((arguments.root / "docs/errors.md").read_text(encoding="utf-8"))
    problems = problems_of(arguments.work, [error.message for error in errors])
    problems += problems_of_links(arguments.root)
    problems += problems_of_names(arguments.root, arguments.work.with_name("api_names"))
    print("\n".join(problems))
    print(f"{len(errors)} messages")
    if problems or len({error.name for error in errors}) != len(errors):
        print(f"FAILED: {len(problems)} problems")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
