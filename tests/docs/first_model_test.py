#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Follows docs/first_model.md in an empty folder: writes its files, runs its commands, compares what they print.

    tests/docs/first_model_test.py --dependencies build/deps

What installs packages or fetches the checkout is left out: `ashlar` in the folder is this checkout, without its builds.
Exits with 77 (skipped) if the Python packages that the page installs are missing.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/first_model.md"
FILE = re.compile(r"^<!-- file: (\S+) -->\n```[^\n]*\n(.*?)^```$", re.M | re.S)
OUTPUT = re.compile(r"^<!-- output -->\n```\n(.*?)^```$", re.M | re.S)
ELSEWHERE = ("sudo apt ", "git clone ")


def commands_of(page: str) -> list[str]:
    """The indented lines of a page outside of its code blocks."""
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S)
    return [line.strip() for line in prose.splitlines() if line.startswith("    ")]


def link_checkout(folder: Path, dependencies: Path) -> None:
    """A checkout that was never built, with the xsimd of this one."""
    (folder / "build").mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    if dependencies.is_dir():
        (folder / "build/deps").symlink_to(dependencies.resolve())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dependencies", type=Path, default=ROOT / "build/deps", help="where xsimd is, if it is not installed")
    given = parser.parse_args()
    missing = [package for package in ("onnx", "matplotlib") if not importlib.util.find_spec(package)]
    if missing:
        print(f"skipped: Python has no {' and no '.join(missing)}")
        return 77
    page = PAGE.read_text(encoding="utf-8")
    files, commands, outputs = FILE.findall(page), commands_of(page), OUTPUT.findall(page)
    commands = [c for c in commands if not c.startswith(ELSEWHERE)]
    if len(files) < 3 or len(commands) < 8 or len(outputs) != 1:
        print(f"FAILED: the page has {len(files)} files, {len(commands)} commands, {len(outputs)} outputs")
        return 1
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        link_checkout(folder / "ashlar", given.dependencies)
        for name, text in files:
            (folder / name).write_text(text, encoding="utf-8")
        # The Python that runs this test has the packages. No library of this user is found.
        (folder / "bin").mkdir()
        (folder / "bin/python3").symlink_to(sys.executable)
        environment = {**os.environ, "HOME": made, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        printed = ""
        for command in commands:
            done = subprocess.run(["bash", "-o", "pipefail", "-ec", command], cwd=folder, env=environment, check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(f"$ {command}\n{done.stdout}", end="", flush=True)
            if done.returncode:
                print(f"FAILED: status {done.returncode}")
                return 1
            printed += done.stdout
        words = ElementTree.parse(folder / "classifier.svg").getroot().itertext()
        if not any("Conv" in word or "Relu" in word for word in words):
            print("FAILED: the picture does not name the operators")
            return 1
    absent = [line for line in outputs[0].splitlines() if line not in printed.splitlines()]
    if absent:
        print("FAILED: the page shows lines that nothing printed:", *absent, sep="\n")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
