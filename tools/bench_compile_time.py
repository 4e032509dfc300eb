#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What our headers cost a build: seconds of the compilers, and the templates that they instantiate.

    tools/bench_compile_time.py [--compilers g++,clang++-19] [--rounds 5] [--flags "-O2 ..."] [--xsimd DIR]
                                [--sources attention,encoder_layer] [--markdown FILE] [--page docs/performance.md]

Compiles the sources of tests/compile_time, which hold the budgets of the test run, and prints a table. Seconds are user
time of the compiler; a source that includes xsimd alone tells what they mean on a machine. Sources take turns, so that all meet the same
neighbours, and the least of all rounds counts. Templates are ours alone, counted by check_instantiations.sh: the same
number in every run. With --page the table replaces the one between the marks of that page.
"""
import argparse
import datetime
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tests/compile_time"
HEADERS = {
    "xsimd": "#include <xsimd/xsimd.hpp>\n",
    "ashlar.hpp": "#include <ashlar/ashlar.hpp>\n",
    "nn.hpp": "#include <ashlar/ashlar.hpp>\n#include <ashlar/nn.hpp>\n",
}
BEGIN, END = "<!-- compile time: begin -->", "<!-- compile time: end -->"
CASES = ["attention", "causal_attention", "feed_forward", "encoder_layer"]


def find_xsimd():
    for place in sorted(ROOT.glob("build/deps/xsimd-*")):
        for include in (place / "usr/include", place / "include"):
            if (include / "xsimd/xsimd.hpp").exists():
                return str(include)
    return ""


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def instantiations(compiler, source, options, directory):
    """The number that check_instantiations.sh finds, or None where it cannot look."""
    script = SOURCES / "check_instantiations.sh"
    found = subprocess.run(["bash", str(script), str(source), str(directory / "dump"), "1000000000", compiler, *options],
                           stdout=subprocess.PIPE, text=True)
    count = re.search(r": (\d+) instantiations", found.stdout)
    return int(count.group(1)) if count else None


def name_of(compiler):
    text = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    version = re.search(r"\d+\.\d+\.\d+", text)
    family = "clang" if "clang" in text else "g++"
    return f"{family} {version.group(0)}" if version else compiler


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xsimd", default=find_xsimd(), help="include directory of xsimd")
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flags", default="-O2 -DNDEBUG -march=x86-64-v3")
    parser.add_argument("--sources", default=",".join(CASES), help="of tests/compile_time")
    parser.add_argument("--markdown", help="file for the table, besides the terminal")
    parser.add_argument("--page", help="Markdown page whose marked table is replaced")
    given = parser.parse_args()
    compilers = [c for c in given.compilers.split(",") if shutil.which(c)]
    if not compilers:
        sys.exit(f"none of {given.compilers} is installed")
    options = ["-std=c++20", *given.flags.split(), "-I", str(ROOT / "include")]
    options += ["-isystem", given.xsimd] if given.xsimd else []

    lines = ["| source | compiler | seconds | instantiations |", "|---|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        sources = {}
        for name, text in HEADERS.items():
            sources[name] = directory / (name + ".cpp")
            sources[name].write_text(text)
        sources |= {name: SOURCES / (name + ".cpp") for name in given.sources.split(",")}
        for compiler in compilers:
            command = [compiler, *options, "-o", str(directory / "unit.o"), "-c"]
            best = {}
            for _ in range(given.rounds):
                for name, source in sources.items():
                    best[name] = min(best.get(name, float("inf")), user_seconds([*command, str(source)]))
            title = name_of(compiler)
            lines.append(f"| `<xsimd/xsimd.hpp>` alone | {title} | {best['xsimd']:.2f} | |")
            for name, source in list(sources.items())[1:]:
                count = instantiations(compiler, source, options, directory)
                lines.append(f"| {name.replace('_', ' ')} | {title} | {best[name]:.2f} | "
                             f"{'' if count is None else f'{count:,}'} |")
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if given.markdown:
        pathlib.Path(given.markdown).write_text(table)
    if given.page:
        page = pathlib.Path(given.page)
        before, rest = page.read_text().split(BEGIN)
        after = rest.split(END)[1]
        said = f"Measured {datetime.date.today()}, `-std=c++20 {given.flags}`, minimum of {given.rounds} rounds."
        page.write_text(f"{before}{BEGIN}\n{said}\n\n{table}{END}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
