#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the single header of tools/amalgamate.py: its text, its programs, and what it refuses.

    tests/tools/amalgamate_test.py --compiler g++ --compiler clang++-19 --xsimd FOLDER [--every-example]

The text is right if the preprocessor makes the same of it as of the folder of headers, for settings and targets of all kinds.
"""
import argparse
import functools
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, called, expect, finished
import amalgamate

INCLUDE = ROOT / "include"
MESSAGE = amalgamate.NOTICE
EVERY_PART = [header for headers in amalgamate.PARTS.values() for header in headers]


def run(*command, text=None):
    return subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, check=False)


def write_single(path, *arguments):
    status, _, errors = called(amalgamate.main, *arguments, "-o", path)
    expect(status == 0, f"amalgamate.py {' '.join(map(str, arguments))}: {errors}")
    return path


@functools.cache
def tokens(compiler, flags, text):
    """What the preprocessor makes of a text, with what becomes of macros, and its own errors. `flags` are a tuple."""
    output = run(compiler, "-std=c++20", "-E", "-P", "-dD", *flags, "-xc++", "-", text=text)
    own = re.compile(r"^#define ASHLAR_(ONCE|SINGLE)_.*", re.M)
    return own.sub("", output.stdout).split(), re.findall(r"#error (.*)", output.stderr)


def expect_same_tokens(title, compiler, flags, normal, single):
    """`flags` are common; `normal` and `single` are (flags, text)."""
    one, two = (tokens(compiler, (*flags, *own), text) for own, text in (normal, single))
    different = next((i for i, (a, b) in enumerate(zip(*(read[0] for read in (one, two)))) if a != b), None)
    shown = "" if different is None else f": {' '.join(one[0][different:different + 8])} / {' '.join(two[0][different:different + 8])}"
    expect(len(one[0]) > 1000 and one == two, f"other tokens{shown} {one[1]} {two[1]} by {title}")


def includes(names):
    return "".join(f"#include <{name}>\n" for name in names)


def check_compilers(compilers, xsimd, folder):
    """With the real headers of the system, with xsimd as headers and as a part of the text."""
    # assert() would show the lines of files.
    quiet = ["-DNDEBUG", "-DASHLAR_CHECKS=1", "-DASHLAR_ASSERT(condition, message)=check(condition)"]
    for parts, names in (("", []), ("all", EVERY_PART)):
        text = includes(["ashlar/ashlar.hpp", *names])
        beside = write_single(folder / f"beside_{parts}.hpp", "--with", parts)
        whole = write_single(folder / f"whole_{parts}.hpp", "--with", parts, "--xsimd", xsimd)
        machines = ((compilers[-1], ["-march=x86-64-v3"]), (compilers[0], ["-march=x86-64-v4"]),
                    (compilers[-1], ["-DASHLAR_EMULATED_WIDTH=256"]))
        for compiler, flags in machines if parts else machines[:1]:
            normal = (["-isystem", xsimd, "-I", INCLUDE], text)
            title = f"{compiler} {' '.join(flags)} with {parts or 'no parts'}"
            expect_same_tokens(title, compiler, flags + quiet, normal, (["-isystem", xsimd], f'#include "{beside}"\n'))
            if flags[0] in ("-march=x86-64-v3", "-DASHLAR_EMULATED_WIDTH=256"):
                expect_same_tokens(title + " and xsimd", compiler, flags + quiet, normal, ([], f'#include "{whole}"\n'))


def stubs_of_system(folder, header):
    """Empty headers in place of the system's, so that any target can be asked for without its compiler."""
    for name in set(re.findall(r"^[ \t]*#[ \t]*include <([^>: ]+)>", header.read_text(), re.M)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    for name in ("xsimd", "types/xsimd_all_registers", "config/xsimd_config"):
        path = folder / "xsimd" / f"{name}.hpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#define XSIMD_VERSION_MAJOR 14\n#define XSIMD_VERSION_MINOR 3\n#define XSIMD_EMULATED_HPP\n")


def check_targets(compiler, folder):
    """Macros of targets and settings, in combinations: each way through the conditions must read the same."""
    single = write_single(folder / "targets.hpp", "--with", "all")
    stubs = folder / "stubs"
    stubs_of_system(stubs, single)
    conditions = " ".join(re.findall(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)", single.read_text(), re.M))
    macros = sorted(set(re.findall(r"\b(?:__\w+|[A-Z]{4,}_\w+)\b", conditions)) - {"__cplusplus"})
    macros = [macro for macro in macros if not re.match("ASHLAR_(ONCE_|SINGLE_|VERSION_)|XSIMD_VERSION|__has_|__builtin", macro)]
    expect(len(macros) > 40, f"only {len(macros)} macros decide what is read")
    chosen = random.Random(2026)
    text = includes(["ashlar/ashlar.hpp", *EVERY_PART])
    versions = ("__GNUC__", "__clang_major__")
    hardly_any = ["__GNUC__", "__OPTIMIZE__"]
    for defined in [hardly_any] + [chosen.sample(macros, chosen.randrange(len(macros))) for _ in range(8)]:
        flags = ["-undef", "-nostdinc", "-isystem", stubs] + [f"-D{macro}={20 if macro in versions else 1}" for macro in defined]
        expect_same_tokens(f"{compiler} {' '.join(flags[4:])}", compiler, flags, (["-I", INCLUDE], text), ([], f'#include "{single}"\n'))


def check_macros(compiler, xsimd, folder):
    """The single header defines the same macros, and those that tell of it."""
    def names(flags, text):
        defined = run(compiler, "-std=c++20", "-E", "-dM", "-isystem", xsimd, *flags, "-xc++", "-", text=text).stdout
        return set(re.findall(r"^#define (\w+)", defined, re.M))

    single = write_single(folder / "macros.hpp", "--with", "all")
    more = names([], f'#include "{single}"\n') - names(["-I", INCLUDE], includes(["ashlar/ashlar.hpp", *EVERY_PART]))
    own = {macro for macro in more if macro == "ASHLAR_SINGLE_HEADER" or macro.startswith("ASHLAR_ONCE_")}
    expect("ASHLAR_SINGLE_HEADER" in more and more == own, f"macros of the single header: {sorted(more)}")


def check_text(xsimd, folder):
    core = write_single(folder / "core.hpp").read_text()
    whole = write_single(folder / "whole.hpp", "--xsimd", xsimd).read_text()
    expect(core.startswith("// SPDX-License-Identifier: BSL-1.0\n"), "the first line is the licence")
    expect(whole.startswith("// SPDX-License-Identifier: BSL-1.0 AND BSD-3-Clause\n"), "the licence of xsimd is in the first line")
    expect(all(text.count("SPDX-License-Identifier") == 1 for text in (core, whole)), "one line names the licences")
    expect("Boost Software License" in core and "Redistributions of source code" in whole, "the text has its licences")
    expect(not re.search(r"#\s*include\s*[<\"](ashlar/|\.)", core + whole), "a header of ashlar is still included")
    expect("#include <xsimd/" in core and "#include <xsimd/" not in whole, "xsimd is included, or copied")
    out = folder / "refused.hpp"
    for arguments, message in ((["--with", "nm"], "no such part: nm"), (["--xsimd", folder / "nowhere"], "there is no"),
                               (["--xsimd", xsimd, "--xsimd-licence", folder / "nowhere"], "licence is not at"),
                               (["--include", folder], "ashlar.hpp")):
        status, _, errors = called(amalgamate.main, *arguments, "-o", out)
        expect(status == 1 and message in errors and not out.exists(), f"{arguments}: {status} {errors}")


def check_refusals(compilers, xsimd, folder):
    """Beside the folder of headers, or another single header, it is refused by one message; beside a copy it is harmless."""
    single, other, copy = (write_single(folder / f"{name}.hpp", "--with", parts)
                           for name, parts in (("single", ""), ("other", "nn"), ("copy", "")))
    pairs = [(f'"{single}"', f"<{header}>") for header in ("ashlar/ashlar.hpp", "ashlar/core/axis.hpp", *EVERY_PART)]
    pairs += [("<ashlar/ashlar.hpp>", f'"{single}"'), (f'"{single}"', f'"{other}"'), (f'"{single}"', f'"{copy}"')]
    for compiler in compilers:
        for first, second in pairs if compiler == compilers[-1] else pairs[-3:]:
            # Preprocessing is enough: nothing comes between the messages.
            output = run(compiler, "-std=c++20", "-E", "-I", INCLUDE, "-isystem", xsimd, "-o", "/dev/null", "-xc++", "-",
                         text=f"#include {first}\n#include {second}\n")
            errors = [line for line in output.stderr.splitlines() if "error:" in line]
            if second == f'"{copy}"':
                expect(not errors, f"{compiler}: a copy is refused: {errors}")
            else:
                expect(bool(errors) and MESSAGE in errors[0] and len(errors) <= 2, f"{compiler}: {first} {second}: {errors}")


def check_libraries(compiler, xsimd, folder):
    """Parts that need a library: the same text, and no error where the library is."""
    flags = ["-isystem", xsimd, "-isystem", "/usr/include/eigen3", "-DNDEBUG", "-DASHLAR_CHECKS=1"]
    found = [part for part, headers in amalgamate.LIBRARIES.items()
             if run(compiler, "-std=c++20", "-E", *flags, "-I", INCLUDE, "-o", "/dev/null", "-xc++", "-",
                    text=includes(headers)).returncode == 0]
    for parts in [*([part] for part in amalgamate.LIBRARIES if part not in found), found]:
        single = write_single(folder / f"{'_'.join(parts)}.hpp", "--with", ",".join(["all", *parts]))
        headers = [header for part in parts for header in amalgamate.LIBRARIES[part]]
        text = includes(["ashlar/ashlar.hpp", *EVERY_PART, *headers])
        expect_same_tokens(" ".join(parts), compiler, flags, (["-I", INCLUDE], text), ([], f'#include "{single}"\n'))
    output = run(compiler, "-std=c++20", "-fsyntax-only", *flags, "-xc++", "-", text=f'#include "{single}"\n')
    expect(output.returncode == 0, f"{found}: {output.stderr[:2000]}")
    print("parts for libraries that are here:", ", ".join(found))
    existing = {path.relative_to(INCLUDE).as_posix() for layer in ("interop", "executors") for path in (INCLUDE / "ashlar" / layer).glob("*.hpp")}
    missing = existing - {header for headers in amalgamate.EVERY_PART.values() for header in headers}
    expect(not missing, f"no part has {sorted(missing)}")


def shim(folder, single):
    """A folder in which each public header is the single one."""
    for header in INCLUDE.rglob("*.hpp"):
        path = folder / header.relative_to(INCLUDE)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{single}"\n')
    return folder


def check_programs(compiler, xsimd, folder):
    """Two units with it link, and one with it links with one that has the folder of headers; users' macros are left alone."""
    single = shim(folder / "shim", write_single(folder / "program.hpp", "--xsimd", xsimd))
    sources = ROOT / "tests/consumer/sources"
    flags = ["-std=c++20", "-O0", "-DASHLAR_UNOPTIMIZED"]
    units = {}
    for name, own in (("main", ["-I", single]), ("other", ["-I", single]), ("other_by_folder", ["-I", INCLUDE, "-isystem", xsimd])):
        units[name] = folder / f"{name}.o"
        output = run(compiler, *flags, *own, "-c", sources / f"{name.removesuffix('_by_folder')}.cpp", "-o", units[name])
        expect(output.returncode == 0, f"{name}: {output.stderr[:2000]}")
    for second in ("other", "other_by_folder"):
        program = folder / f"with_{second}"
        output = run(compiler, units["main"], units[second], "-o", program)
        expect(output.returncode == 0 and run(program).returncode == 0, f"main and {second}: {output.stderr[:2000]}")
    with_parts = shim(folder / "shim", write_single(folder / "macros_program.hpp", "--with", "nn,io,print", "--xsimd", xsimd))
    output = run(compiler, *flags, "-fsyntax-only", "-I", with_parts, ROOT / "tests/objects/user_macros.cpp")
    expect(output.returncode == 0, f"with users' macros: {output.stderr[:2000]}")


def check_examples(compiler, xsimd, folder, every):
    """Examples compile with it. What can go wrong depends on the headers they name: one of each largest set, or all."""
    single = shim(folder / "examples", write_single(folder / "examples.hpp", "--with", "nn,io,print,linalg,dispatch,executors", "--xsimd", xsimd))
    smallest = {}
    sources = sorted([*(ROOT / "examples").glob("*.cpp"), *(ROOT / "examples").glob("*/main.cpp")], key=lambda path: path.stat().st_size)
    expect(len(sources) > 10, "there are no examples")
    for source in sources:
        smallest.setdefault(tuple(sorted(re.findall(r"#include <(ashlar/[^>]*)>", source.read_text()))), source)
    largest = [source for names, source in smallest.items() if not any(set(names) < set(more) for more in smallest)]
    for source in sources if every else largest:
        output = run(compiler, "-std=c++20", "-fsyntax-only", "-DASHLAR_UNOPTIMIZED", "-I", single, "-I", ROOT, source)
        expect(output.returncode == 0, f"{source.relative_to(ROOT)}: {output.stderr[:2000]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", required=True, help="g++ first; the last one is the faster one")
    parser.add_argument("--xsimd", type=Path, required=True)
    parser.add_argument("--every-example", action="store_true", help="takes a minute")
    options = parser.parse_args()
    xsimd = options.xsimd.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_text(xsimd, folder)
        check_compilers(options.compiler, xsimd, folder)
        check_targets(options.compiler[0], folder)
        check_macros(options.compiler[0], xsimd, folder)
        check_refusals(options.compiler, xsimd, folder)
        check_libraries(options.compiler[0], xsimd, folder)
        check_programs(options.compiler[-1], xsimd, folder)
        check_examples(options.compiler[-1], xsimd, folder, options.every_example)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
