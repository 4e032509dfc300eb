#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What our headers cost a build: seconds and instantiated templates of small translation units.

    tools/bench_compile_time.py [--xsimd DIR] [--compilers g++,clang++-19] [--rounds 3] [--markdown FILE]
                                [--budget attention=N ...]

Seconds are the best of some rounds of CPU time at -O2. Templates are the instantiations that clang's -ftime-trace
records with a granularity of zero: the same number in every run, so that a budget on it can be a test.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "#include <ashlar/ashlar.hpp>\nusing namespace ashlar;\n"
UNITS = {
    "empty": "int f() { return 0; }\n",
    "xsimd alone": "#include <xsimd/xsimd.hpp>\nint f() { return 0; }\n",
    "ashlar.hpp": HEAD + "int f() { return 0; }\n",
    "attention": HEAD + "using t = tensor<float, 64, 32>;\n"
                        "t f(const t& q, const t& k, const t& v) noexcept { return attention(q, k, v); }\n",
    "causal attention": HEAD + "using t = tensor<float, 64, 32>;\n"
                               "t f(const t& q, const t& k, const t& v) noexcept { return attention(q, k, v, causal); }\n",
    "feed-forward block": HEAD + "using x_t = tensor<float, 32, 64>;\n"
                                 "x_t f(const x_t& x, const tensor<float, 64, 256>& w1, const tensor<float, 256>& b1,\n"
                                 "      const tensor<float, 256, 64>& w2, const tensor<float, 64>& b2) noexcept {\n"
                                 "    return x + matmul(gelu(matmul(layer_norm(x), w1) + b1), w2) + b2;\n}\n",
}


def find_xsimd():
    for place in ROOT.glob("build/deps/xsimd-*"):
        for include in (place / "usr/include", place / "include"):
            if (include / "xsimd/xsimd.hpp").exists():
                return str(include)
    return ""


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instantiations(command, directory):
    """Counts the templates whose instantiation clang records."""
    trace = pathlib.Path(directory) / "trace.json"
    subprocess.run(command + ["-ftime-trace=" + str(trace), "-ftime-trace-granularity=0"], check=True)
    events = json.loads(trace.read_text())["traceEvents"]
    return sum(e["name"] in ("InstantiateFunction", "InstantiateClass") and e["ph"] == "X" for e in events)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xsimd", default=find_xsimd(), help="include directory of xsimd")
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--markdown", help="file for the table, besides the terminal")
    parser.add_argument("--budget", action="append", default=[], metavar="UNIT=N",
                        help="fail where a unit instantiates more templates than N")
    given = parser.parse_args()
    compilers = [c for c in given.compilers.split(",") if shutil.which(c)]
    counter = next((c for c in compilers if "clang" in c), shutil.which("clang++-19"))
    budgets = {unit: int(count) for unit, count in (b.rsplit("=", 1) for b in given.budget)}

    lines = ["| translation unit | " + " | ".join(f"{c}, s" for c in compilers) + " | templates |",
             "|---|" + "---:|" * (len(compilers) + 1)]
    over = []
    with tempfile.TemporaryDirectory() as directory:
        for unit, text in UNITS.items():
            source = pathlib.Path(directory) / "unit.cpp"
            source.write_text(text)
            options = ["-std=c++20", "-O2", "-DNDEBUG", "-I", str(ROOT / "include"), *given.flags.split()]
            options += ["-isystem", given.xsimd] if given.xsimd else []
            options += ["-c", str(source), "-o", os.path.join(directory, "unit.o")]
            best = [min(cpu_seconds([c, *options]) for _ in range(given.rounds)) for c in compilers]
            count = instantiations([counter, *options], directory) if counter else 0
            lines.append(f"| {unit} | " + " | ".join(f"{s:.2f}" for s in best) + f" | {count or ''} |")
            print(lines[-1] if len(lines) > 3 else "\n".join(lines), flush=True)
            if unit in budgets and count > budgets[unit]:
                over.append(f"{unit}: {count} templates, the budget is {budgets[unit]}")
    if given.markdown:
        pathlib.Path(given.markdown).write_text("\n".join(lines) + "\n")
    for line in over:
        print("over budget: " + line, file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
