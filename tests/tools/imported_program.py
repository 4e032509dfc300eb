# SPDX-License-Identifier: BSL-1.0
"""Compiles the tests that an importer wrote, and runs them."""
import subprocess
from pathlib import Path

from tool_checks import ROOT, expect

MOST = 12  # models of one program: more need too much memory of a compiler

# The weights in the program are those of the file, which must not be all zeros.
EMBEDDED = """#include "{name}_weights.hpp"
#include <cstring>
namespace {name}_test {{
static imported::{name} embedded, from_file, zeros;
static bool embedded_agrees(const std::string& folder) {{
    imported::load(embedded);
    return ashlar::io::load(from_file, folder + "/{name}.safetensors") &&
           std::memcmp(&embedded, &from_file, sizeof embedded) == 0 && std::memcmp(&embedded, &zeros, sizeof zeros) != 0;
}}
}}  // namespace {name}_test
"""

# clang takes half the time without passes: at -O0 it still copies always_inline functions into all their callers. Those
# that libstdc++ expects to be copied, and does not have in its library, are then compiled here.
WITHOUT_PASSES = ["-Xclang", "-disable-llvm-passes"]
NOT_IN_LIBRARY = """#if defined(__clang__) && defined(__GLIBCXX__)
template class std::allocator<char>;
#endif
"""


def embedded(name):
    """What `checks` have for a model with --embed."""
    return EMBEDDED.format(name=name), f"{name}_test::embedded_agrees(arguments[1])"


def compile_and_run(names, folder, compiler, flags, most=MOST, checks=None):
    """Runs NAME_test.cpp of all names, in programs of at most `most` each; the files lie in `folder`.

    `checks` are further definitions and a condition of C++ for the program of a name.
    """
    for first in range(0, len(names), most):
        run_program(names[first:first + most], folder, compiler, flags, checks or {})


def run_program(names, folder, compiler, flags, checks):
    """One program for some of the names; all outputs must agree."""
    source, program = folder / "all.cpp", folder / "all"
    checked = [checks[name] for name in names if name in checks]
    conditions = [f"{name}_test::passes(arguments[1])" for name in names] + [condition for _, condition in checked]
    source.write_text("#define ASHLAR_IMPORT_NO_MAIN\n" + "".join(f'#include "{name}_test.cpp"\n' for name in names) +
                      "".join(definitions for definitions, _ in checked) + NOT_IN_LIBRARY +
                      "int main(int, char** arguments) {\n    bool good = true;\n" +
                      "".join(f"    good &= {condition};\n" for condition in conditions) + "    return good ? 0 : 1;\n}\n")
    passes = WITHOUT_PASSES if Path(compiler).name.startswith("clang") else []
    built = subprocess.run([compiler, "-std=c++20", "-O0", *passes, "-DASHLAR_UNOPTIMIZED", *flags, str(source), "-o", str(program)],
                           cwd=ROOT, check=False)
    expect(built.returncode == 0, f"the program of {', '.join(names)} compiles")
    if built.returncode == 0:
        status = subprocess.run([str(program), str(folder)], check=False).returncode
        expect(status == 0, f"all outputs of {', '.join(names)} agree")
