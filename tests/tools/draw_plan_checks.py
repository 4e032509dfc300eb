# SPDX-License-Identifier: BSL-1.0
"""Draws plans by tools/draw_plan.py, compares panels with the numbers of the JSON, and reads the SVG as XML."""
import json
import xml.etree.ElementTree as ElementTree

import draw_plan
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from tool_checks import called, expect, expect_refusal

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(path):
    """The words of a picture; ElementTree refuses what is no XML."""
    return ["".join(t.itertext()) for t in ElementTree.parse(path).getroot().iter(SVG + "text")]


def panels(figure, title):
    return [ax for ax in figure.axes if ax.get_title(loc="left").startswith(title)]


def rectangles(ax):
    return [p for p in ax.patches if isinstance(p, Rectangle)]


def check_panels(title, report):
    figure = draw_plan.draw(report, {}, title)
    buffers, tiles, flops = panels(figure, "Buffers"), panels(figure, "Tiles"), panels(figure, "FLOP")
    expect(len(buffers) == len(report["plans"]), f"{title}: a panel of buffers for each plan")
    for ax, plan in zip(buffers, report["plans"]):
        drawn = {(r.get_x(), r.get_y(), r.get_width(), r.get_height()) for r in rectangles(ax)}
        wanted = {(b["first"], b["offset"], b["last"] - b["first"] + 1, b["bytes"])
                  for b in plan["buffers"] if not b["registers"] and "in_place_of" not in b}
        expect(drawn == wanted, f"{title}: a rectangle for each buffer: {sorted(drawn ^ wanted)}")
    masks = [m for plan in report["plans"] for m in draw_plan.distinct_masks(plan)]
    expect(len(tiles) == len(masks), f"{title}: a panel for each mask")
    for ax, mask in zip(tiles, masks):
        colours = [to_hex(r.get_facecolor()) for r in rectangles(ax)]
        for letter, (name, colour) in draw_plan.TILES.items():
            count = mask["undecided" if letter == "r" else name]
            expect(not mask["map"] or colours.count(colour) == count, f"{title}: {count} tiles are {name}")
    for ax, plan in zip(flops, report["plans"]):
        stages = [s for s in draw_plan.plan_stages(plan) if s["flops"]]
        if len(stages) <= 12:
            expect(sum(r.get_width() for r in rectangles(ax)) == plan["flops"], f"{title}: bars sum up to the operations")
    draw_plan.plt.close(figure)


def check_roofline(report):
    measured = {"peak_flops": 1e11, "bandwidth": 1e10, "seconds": report["flops"] / 2e10}
    figure = draw_plan.draw(report, measured, "roofline")
    points = {line.get_label().split(":")[0]: line.get_xydata()[0] for ax in panels(figure, "Roofline") for line in ax.lines}
    draw_plan.plt.close(figure)
    intensity = report["flops"] / report["moved_bytes"]
    expect(abs(points["its bound"][1] - min(100, 10 * intensity)) < 1e-9, f"the bound of memory or of arithmetic: {points}")
    expect(abs(points["measured"][1] - 20) < 1e-9, f"what was measured: {points}")


def check_runs(report):
    few, more = report["plans"]
    rows = few["rows_up_to"]
    expect(draw_plan.run_text(few) == f" for up to {rows} rows" and draw_plan.run_text(more) == f" for more than {rows} rows",
           f"a plan for few rows and one for more: {draw_plan.run_text(few)}, {draw_plan.run_text(more)}")
    loops = [line for plan in report["plans"] for box in draw_plan.Nest(plan).boxes for line in box[4] if line.startswith("for ")]
    expect(any(loop.endswith(", shared") for loop in loops), f"workers share a loop: {loops}")
    expect(any(", to rows_below" in loop for loop in loops), f"a loop ends at rows_below: {loops}")


def check_drawings(reports, folder):
    for title, report in reports.items():
        if report["plans"]:
            check_panels(title, report)
    check_roofline(reports["causal attention"])
    check_roofline(reports["elementwise"])
    check_runs(reports["workers of few rows"])

    source, picture = folder / "plan.json", folder / "plan.svg"
    for title in ("causal attention", "softmax", "an encoder of three layers"):
        source.write_text(json.dumps({"plan": reports[title], "title": title + " <&>"}), encoding="utf-8")
        status, _, errors = called(draw_plan.main, source, "-o", picture)
        expect(status == 0, f"{title}: {errors}")
        words = texts_of(picture)
        expect(title + " <&>" in words, f"{title}: the title is in the picture")
        for plan in reports[title]["plans"]:
            for stage in draw_plan.plan_stages(plan):
                first = draw_plan.stage_lines(stage, 60)[0]
                expect(first in words, f"{title}: {first} is in the picture")
        first_picture = picture.read_bytes()
        called(draw_plan.main, source, "-o", picture)
        expect(picture.read_bytes() == first_picture, f"{title}: equal plans give equal pictures")

    nothing = folder / "nothing.svg"
    for text, complaint in (("{", "draw_plan: "), ("[]", "draw_plan: "), ('{"version": 2, "plans": []}', "no plan_json of version 1"),
                            ('{"version": 1, "plans": [{}]}', "no whole plan_json: 'times'"),
                            (json.dumps(reports["a tensor"]), "a tensor has no plan")):
        source.write_text(text, encoding="utf-8")
        expect_refusal(text, draw_plan.main, [source, "-o", nothing], nothing, complaint)
    source.write_text(json.dumps(reports["softmax"]), encoding="utf-8")
    for given, complaint in ((["--peak", "85"], "the roofline needs --peak and --bandwidth"), (["--peak=-1", "--bandwidth", "2"], "--peak is a number"),
                             (["--peak", "nan", "--bandwidth", "2"], "--peak is a number"), (["--seconds", "1"], "the roofline needs"),
                             (["--most", "0"], "--most is a number")):
        expect_refusal(str(given), draw_plan.main, [source, "-o", nothing, *given], nothing, complaint)
    for output, complaint in ((folder / "none/plan.svg", "No such file"), (folder / "plan.xyz", "not supported")):
        expect_refusal(str(output), draw_plan.main, [source, "-o", output], output, complaint)
