# SPDX-License-Identifier: BSL-1.0
"""Compiles what an importer wrote, and runs it."""
import subprocess


def compile_and_run(names, folder, compiler, flags, root, expect, most=None):
    """Includes the tests of the names in programs of at most `most` each, so that the compiler needs less memory."""
    most = most or len(names)
    for first in range(0, len(names), most):
        run_program(names[first:first + most], folder, compiler, flags, root, expect)


def run_program(names, folder, compiler, flags, root, expect):
    """One program for some of the names; all outputs must agree."""
    source, program = folder / "all.cpp", folder / "all"
    calls = "".join(f'    good &= {n}_test::passes(arguments[1]);\n' for n in names)
    source.write_text("#define ASHLAR_IMPORT_NO_MAIN\n" + "".join(f'#include "{n}_test.cpp"\n' for n in names) +
                      f"int main(int, char** arguments) {{\n    bool good = true;\n{calls}    return good ? 0 : 1;\n}}\n")
    built = subprocess.run([compiler, "-std=c++20", "-O0", "-DASHLAR_UNOPTIMIZED", *flags, str(source), "-o", str(program)],
                           cwd=root, check=False)
    expect(built.returncode == 0, f"the program of {', '.join(names)} compiles")
    if built.returncode == 0:
        status = subprocess.run([str(program), str(folder)], check=False).returncode
        expect(status == 0, f"all outputs of {', '.join(names)} agree")
