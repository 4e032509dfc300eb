# SPDX-License-Identifier: BSL-1.0
"""What the tests of tools share: packages that may be missing, expectations, and the command line."""
import argparse
import contextlib
import importlib
import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
failures = []


def skip_without(*packages):
    """Ends the test with 77 (skipped) if Python has not all of them."""
    try:
        for package in packages:
            importlib.import_module(package)
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def finished():
    """Prints the result; returns the exit status."""
    print("failed" if failures else "passed")
    return 1 if failures else 0


def options(description):
    """The options of a test that compiles what a tool wrote."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("flags", nargs="*")
    return parser


def called(main, *arguments):
    """The exit status of a tool's main(), its output and its errors."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = main([str(a) for a in arguments])
    return status, out.getvalue(), errors.getvalue()


def expect_refusal(title, main, arguments, out, text):
    """The tool ends with 2 and one line of error, which has the text. It does not write the folder `out`."""
    status, _, errors = called(main, *arguments)
    lines = errors.splitlines()
    expect(status == 2 and len(lines) == 1 and text in lines[0], f"{title}: status {status}, {lines}")
    expect(not out.exists(), f"{title}: nothing is written")
