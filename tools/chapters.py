#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles the chapters of docs/notebooks, and checks or writes the compiler's errors, the plans and the printed values."""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

# The plans of a machine with eight floats in a register, on every machine, with the register blocks of optimised code.
PLAN_FLAGS = ["-O0", "-DASHLAR_EMULATED_WIDTH=256", "-DASHLAR_REGISTERS=0"]
COMPILER_OF_ERRORS = 12
HEADERS = ["<ashlar/ashlar.hpp>", "<ashlar/nn.hpp>", "<ashlar/tensor/print.hpp>", "<iostream>"]
UNSUITABLE = 77
# Prints an expression, a text or a number.
SHOW = """
template <class Value>
void show(const Value& value) {
    if constexpr (ashlar::any_expression<Value>)
        std::cout << ashlar::eval(value) << '\\n';
    else if constexpr (requires { value.c_str(); })
        std::cout << value.c_str() << '\\n';
    else
        std::cout << value << '\\n';
}
"""


@dataclass
class Block:
    """A code block: its kind (right, wrong, error, plan or output), the lines within its fences, and its expression."""

    kind: str
    expression: str
    first: int
    lines: list[str] = field(default_factory=list)

    @property
    def code(self) -> str:
        return "\n".join(self.lines)


@dataclass
class Page:
    """A page, and its code blocks in order."""

    path: Path
    lines: list[str]
    blocks: list[Block]

    @property
    def heading_count(self) -> int:
        fenced, count = False, 0
        for line in self.lines:
            fenced ^= line.startswith("```")
            count += not fenced and line.startswith("## ")
        return count


def read_page(path: Path) -> Page:
    """A page and its blocks; a comment before a block says what it holds."""
    lines = path.read_text(encoding="utf-8").split("\n")
    blocks: list[Block] = []
    announced, inside = ("", ""), False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = not inside
            if inside:
                kind = {"```cpp": "right", "```cpp nocompile": "wrong"}.get(line, announced[0])
                blocks.append(Block(kind, announced[1], number + 1))
            announced = ("", "")
        elif inside:
            blocks[-1].lines.append(line)
        else:
            comment = re.fullmatch(r"<!-- (error|plan|output)(?:: (.*))? -->", line)
            announced = (comment[1], comment[2] or "") if comment else ("", "")
    return Page(path, lines, blocks)


def unit(page: Page, wrong: bool) -> str:
    """The page as one program: right blocks share a namespace, each wrong block has its own."""
    code = [f"#include {header}" for header in HEADERS]
    body = []
    for number, block in enumerate(page.blocks):
        place = f'#line {block.first + 1} "{page.path.name}"'
        if block.kind == "right":
            code += [line for line in block.lines if line.startswith("#include")]
            body += [place, *("" if line.startswith("#include") else line for line in block.lines)]
        elif block.kind == "wrong" and wrong:
            body += [f"namespace wrong_{number} {{", place, block.code, "}"]
    return "\n".join([*code, "namespace chapters {", "using namespace ashlar;", *body])


def program(page: Page) -> str:
    """Prints the contents of the blocks of plans and values, each after a line with its number."""
    prints = []
    for number, block in enumerate(page.blocks):
        if block.kind == "plan":
            prints.append(f'std::cout << "\\001{number}\\n" << explain({block.expression}).c_str() << "\\n";')
        elif block.kind == "output":
            prints.append(f'std::cout << "\\001{number}\\n"; show({block.expression});')
    return "\n".join([unit(page, wrong=False), "}", SHOW, "int main() {", "using namespace chapters;", *prints, "}", ""])


def errors_by_line(page: Page, said: str) -> dict[int, list[str]]:
    """g++'s errors with their notes, by the line of the page that causes them."""
    found: dict[int, list[str]] = {}
    line, current = 0, None
    for text in said.split("\n"):
        place = re.match(rf"{re.escape(page.path.name)}:(\d+):", text)
        if place:
            line = int(place[1])
        message = re.search(r"(?:^|: )(error|note): (.*)", text)
        if message and message[1] == "error":
            current = found.setdefault(line, [])
            current.append(f"error: {shortened(message[2])}")
        elif message and current is not None and "evaluates to false" in message[2]:
            current.append(f"note: {shortened(message[2])}")
    return found


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}  # quotes of ASCII
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def shortened(message: str) -> str:
    """A message of g++ without our namespaces and the types that names are made of."""
    message = re.sub(r"ashlar::v0_1::|detail::|ashlar::", "", message)
    message = re.sub(r"fixed_string<\d+>\{(\"[^\"]*\")\}", r"\1", message)
    message = re.sub(r"_options\{.*\}\.", "_options{...}.", message)
    message = re.sub(r"(axis<[^<>]*>)\(\)", r"\1", message)
    return re.sub(r"(Argument|Module) = .*?; (?=fixed_string)", r"\1 = ...; ", message)


def messages_of(page: Page, compiler: list[str], work: Path) -> dict[int, str]:
    """The compiler's error for each wrong block, by the number of the block that shows it."""
    source = work / f"{page.path.stem}_wrong.cpp"
    source.write_text(unit(page, wrong=True) + "\n}\n", encoding="utf-8")
    found = errors_by_line(page, run([*compiler, "-fsyntax-only", str(source)]).stderr)
    messages = {}
    for number, block in enumerate(page.blocks):
        if block.kind != "error":
            continue
        cause = page.blocks[number - 1]
        lines = range(cause.first + 1, cause.first + 2 + len(cause.lines))
        messages[number] = "\n".join(text for line in lines for text in found.pop(line, []))
    for line, texts in found.items():
        raise SystemExit(f"{page.path}:{line}: a chapter does not compile: {texts[0]}")
    return messages


def printed_by(page: Page, compiler: list[str], work: Path) -> dict[int, str]:
    """What the program of a page prints, by the numbers of its blocks."""
    source = work / f"{page.path.stem}.cpp"
    source.write_text(program(page), encoding="utf-8")
    built = run([*compiler, str(source), "-o", str(source.with_suffix(""))])
    if built.returncode:
        raise SystemExit("\n".join(built.stderr.split("\n")[:20]))
    ran = run([str(source.with_suffix(""))])
    if ran.returncode:
        raise SystemExit(f"{page.path}: its program ended with status {ran.returncode}")
    parts = ran.stdout.split("\1")[1:]
    return {int(part.split("\n", 1)[0]): part.split("\n", 1)[1].strip("\n") for part in parts}


def problems_of(page: Page, shown: dict[int, str]) -> list[str]:
    """Blocks that differ from the compiled output, and chapters without the required blocks."""
    problems = []
    for number, text in shown.items():
        block = page.blocks[number]
        place = f"{page.path}:{block.first}"
        if block.kind == "error" and "ashlar: " not in text:
            problems.append(f"{place}: the code above is not refused with a message of ashlar, but with: {text}")
        elif block.code != text:
            problems.append(f"{place}: the {block.kind} is now\n{text}")
    wrong = sum(block.kind == "wrong" for block in page.blocks)
    errors = sum(block.kind == "error" for block in page.blocks)
    if not wrong == errors == page.heading_count:
        problems.append(f"{page.path}: {page.heading_count} chapters, {wrong} wrong lines, {errors} errors")
    return problems


def updated(page: Page, shown: dict[int, str]) -> str:
    """The page with the compiled output in its blocks."""
    lines = list(page.lines)
    for number in sorted(shown, reverse=True):
        block = page.blocks[number]
        lines[block.first : block.first + len(block.lines)] = shown[number].split("\n")
    return "\n".join(lines)


def split_at(words: list[str], mark: str) -> tuple[list[str], list[str]]:
    """The words before and after a mark."""
    place = words.index(mark)
    return words[:place], words[place + 1 :]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [option...] folder work -- flag...")
    parser.add_argument("folder", type=Path, help="the pages")
    parser.add_argument("work", type=Path, help="a folder for programs")
    parser.add_argument("--update", action="store_true", help="write what differs instead of complaining")
    parser.add_argument("--gxx", required=True, help="g++, of whose messages are spoken")
    parser.add_argument("--compiler", required=True, help="the compiler of the programs")
    parser.add_argument("--only", default="*", help="a pattern of page names")
    given, flags = (sys.argv[1:], []) if "--" not in sys.argv else split_at(sys.argv[1:], "--")
    arguments = parser.parse_args(given)
    version = run([arguments.gxx, "-dumpversion"]).stdout.strip()
    if int(version.split(".")[0]) != COMPILER_OF_ERRORS:
        print(f"skipped: the chapters show what g++ {COMPILER_OF_ERRORS} says, and this is {version}")
        return UNSUITABLE
    arguments.work.mkdir(parents=True, exist_ok=True)
    problems, count = [], 0
    for path in sorted(arguments.folder.glob(f"{arguments.only}.md")):
        page = read_page(path)
        if not page.blocks:
            continue
        shown = messages_of(page, [arguments.gxx, *flags], arguments.work)
        shown |= printed_by(page, [arguments.compiler, *flags, *PLAN_FLAGS], arguments.work)
        count += page.heading_count
        if arguments.update:
            path.write_text(updated(page, shown), encoding="utf-8")
            page = read_page(path)
        problems += problems_of(page, shown)
    print("\n".join(problems))
    print(f"{count} chapters")
    if problems:
        print("FAILED: tools/chapters.py --update writes what is shown now")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
