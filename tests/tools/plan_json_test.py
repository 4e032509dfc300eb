#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles programs that print plan_json of many expressions, and compares the JSON with the other reports of a plan.

    tests/tools/plan_json_test.py --compiler g++ -- -Iinclude -mavx2

With matplotlib it also draws them by tools/draw_plan.py.
"""
import importlib.util
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, expect, finished, options

LETTERS = {"s": "skipped", "e": "empty", "m": "masked", "f": "full", "r": "undecided"}


def printed_plans(compiler, flags, folder):
    """What plan_json_plans.cpp prints: title, flops, workspace_bytes, number of steps, JSON, text of explain."""
    program = Path(folder) / "plans"
    subprocess.run([compiler, "-std=c++20", "-O0", *flags, str(ROOT / "tests/tools/plan_json_plans.cpp"), "-o", str(program)],
                   check=True)
    out = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return [record.split("\x1f") for record in out.split("\x1e")[:-1]]


def walk(body):
    """Loops and stages of a body, outer ones first."""
    for item in body:
        yield item
        yield from walk(item.get("body", []))


def spaceless(text):
    """Long lines of explain are broken at spaces."""
    return re.sub(r"\s+", "", text)


def check_buffers(title, plan, text):
    """They lie inside scratch, those that live at one time lie apart, and explain says the same of each."""
    in_memory = [b for b in plan["buffers"] if not b["registers"]]
    names = [b["name"] for b in plan["buffers"]]
    expect(len(set(names)) == len(names), f"{title}: each buffer has a name of its own: {names}")
    owners = [b for b in in_memory if "in_place_of" not in b]
    for b in owners:
        expect(b["offset"] + b["bytes"] <= plan["scratch_bytes"], f"{title}: {b['name']} is in scratch")
        expect(b["first"] <= b["last"], f"{title}: {b['name']} lives")
        place = f"{b['bytes'] // 1024} KiB" if b["bytes"] % 1024 == 0 else f"{b['bytes']:,} B"
        expect(spaceless(f"{place} at {b['offset']:,}") in text, f"{title}: explain has {b['name']}, {place} at {b['offset']}")
    for i, a in enumerate(owners):
        for b in owners[i + 1:]:
            together = a["first"] <= b["last"] and b["first"] <= a["last"]
            apart = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
            expect(apart or not together, f"{title}: {a['name']} and {b['name']} live at one time and lie apart")
    for b in in_memory:
        if "in_place_of" in b:
            expect(b["in_place_of"] in names, f"{title}: {b['name']} is in place of a buffer")
            expect(spaceless(f"in place of {b['in_place_of']}") in text, f"{title}: explain says what {b['name']} replaces")


def check_mask(title, mask, text):
    counts = {name: mask[name] for name in LETTERS.values()}
    expect(sum(counts.values()) == mask["tiles"], f"{title}: {counts} are all {mask['tiles']} tiles")
    if mask["map"]:
        drawn = "".join(mask["map"])
        expect(len(drawn) == mask["tiles"] and len({len(line) for line in mask["map"]}) == 1, f"{title}: the map has all tiles")
        for letter, name in LETTERS.items():
            expect(drawn.count(letter) == counts[name], f"{title}: {counts[name]} tiles are {name}: {mask['map']}")
    said = f"of {mask['tiles']:,} tile{'s' if mask['tiles'] != 1 else ''} of {mask['queries']:,} x {mask['keys']} keys: "
    words = {"skipped": "skipped", "empty": "empty", "masked": "masked", "full": "full", "undecided": "decided at run time"}
    said += ", ".join(f"{counts[name]:,} {word}" for name, word in words.items() if counts[name])
    expect(spaceless(said) in text, f"{title}: explain says {said}")


def check_stage(title, stage, text):
    for name in ("formula", "second"):
        if name in stage:
            expect(spaceless(stage[name]) in text, f"{title}: explain has {stage[name]}")
    if "then" in stage:
        expect(spaceless(stage["then"]) in text, f"{title}: explain has then {stage['then']}")
    expect(spaceless(stage["tile"]) in text, f"{title}: explain has {stage['tile']}")
    expect(stage["lanes"] in ("rows", "columns", "depth", "matrices"), f"{title}: lanes are {stage['lanes']}")
    if "mask" in stage:
        check_mask(title, stage["mask"], text)


def check_plan(title, plan, explained):
    text = spaceless(explained)
    expect(sum(s["flops"] for s in plan["steps"]) == plan["flops"], f"{title}: flops of the steps are those of the plan")
    expect(plan["operand_bytes"] == sum(o["bytes"] for o in plan["operands"]), f"{title}: bytes of operands")
    for o in plan["operands"]:
        dims = [f"{a} {n:,}" if a else f"{n:,}" for a, n in zip(o["axes"], o["shape"])]
        expect(spaceless(f"{o['name']} [{', '.join(dims)}]") in text, f"{title}: explain reads {o['name']} {dims}")
        if o["element"] == "float" and not o["packed"]:
            expect(o["bytes"] <= 4 * math.prod(o["shape"]) and o["bytes"] % 4 == 0, f"{title}: bytes of {o['name']}")
    expect(plan["result_bytes"] >= 4 * math.prod(plan["result"]["shape"]), f"{title}: bytes of the result")
    stages = loops = 0
    for number, step in enumerate(plan["steps"], 1):
        inside = list(walk(step["body"]))
        expect(sum(s["flops"] for s in inside if "stage" in s) == step["flops"], f"{title}: flops of the stages of step {number}")
        expect(spaceless(f"step {number}: {step['flops']:,} flops") in text, f"{title}: explain has step {number}")
        for item in inside:
            loops += "loop" in item
            if "loop" in item:
                expect(1 <= item["tile"] <= item["extent"] and item["body"], f"{title}: a loop has tiles and something to do")
                expect(f"({spaceless(item['axis'])})" in text or not item["axis"], f"{title}: explain has axis {item['axis']}")
            else:
                stages += 1
                check_stage(title, item, text)
    times = [s["time"] for step in plan["steps"] for s in walk(step["body"]) if "stage" in s]
    expect(times == sorted(times), f"{title}: stages are in the order in which they run: {times}")
    expect(all(b["last"] <= max(times) for b in plan["buffers"] if "last" in b), f"{title}: no buffer lives longer than all stages")
    check_buffers(title, plan, text)
    return stages, loops


def check_run(title, report, explained):
    """What workers and rows_below change: which loops are shared, and where they end."""
    text = spaceless(explained)
    loops = [item for plan in report["plans"] for step in plan["steps"] for item in walk(step["body"]) if "loop" in item]
    shared = sum("shared" in loop for loop in loops)
    expect(shared == text.count("whichworkersshare"), f"{title}: {shared} loops are shared")
    ends = [loop["ends_at"] for loop in loops if "ends_at" in loop]
    for limits, said in ((["rows_below"], "uptorows_below"), (["keys"], "uptothelastkeptkey"), (["rows_below", "keys"], "uptorows_belowandthelastkeptkey")):
        count = text.count(said) - (text.count(said + "andthelastkeptkey") if limits == ["rows_below"] else 0)
        expect(ends.count(limits) == count, f"{title}: {count} loops end at {limits}: {ends}")
    for plan in report["plans"]:
        expect(("worker_bytes" in plan) == (shared > 0), f"{title}: scratch of each worker")
        if "rows_up_to" in plan:
            expect(spaceless(f"of at most {plan['rows_up_to']} rows:") in text, f"{title}: up to {plan['rows_up_to']} rows")
            expect(any(p.get("rows_above") == plan["rows_up_to"] for p in report["plans"]), f"{title}: a plan for more rows")


def check(title, flops, workspace, steps, text, explained):
    try:
        report = json.loads(text)
    except json.JSONDecodeError as error:
        expect(False, f"{title}: no JSON: {error}")
        return {}
    expect(report["version"] == 1, f"{title}: version")
    expect(report["flops"] == int(flops), f"{title}: flops {report['flops']} are {flops}")
    expect(report["workspace_bytes"] == int(workspace), f"{title}: scratch {report['workspace_bytes']} is {workspace}")
    plans, alternatives = [p for p in report["plans"] if "rows_up_to" not in p], report["plans"]
    expect(sum(p["times"] * p["flops"] for p in plans) == int(flops), f"{title}: flops of all plans")
    expect(sum(p["times"] * (p["operand_bytes"] + p["result_bytes"]) for p in plans) == report["moved_bytes"], f"{title}: bytes")
    expect(sum(len(p["steps"]) for p in plans) == int(steps), f"{title}: {steps} steps")
    if len(plans) == 1 and plans[0]["times"] == 1 and "worker_bytes" not in plans[0]:
        expect(plans[0]["scratch_bytes"] == int(workspace), f"{title}: scratch of the plan")
    stages = loops = 0
    for plan in alternatives:
        expect(plan["scratch_bytes"] <= int(workspace), f"{title}: scratch of a part")
        counted = check_plan(title, plan, explained)
        stages, loops = stages + counted[0], loops + counted[1]
    # Stages that run together are two or three in the JSON, and so they are in explain, except a copy made on the way.
    kinds = r"^ *(product|softmax|norm|reduce|map|copy|matrix) +\S"
    expect(stages == len(re.findall(kinds, explained, re.M)) + explained.count(", on the way"), f"{title}: {stages} stages")
    expect(loops == len(re.findall(r"^ *for (all|every|each) ", explained, re.M)), f"{title}: {loops} loops")
    check_run(title, report, explained)
    return report


def main():
    arguments = options(__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plans = printed_plans(arguments.compiler, arguments.flags, folder)
    expect(len(plans) >= 12, f"{len(plans)} plans")
    reports = {fields[0]: check(*fields) for fields in plans}
    if not all(reports.values()):
        return finished()

    expect(reports["a tensor"]["plans"] == [], "nothing is computed of a tensor")
    axes = reports["softmax"]["plans"][0]["result"]["axes"]
    expect(axes == ['a "quoted\\ name', ""], f"names of axes are as they were given: {axes}")
    masks = [s["mask"] for p in reports["causal attention"]["plans"] for s in walk(p["steps"][0]["body"]) if "mask" in s]
    expect(len(masks) == 1 and masks[0]["name"] == "causal" and masks[0]["skipped"] > 0, f"causal skips tiles: {masks}")
    layers = reports["an encoder of three layers"]["plans"]
    expect([p["times"] for p in layers] == [3], f"one plan runs three times: {[p['times'] for p in layers]}")
    for title in ("two workers", "four workers without scratch", "two workers of an encoder", "workers of few rows"):
        expect('"shared": true' in json.dumps(reports[title]), f"{title}: they share a loop")
    keys = [i["loop"] for p in reports["blocks of keys"]["plans"] for s in p["steps"] for i in walk(s["body"]) if "loop" in i]
    expect("keys" in keys, f"a loop over blocks of keys: {keys}")
    if importlib.util.find_spec("matplotlib"):
        from draw_plan_checks import check_drawings

        with tempfile.TemporaryDirectory() as folder:
            check_drawings(reports, Path(folder))
    else:
        print("without matplotlib nothing is drawn")
    return finished()


if __name__ == "__main__":
    sys.exit(main())
