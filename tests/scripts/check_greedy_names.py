#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles a program whose namespace has deleted function templates with the names of all functions of the library.
Argument-dependent lookup finds them for expressions that hold the program's own functors: every call in the library
must say whose function it means."""

import re
import subprocess
import sys
from pathlib import Path

LAYERS = ["core", "tensor", "module", "expr", "kernel", "plan", "eval", "nn"]
# Lines in the first column that declare no function.
OTHERS = re.compile(r"template|requires|struct|using|#|//|}|namespace|static_assert|class|enum|extern|concept|friend|ASHLAR_[A-Z_]+$")


def names_of(text: str) -> set[str]:
    """The functions that a header declares outside of classes."""
    found = set()
    for line in text.splitlines():
        if not line or line[0].isspace() or OTHERS.match(line):
            continue
        declaration = re.sub(r"\[\[.*?\]\]|decltype\(auto\)|//.*", "", line)
        if match := re.search(r"[ &*]([a-z_][a-z0-9_]*)\(", declaration):
            found.add(match[1])
    return {name for name in found if "__" not in name} - {"alignas", "auto", "operator", "requires", "sizeof", "void"}


def program(names: set[str], source: str) -> str:
    """The source with greedy templates of these names in its namespace `mine`."""
    parameters = ["A&&", "A&&, B&&", "A&&, B&&, C&&", "A&&, B&&, C&&, D&&"]
    types = ["class A", "class A, class B", "class A, class B, class C", "class A, class B, class C, class D"]
    greedy = "".join(f"template <{t}> void NAME({p}) = delete; " for t, p in zip(types, parameters))
    all_names = "\n".join(greedy.replace("NAME", name) for name in sorted(names))
    assert source.count("namespace mine {\n") == 1
    return source.replace("namespace mine {\n", f"namespace mine {{\n{all_names}\n")


def main() -> int:
    root, generated, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    names: set[str] = set()
    for layer in LAYERS:
        for header in (root / "include/ashlar" / layer).rglob("*.hpp"):
            names |= names_of(header.read_text())
    for known in ["hold", "softmax", "copy_of", "run_items", "matmul"]:
        if known not in names:
            print(f"FAILED: {known} is not found in the headers")
            return 1
    generated.write_text(program(names, (root / "tests/objects/greedy_names.cpp").read_text()))
    ran = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", str(generated)], capture_output=True, text=True)
    for line in ran.stderr.splitlines():
        if "error:" in line:
            print(f"FAILED: {line[:250]}")
    if ran.returncode == 0:
        print(f"{len(names)} names")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
