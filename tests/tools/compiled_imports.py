# SPDX-License-Identifier: BSL-1.0
"""Compiles the tests that the importer wrote as one program, and runs it."""
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_imports(names, folder, compiler, flags, expect):
    """Runs NAME_test.cpp of all names; files lie in `folder`."""
    source, program = folder / "all.cpp", folder / "all"
    calls = "".join(f"    good &= {n}_test::passes(arguments[1]);\n" for n in names)
    source.write_text("#define ASHLAR_IMPORT_NO_MAIN\n" + "".join(f'#include "{n}_test.cpp"\n' for n in names) +
                      f"int main(int, char** arguments) {{\n    bool good = true;\n{calls}    return good ? 0 : 1;\n}}\n")
    built = subprocess.run([compiler, "-std=c++20", "-O0", "-DASHLAR_UNOPTIMIZED", *flags, str(source), "-o", str(program)],
                           cwd=ROOT, check=False)
    expect(built.returncode == 0, "the program compiles")
    if built.returncode == 0:
        expect(subprocess.run([str(program), str(folder)], check=False).returncode == 0, "all outputs agree")
