#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the library, or some parts of it, as one header.

    tools/amalgamate.py -o ashlar.hpp                                  # what <ashlar/ashlar.hpp> includes
    tools/amalgamate.py --with nn,io,print -o ashlar.hpp               # and modules, weight files, printing
    tools/amalgamate.py --with all --xsimd /usr/include -o ashlar.hpp  # and the headers of xsimd

The compiler reads the same text in the same order as from the folder of headers, for every target and every setting: an
included header stands where it is included first. If that place is inside a condition, the header stands again after the
condition, and a guard keeps the first one.
"""
from __future__ import annotations

import argparse
import re
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: The parts that --with adds to `ashlar/ashlar.hpp`, in the order of the file.
PARTS = {
    "nn": ["ashlar/nn.hpp"],
    "print": ["ashlar/tensor/print.hpp"],
    "io": ["ashlar/io.hpp"],
    "linalg": ["ashlar/linalg.hpp"],
    "dispatch": ["ashlar/core/dispatch.hpp"],
    "executors": ["ashlar/executors/jthread_pool.hpp"],
    "xsimd": ["ashlar/kernel/xsimd.hpp"],
    "ranges": ["ashlar/interop/ranges.hpp"],
    "dlpack": ["ashlar/interop/dlpack.hpp"],
}
#: Those that need a library of others: only where they are asked for by name.
LIBRARIES = {
    "eigen": ["ashlar/interop/eigen.hpp"],
    "fmt": ["ashlar/interop/fmt.hpp"],
    "format": ["ashlar/interop/format.hpp"],
    "mdspan": ["ashlar/interop/mdspan.hpp"],
    "onetbb": ["ashlar/executors/onetbb_workers.hpp"],
    "openmp": ["ashlar/executors/openmp_workers.hpp"],
    "scheduler": ["ashlar/executors/scheduler_workers.hpp"],
}
EVERY_PART = PARTS | LIBRARIES

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|include|define|pragma[ \t]+once)\b[ \t]*(.*)")
INCLUDED = re.compile(r"([<\"])([^>\"]+)[>\"]")
NOTICE = "ashlar: headers: this unit includes a single header and other headers of ashlar; include one or the other"


class Failure(Exception):
    """What the user has to know: a sentence."""


@dataclass
class Header:
    """A header that is copied: its lines, and how it keeps from being read twice."""

    path: Path
    name: str
    lines: list[str] = field(default_factory=list)
    once: bool = False  # by `#pragma once`
    guard: str = ""  # or by this macro

    @classmethod
    def read(cls, path: Path, name: str) -> "Header":
        header = cls(path, name, path.read_text(encoding="utf-8").splitlines())
        directives = [match for line in header.lines if (match := DIRECTIVE.match(line))]
        header.once = any(match[1].startswith("pragma") for match in directives)
        if not header.once and len(directives) > 2 and (directives[0][1], directives[1][1]) == ("ifndef", "define"):
            if directives[0][2].split()[0] == directives[1][2].split()[0] and directives[-1][1] == "endif":
                header.guard = directives[0][2].split()[0]
        return header


class Amalgamation:
    """Copies headers into one text. `conditions` is the way to a place: the branches of #if around it."""

    def __init__(self, include: Path, xsimd: Path | None) -> None:
        self.roots = {"ashlar": include} | ({"xsimd": xsimd} if xsimd else {})
        self.headers: dict[str, Header] = {}
        self.copies: dict[str, list[tuple[int, ...]]] = {}  # the conditions around each copy
        self.repeated: set[str] = set()  # those of `#pragma once` that are copied more than once
        self.branches = 0

    def text(self, names: list[str]) -> str:
        """The headers and all that they include. A first pass finds out which headers need a guard."""
        for _ in range(2):
            self.copies, self.branches = {}, 0
            lines: list[str] = []
            for name in names:
                self.copy(name, (), lines)
            self.repeated = {name for name, copies in self.copies.items() if len(copies) > 1 and self.headers[name].once}
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))

    def copy(self, name: str, conditions: tuple[int, ...], lines: list[str]) -> None:
        header = self.header(name)
        copies = self.copies.setdefault(name, [])
        # A copy serves all places below its own conditions.
        if (header.once or header.guard) and any(conditions[:len(copy)] == copy for copy in copies):
            return
        copies.append(conditions)
        macro = "ASHLAR_ONCE_" + re.sub(r"\W", "_", name.removesuffix(".hpp").removeprefix("ashlar/")).upper()
        lines += ["", f"// ==== {name}"]
        if name in self.repeated:
            lines += [f"#ifndef {macro}", f"#define {macro}"]
        self.copy_lines(header, conditions, lines)
        if name in self.repeated:
            lines.append("#endif")

    def copy_lines(self, header: Header, conditions: tuple[int, ...], lines: list[str]) -> None:
        open_branches: list[int | None] = []  # None is the guard, whose inside is as unconditional as the header
        for line in header.lines:
            match = DIRECTIVE.match(line)
            if not match:
                if "SPDX-License-Identifier: BSL-1.0" not in line:
                    lines.append(line)
                continue
            kind, rest = match[1], match[2]
            if kind.startswith("pragma"):
                continue
            if kind.startswith("if"):
                is_guard = not open_branches and kind == "ifndef" and header.guard and rest.split()[0] == header.guard
                open_branches.append(None if is_guard else self.new_branch())
            elif kind in ("elif", "else"):
                open_branches[-1] = self.new_branch()
            elif kind == "endif":
                open_branches.pop()
            elif kind == "include" and (name := self.copied_name(header, rest)):
                self.copy(name, conditions + tuple(branch for branch in open_branches if branch is not None), lines)
                continue
            lines.append(line)
        if open_branches:
            raise Failure(f"{header.path}: an #if without its #endif")

    def new_branch(self) -> int:
        self.branches += 1
        return self.branches

    def copied_name(self, header: Header, rest: str) -> str | None:
        """The name of an included header that is copied; None for those of the system."""
        match = INCLUDED.match(rest)
        if not match:
            return None
        if match[1] == '"':
            root = self.roots[header.name.split("/")[0]].resolve()
            path = (header.path.parent / match[2]).resolve()
            return path.relative_to(root).as_posix() if path.is_file() else None
        folder = match[2].split("/")[0]
        return match[2] if folder in self.roots and "/" in match[2] else None

    def header(self, name: str) -> Header:
        if name not in self.headers:
            path = self.roots[name.split("/")[0]] / name
            if not path.is_file():
                raise Failure(f"there is no {path}")
            self.headers[name] = Header.read(path, name)
        return self.headers[name]


def version(include: Path) -> str:
    """The version that the headers declare."""
    config = (include / "ashlar/core/config.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define ASHLAR_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", config, re.M))


def licence_of_xsimd(include: Path, given: Path | None) -> str:
    """The text that BSD-3-Clause requires with copies of its sources."""
    places = [given] if given else [include.parent / "LICENSE", include.parent / "share/doc/libxsimd-dev/copyright"]
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8").strip()
    raise Failure(f"xsimd's licence is not at {places[0]}; name it by --xsimd-licence")


def as_comment(text: str) -> list[str]:
    return [("// " + line).rstrip() for line in text.splitlines()]


def refusal() -> list[str]:
    """One error instead of hundreds, by both compilers, as in core/config.hpp."""
    return ["#if defined(__clang__)", '#pragma clang diagnostic fatal "-W#warnings"', f'#warning "{NOTICE}"', "#endif",
            f'#error "{NOTICE}"', "#include <ashlar: stopped, see the error above>"]


def amalgamate(parts: list[str], include: Path, xsimd: Path | None, xsimd_licence: Path | None) -> str:
    """The text of the single header."""
    names = ["ashlar/ashlar.hpp"] + [name for part in parts for name in EVERY_PART[part]]
    body = Amalgamation(include, xsimd).text(names)
    licences = as_comment((ROOT / "LICENSE").read_text(encoding="utf-8").strip())
    if xsimd:
        licences += ["//", "// The headers of xsimd:", "//"] + as_comment(licence_of_xsimd(xsimd, xsimd_licence))
    # A unit may include two copies of one text, but not two different texts.
    identity = f"0x{zlib.crc32(body.encode()):08x}"
    return "\n".join([
        "// SPDX-License-Identifier: " + ("BSL-1.0 AND BSD-3-Clause" if xsimd else "BSL-1.0"),
        f"// ashlar {version(include)} as one header, written by tools/amalgamate.py. Parts: "
        + ", ".join(["core"] + parts) + (". With xsimd." if xsimd else ". Needs xsimd in the include path."),
        "//", *licences, "#pragma once", "",
        "#if defined(ASHLAR_SINGLE_HEADER)",
        f"#if ASHLAR_SINGLE_HEADER != {identity}", *refusal(), "#endif",
        "#else",
        "#if defined(ASHLAR_VERSION_MAJOR)", *refusal(), "#endif",
        body, "",
        f"#define ASHLAR_SINGLE_HEADER {identity}",
        "#endif", ""])


def parts_of(words: str) -> list[str]:
    """The parts of a list with commas, in the order of the tables."""
    asked = set(filter(None, words.split(",")))
    if "all" in asked:
        asked = (asked - {"all"}) | PARTS.keys()
    if unknown := asked - EVERY_PART.keys():
        raise Failure(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(EVERY_PART)}, all")
    return [part for part in EVERY_PART if part in asked]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="parts", default="", metavar="PART,...", help=f"of {', '.join(PARTS)}, or all; and of {', '.join(LIBRARIES)}, which need their libraries")
    parser.add_argument("--include", type=Path, default=ROOT / "include", help="the folder with ashlar/")
    parser.add_argument("--xsimd", type=Path, metavar="FOLDER", help="copy xsimd's headers, too, from FOLDER/xsimd")
    parser.add_argument("--xsimd-licence", type=Path, metavar="FILE", help="where it is not beside FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        text = amalgamate(parts_of(options.parts), options.include, options.xsimd, options.xsimd_licence)
        options.output.write_text(text, encoding="utf-8")
    except (Failure, OSError) as failure:
        print(f"amalgamate.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
