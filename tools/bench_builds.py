#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What costs a build how much: the table of docs/build_time.md.

    tools/bench_builds.py [--compilers g++,clang++-19] [--rounds 2] [--xsimd DIR] [--page docs/build_time.md]

Compiles small units, one after the other, and prints user seconds of the compiler as multiples of those of a unit that
includes xsimd alone; the least of all rounds counts. tools/bench_compile_time.py has the four units that the tests hold
to budgets.
"""
import argparse
import datetime
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bench_compile_time import ROOT, find_xsimd, name_of

BEGIN, END = "<!-- builds: begin -->", "<!-- builds: end -->"
ASHLAR = "#include <ashlar/ashlar.hpp>\n"
NN = ASHLAR + "#include <ashlar/nn.hpp>\n"
USING = "using namespace ashlar;\n"


def attention(options="", shape="64, 64", statement="y = attention(q, k, v{});", more=""):
    return (f"{ASHLAR}{USING}using matrix = tensor<float, {shape}>;\nvoid run(matrix& y, const matrix& q, const matrix& k,"
            f" const matrix& v, int n) {{ (void)n; {statement.format(options)} }}\n{more}")


def elementwise(statement):
    return (f"{ASHLAR}{USING}using matrix = tensor<float, 64, 64>;\n"
            f"void run(matrix& y, const matrix& a, const matrix& b) {{ (void)b; y = {statement}; }}\n")


def module(layer, rows=32):
    return (f"{NN}{USING}using layer = nn::{layer};\nusing matrix = tensor<float, {rows}, 64>;\n"
            f"void run(matrix& y, const layer& m, const matrix& x) {{ y = m(x); }}\n")


TYPE = "decltype(attention(std::declval<matrix&>(), std::declval<matrix&>(), std::declval<matrix&>()))"
SCRATCH = "static workspace<workspace_bytes<decltype(attention(q, k, v))>> s; evaluate(y, attention(q, k, v), s);"
LAYER = ".embed = 64, .heads = 4, .hidden = 256"
UNITS = [
    ("`#include <xsimd/xsimd.hpp>` alone", "#include <xsimd/xsimd.hpp>\n"),
    ("a caller: `<ashlar/tensor/tensor.hpp>`, and a call of a function that is declared",
     f"#include <ashlar/tensor/tensor.hpp>\n{USING}using matrix = tensor<float, 64, 64>;\n"
     "void run(matrix& y, const matrix& x);\nint main() { static matrix x, y; run(y, x); }\n"),
    ("`ashlar.hpp`, nothing of it used", ASHLAR),
    ("`ashlar.hpp` and `nn.hpp`", NN),
    ("`ashlar.hpp` and `io.hpp`", ASHLAR + "#include <ashlar/io.hpp>\n"),
    ("`workspace_bytes<E>` and `flops<E>` of an attention, not the attention",
     f"{ASHLAR}{USING}using matrix = tensor<float, 64, 64>;\nusing block = {TYPE};\n"
     "static_assert(workspace_bytes<block> < 20000 && flops<block> > 0);\n"),
    ("`explain` of an attention, not the attention",
     attention(statement="(void)y; static const auto text = explain(attention(q, k, v)); (void)text;")),
    ("`y = relu(a * 2 + b)`, 64×64", elementwise("relu(a * 2.0f + b)")),
    ("`y = softmax(a * 0.5f)`, 64×64", elementwise("softmax(a * 0.5f)")),
    ("`y = matmul(a, b)`, 64×64×64", elementwise("matmul(a, b)")),
    ("`y = attention(q, k, v)`, 64×64", attention()),
    ("the same by `evaluate`, with a workspace", attention(statement=SCRATCH)),
    ("`attention(q, k, v, causal)`", attention(", causal")),
    ("`attention(q, k, v, keys_below(n))`", attention(", keys_below(n)")),
    ("attention 65×64", attention(shape="65, 64")),
    ("attention 64×36", attention(shape="64, 36")),
    ("attention of one shape in two functions", attention(
        more="void again(matrix& y, const matrix& q, const matrix& k, const matrix& v) { y = attention(k, q, v); }\n")),
    ("attention of two shapes", attention(
        more="using other = tensor<float, 128, 64>;\nvoid again(other& y, const other& q) { y = attention(q, q, q); }\n")),
    ("`nn::linear`, 32 rows by 64×64", module("linear<{.in = 64, .out = 64}>")),
    ("`nn::feed_forward`, 64 by 256, gelu",
     module("feed_forward<{.embed = 64, .hidden = 256, .activation = nn::activation::gelu}>")),
    ("`nn::encoder_layer`, 64 wide, 4 heads, 256 hidden, 32 rows", module(f"encoder_layer<{{{LAYER}}}>")),
    ("`nn::encoder` of six such layers", module(f"encoder<{{.layer = {{{LAYER}}}, .layers = 6}}>")),
    ("one such layer, 33 rows", module(f"encoder_layer<{{{LAYER}}}>", 33)),
    ("`io::load` of an `nn::linear`",
     f"{NN}#include <ashlar/io.hpp>\n{USING}nn::linear<{{.in = 64, .out = 64}}> m;\n"
     'bool run() { return io::load(m, "weights.safetensors").ok(); }\n'),
]
ATTENTION = attention()


def measure(command):
    """User seconds and the largest resident set of a compiler, in MB."""
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xsimd", default=find_xsimd(), help="include directory of xsimd")
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--flags", default="-DNDEBUG -march=x86-64-v3")
    parser.add_argument("--page", help="Markdown page whose marked table is replaced")
    given = parser.parse_args()
    compilers = [c for c in given.compilers.split(",") if shutil.which(c)]
    columns = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for number, (_, text) in enumerate(UNITS):
            (folder / f"{number}.cpp").write_text(text)
        (folder / "attention.cpp").write_text(ATTENTION)
        (folder / "all.hpp").write_text(ASHLAR)
        for compiler in compilers:
            common = [compiler, "-std=c++20", *given.flags.split(), "-I", str(ROOT / "include")]
            common += ["-isystem", given.xsimd] if given.xsimd else []
            unit = ["-c", "-o", str(folder / "unit.o")]
            is_clang = "clang" in compiler
            header = folder / ("all.pch" if is_clang else "all.hpp.gch")
            use = ["-include-pch", str(header)] if is_clang else ["-include", str(folder / "all.hpp")]
            rows = [(title, [*common, "-O2", *unit, str(folder / f"{i}.cpp")]) for i, (title, _) in enumerate(UNITS)]
            for flags in ("-O0", "-O1", "-O3", "-O2 -g"):
                rows.append((f"`y = attention(q, k, v)`, 64×64, `{flags}`",
                             [*common, *flags.split(), *unit, str(folder / "attention.cpp")]))
            rows.append(("`ashlar.hpp` as a precompiled header: making it, once",
                         [*common, "-O2", "-x", "c++-header", "-o", str(header), str(folder / "all.hpp")]))
            rows.append(("`y = attention(q, k, v)`, 64×64, with it",
                         [*common, "-O2", *use, *unit, str(folder / "attention.cpp")]))
            best = {}
            for _ in range(given.rounds):
                for title, command in rows:
                    seconds, memory = measure(command)
                    best[title] = min(best.get(title, (seconds, memory)), (seconds, memory))
            columns.append((name_of(compiler), best))
    base = UNITS[0][0]
    lines = ["| unit | " + " | ".join(f"{name} | MB" for name, _ in columns) + " |", "|---|" + "---:|---:|" * len(columns)]
    for title in columns[0][1]:
        cells = []
        for _, best in columns:
            seconds, memory = best[title]
            ratio = f"1 ({seconds:.2f} s)" if title == base else f"{seconds / best[base][0]:.1f}"
            cells.append(f"{ratio} | {memory:.0f}")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if given.page:
        page = pathlib.Path(given.page)
        before, rest = page.read_text().split(BEGIN)
        after = rest.split(END)[1]
        said = f"Measured {datetime.date.today()}, `-std=c++20 -O2 {given.flags}` unless noted, minimum of {given.rounds} rounds."
        page.write_text(f"{before}{BEGIN}\n{said}\n\n{table}{END}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
