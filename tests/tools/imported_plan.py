# SPDX-License-Identifier: BSL-1.0
"""Compiles the program that tools/import_onnx.py --plan writes, compares what it prints with the header, and draws it."""
import importlib.util
import json
import re
import subprocess

from tool_checks import ROOT, called, expect


def printed_document(name, folder, compiler, flags):
    """The JSON that NAME_plan prints; None after a failure."""
    program = folder / f"{name}_plan"
    built = subprocess.run([compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-DASHLAR_UNOPTIMIZED", *flags,
                            f"{program}.cpp", "-o", str(program)], cwd=ROOT, check=False)
    expect(built.returncode == 0, f"{name}_plan.cpp compiles")
    if built.returncode:
        return None
    return json.loads(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)


def check_drawing(name, folder, document):
    import draw_plan
    from draw_plan_checks import texts_of

    source, picture = folder / f"{name}.json", folder / f"{name}.svg"
    source.write_text(json.dumps(document), encoding="utf-8")
    drawn = [part for part in document["parts"] if part["plan"]["plans"]]
    heaviest = max(part["times"] * part["plan"]["flops"] for part in drawn)
    for most, expected in ((len(drawn), len(drawn)), (1, 1)):
        status, _, errors = called(draw_plan.main, source, "-o", picture, "--most", most)
        expect(status == 0, f"{name}: {errors}")
        words = texts_of(picture)
        expect(sum(word.startswith("Buffers over time") for word in words) == expected, f"{name}: --most {most} draws {expected}")
        expect(all(any(part["title"] in word for word in words) for part in drawn), f"{name}: a bar for each step: {words}")
    headings = [word for word in words if re.search(r"\]$|times$", word)]  # bars first, then the only plan
    chosen = next(part for part in drawn if part["times"] * part["plan"]["flops"] == heaviest)
    expect(headings[-1].startswith(chosen["title"]), f"{name}: the plan with the most FLOP is drawn, not {headings[-1]}")
    status, _, errors = called(draw_plan.main, source, "-o", picture, "--most", 0)
    expect(status == 2 and "--most" in errors, f"{name}: --most 0 is refused: {errors}")


def check_plan(name, folder, compiler, flags, unnamed=0):
    """Each step of the header is in one part of the document, all but `unnamed` parts under the title of their operator."""
    document = printed_document(name, folder, compiler, flags)
    if not document:
        return
    lines = re.findall(r"^ +(?:const auto& \w+ = )?step\(.*", (folder / f"{name}.hpp").read_text(), re.M)
    operators = {line.rpartition("//")[2].strip() for line in lines}
    parts = document["parts"]
    expect(sum(part["times"] for part in parts) == len(lines), f"{name}: {len(lines)} steps: {parts}")
    named = [part for part in parts if part["title"] in operators or part["title"].startswith("for ")]
    expect(len(parts) - len(named) == unnamed, f"{name}: titles are those of {operators}: {parts}")
    expect(len({json.dumps(part["plan"]) for part in parts}) == len(parts), f"{name}: a plan is one part")
    expect(any(part["plan"]["flops"] for part in parts), f"{name}: something is computed")
    if importlib.util.find_spec("matplotlib"):
        check_drawing(name, folder, document)
