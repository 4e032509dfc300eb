# SPDX-License-Identifier: BSL-1.0
"""Makes a page for each error message: its row of docs/errors.md and the tested programs that cause it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROW = re.compile(r"^\| `(ashlar: (?:[^`|]|\\\|)*)` \|(.*)\|\s*$")
CELL = re.compile(r"(?<!\\)\|")
PROGRAM = re.compile(r"\(\.\./(tests/diagnostics/\w+\.cpp)\)")
LONGEST = 72


@dataclass
class Error:
    """A message, what its row says, and the programs of its row."""

    message: str
    meaning: str
    advice: str
    section: str
    programs: list[str] = field(default_factory=list)
    name: str = ""

    @property
    def operation(self) -> str:
        """What the message is about: a function, a module, or a rule."""
        return self.message.split(": ")[1]

    @property
    def path(self) -> str:
        return f"errors/{self.name}.md"


def named(message: str, taken: set[str]) -> str:
    """The start of the message as a name that no other page has."""
    words = re.findall(r"[a-z0-9]+", message.removeprefix("ashlar: ").lower())
    name = ""
    for word in words:
        if len(name) + len(word) >= LONGEST and name not in taken:
            break
        name = f"{name}-{word}" if name else word
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}-{number}", number + 1
    taken.add(unique)
    return unique


def read_errors(text: str) -> list[Error]:
    """The rows of docs/errors.md."""
    errors: list[Error] = []
    taken = {"index"}
    section = ""
    for line in text.split("\n"):
        if line.startswith("## "):
            section = line[3:]
        row = ROW.match(line)
        if row:
            message = row[1].replace("\\|", "|")
            cells = [cell.strip() for cell in CELL.split(row[2])]
            error = Error(message, cells[0], cells[1], section, PROGRAM.findall(cells[-1]))
            error.name = named(message, taken)
            errors.append(error)
    return errors


def lines_of(program: str, first: str, last: str) -> str:
    """The text between the first line that begins with `first` and the next that begins with `last`."""
    found: list[str] = []
    inside = False
    for line in program.split("\n"):
        if inside and re.match(rf"\s*#\s*{last}", line):
            break
        if inside:
            found.append(line)
        inside = inside or re.match(rf"\s*#\s*{first}", line) is not None
    indent = min((len(line) - len(line.lstrip()) for line in found if line.strip()), default=0)
    return "\n".join(line[indent:] for line in found)


def program_text(root: Path, path: str) -> list[str]:
    """A program that fails with the message: what is wrong, what the compilers say, and the corrected lines."""
    program = (root / path).read_text(encoding="utf-8")
    about = program.split("\n")[1].removeprefix("// ")
    said = re.findall(r"^\s*// expect(?: (?:g\+\+|clang))?: (.*)$", program, re.MULTILINE)
    lines = [f"## {Path(path).stem}", "", about, ""]
    wrong, right = lines_of(program, "ifdef ASHLAR_EXPECT_ERROR", "(else|endif)"), lines_of(program, "else", "endif")
    if wrong.count("{") != wrong.count("}"):  # the lines are part of a function that begins before them
        wrong, right = "\n".join(line for line in program.split("\n")[1:] if not line.startswith("//")).strip(), ""
    if wrong:
        lines += ["Wrong:", "", "```cpp", wrong, "```", ""]
    if said:
        lines += ["What g++ and clang print has these texts:", "", *(f"- `{text}`" for text in said), ""]
    if right:
        lines += ["Right:", "", "```cpp", right, "```", ""]
    lines += [f"The whole program is [{path}](/source/{path}.txt), a test.", ""]
    return lines


def page_text(root: Path, error: Error, about: list[str]) -> str:
    """The page of a message; `about` are links to the pages of what it is about."""
    lines = [f"# {error.message.removeprefix('ashlar: ').split(';')[0]}", "", f"`{error.message}`", ""]
    lines += [f"About {', '.join(about)}.", ""] if about else []
    lines += ["**Meaning.** " + error.meaning, "", "**What to do.** " + error.advice, ""]
    for program in error.programs:
        lines += program_text(root, program)
    lines += [f"All messages of the section [{error.section}](/errors.md).", ""]
    return "\n".join(lines)


def index_text(text: str, errors: list[Error]) -> str:
    """docs/errors.md with a list of links in place of each table of messages."""
    pages = {error.message: error for error in errors}
    lines = []
    for line in text.split("\n"):
        row = ROW.match(line)
        if row:
            error = pages[row[1].replace("\\|", "|")]
            lines.append(f"- [`{error.message}`](/{error.path})")
        elif re.match(r"^\| message \|", line) or (re.match(r"^\|(-+\|)+$", line) and lines[-1] == ""):
            continue
        else:
            lines.append(line)
    return "\n".join(lines)
