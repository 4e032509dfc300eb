#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the plan of an expression, as plan_json writes it: loops, buffers over time, tiles of masks, costs, a roofline.

    build/release/examples/plan_as_json | tools/draw_plan.py -o plan.svg
    tools/draw_plan.py plan.json -o plan.svg --peak 85 --bandwidth 20 --seconds 4e-6

A document may have "parts" instead: the plans of a program's steps with their titles, as the program has them that
tools/import_onnx.py --plan writes. Then a bar for each step is above the plans with the most FLOP.

The roofline wants what the machine reaches, in GFLOP/s and GB/s, from the options or from members of the JSON beside
"plan": peak_flops and bandwidth per second; seconds is the time of one evaluation. Needs matplotlib.
"""
from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
from pathlib import Path

import missing_package

try:
    import matplotlib
except ModuleNotFoundError as missing:
    missing_package.stop(missing)

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402

# Text stays text, and equal plans give equal files.
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ashlar", "font.size": 9, "axes.titlesize": 10,
                     "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
                     "axes.spines.right": False})

KINDS = {"copy": "#ced4da", "map": "#d8f5a2", "product": "#a5d8ff", "softmax": "#ffd8a8", "norm": "#eebefa", "reduce": "#ffc9c9",
         "matrix": "#99e9f2"}
TILES = {"s": ("skipped", "#f8f9fa"), "e": ("empty", "#dee2e6"), "m": ("masked", "#74c0fc"), "f": ("full", "#0b6e99"),
         "r": ("decided at run time", "#ffd8a8")}
LINE = 0.17  # inches of a line of text
CHARACTER = 0.062  # inches of a character, about
WIDTH = 11.0
MONOSPACED = {"family": "monospace", "fontsize": 7.5, "va": "center", "parse_math": False}


def readable(n: float, unit: str) -> str:
    """1,234 B; 12.3 KiB; 4.5 MiB: at most four digits."""
    if unit == "B":
        for name, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if n >= size:
                return f"{n / size:.4g} {name}"
        return f"{n:,.0f} B"
    for name, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return f"{n / size:.4g} {name}{unit}"
    return f"{n:,.0f} {unit}"


def shortened(title: str, most: int) -> str:
    """The kind of operator, its first word, and the end of its name."""
    kind, _, name = title.partition(" ")
    return title if len(title) <= most else f"{kind} \u2026{name[len(kind) + 2 - most:]}"


def stages_of(body: list) -> list:
    """The stages of a body in the order in which they run."""
    return [s for item in body for s in (stages_of(item["body"]) if "loop" in item else [item])]


def plan_stages(plan: dict) -> list:
    return [s for step in plan["steps"] for s in stages_of(step["body"])]


def loop_text(loop: dict) -> str:
    axis = f" ({loop['axis']})" if loop["axis"] else ""
    run = f", to {' and '.join(loop['ends_at'])}" if loop.get("ends_at") else ""
    run += ", shared" if loop.get("shared") else ""
    if loop["loop"] == "entries":
        return f"for each of {loop['extent']:,}{axis}{run}"
    if loop["tile"] == loop["extent"]:
        return f"for all {loop['extent']:,} {loop['loop']}{axis}{run}"
    return f"for every {loop['tile']:,} of {loop['extent']:,} {loop['loop']}{axis}{run}"


def run_text(plan: dict) -> str:
    """How often and for how many rows a plan runs; nothing if it is once and for all of them."""
    words = f" runs {plan['times']} times" if plan["times"] != 1 else ""
    for name, bound in (("rows_up_to", "up to"), ("rows_above", "more than")):
        if name in plan:
            words += f" for {bound} {plan[name]:,} rows"
    return words


def stage_lines(stage: dict, columns: int) -> list[str]:
    parts = [stage[name] for name in ("formula", "second") if name in stage]
    if "then" in stage:
        parts.append("then " + stage["then"])
    lines = []
    for part in parts:
        lines += textwrap.wrap(part, max(columns, 20), subsequent_indent="    ")
    lanes = f"{stage['tile']}, lanes: {stage['lanes']}" + (", together" if stage["fused"] else "")
    return lines + textwrap.wrap(lanes, max(columns, 20))


class Nest:
    """The steps of a plan as boxes in boxes, a unit high for each line of text."""

    COLUMNS = 84  # characters per line

    def __init__(self, plan: dict):
        self.plan, self.boxes, self.height = plan, [], 0.0
        for number, step in enumerate(plan["steps"], 1):
            scratch = f", {readable(step['scratch_bytes'], 'B')} a tile" if step["scratch_bytes"] else ""
            self.begin(f"step {number}: {readable(step['flops'], 'FLOP')}{scratch}", step["body"], 0)

    def begin(self, title: str, body: list, depth: int) -> None:
        box = [depth, self.height, 0.0, "#f8f9fa" if depth % 2 == 0 else "#e9ecef", [title], True]
        self.boxes.append(box)
        self.height += 1.2
        for item in body:
            if "loop" in item:
                self.begin(loop_text(item), item["body"], depth + 1)
                continue
            lines = stage_lines(item, self.COLUMNS - 4 * depth - 24)
            self.boxes.append([depth + 1, self.height, self.height + len(lines) + 0.3, KINDS.get(item["stage"], "#ffffff"), lines,
                               item["stage"]])
            self.height += len(lines) + 0.5
        self.height += 0.2
        box[2] = self.height - 0.1
        self.height += 0.1

    def draw(self, ax: plt.Axes) -> None:
        ax.set_xlim(-0.2, self.COLUMNS + 0.2)
        ax.set_ylim(self.height, -0.05)
        ax.axis("off")
        ax.set_title("Loops and stages")
        for depth, top, bottom, colour, lines, kind in self.boxes:
            left = 1.5 * depth
            ax.add_patch(Rectangle((left, top), self.COLUMNS - 2 * left, bottom - top, facecolor=colour, edgecolor="#868e96",
                                   linewidth=0.6))
            indent = left + 1 if kind is True else left + 11
            if kind is not True:
                ax.text(left + 1, top + 0.65, kind, weight="bold", **MONOSPACED)
            for i, line in enumerate(lines):
                ax.text(indent, top + 0.65 + i, line, **MONOSPACED)


def draw_buffers(ax: plt.Axes, plan: dict) -> None:
    """A rectangle for each buffer: from its first stage to its last, from its first byte to its last."""
    stages = plan_stages(plan)
    ends = max((s["time"] for s in stages), default=0) + 1
    names: dict[str, list] = {}
    for b in plan["buffers"]:
        if not b["registers"]:
            names.setdefault(b.get("in_place_of", b["name"]), []).append(b)
    for i, group in enumerate(names.values()):
        b = group[0]
        height, width = b["bytes"], b["last"] - b["first"] + 1
        ax.add_patch(Rectangle((b["first"], b["offset"]), width, height, facecolor=plt.cm.Set3(i % 12), edgecolor="#495057",
                               linewidth=0.7, hatch="//" if b["barrier"] else None))
        label = ", ".join(member["name"] for member in group)
        if height > 0.03 * max(plan["scratch_bytes"], 1):
            ax.text(b["first"] + width / 2, b["offset"] + height / 2, f"{label}\n{readable(b['bytes'], 'B')}"
                    if height > 0.16 * plan["scratch_bytes"] else label, ha="center", va="center", fontsize=8)
    ax.set_xlim(0, ends)
    ax.set_ylim(0, max(plan["scratch_bytes"], 1))
    kinds = {s["time"]: s["stage"] for s in stages}
    turned = ends > 8
    ax.set_xticks([t + 0.5 for t in range(ends)], [kinds.get(t, "") for t in range(ends)], rotation=60 if turned else 0,
                  ha="right" if turned else "center", fontsize=6 if ends > 20 else 8)
    ax.tick_params(axis="x", length=0)
    ticks = [plan["scratch_bytes"] * i / 4 for i in range(5)]
    ax.set_yticks(ticks, [readable(t, "B") for t in ticks], fontsize=7)
    barriers = "; hatched: for later steps" if any(b["barrier"] and not b["registers"] for b in plan["buffers"]) else ""
    ax.set_title(f"Buffers over time{barriers}")


def draw_tiles(ax: plt.Axes, mask: dict) -> None:
    """A square for each tile of scores, coloured by what the mask keeps of it."""
    counts = {letter: mask[name if letter != "r" else "undecided"] for letter, (name, _) in TILES.items()}
    rows = len(mask["map"])
    columns = len(mask["map"][0]) if rows else 0
    for y, line in enumerate(mask["map"]):
        for x, letter in enumerate(line):
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=TILES[letter][1], edgecolor="#adb5bd", linewidth=0.4))
    if rows:
        ax.set_xlim(0, columns)
        ax.set_ylim(rows, 0)
        # Tiles keep their aspect ratio, unless the picture would be a line.
        ax.set_box_aspect(min(max(rows * mask["queries"] / (columns * mask["keys"]), 0.25), 1.0))
        ax.set_anchor("NW")
    else:
        ax.text(0.5, 0.5, "too many to draw", ha="center", transform=ax.transAxes)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"tiles of {mask['keys']} keys", fontsize=7)
    ax.set_ylabel(f"of {mask['queries']} queries", fontsize=7)
    ax.set_title(f"Tiles of {mask['name']}", parse_math=False)
    handles = [Patch(facecolor=colour, edgecolor="#adb5bd", label=f"{counts[letter]:,} {name}")
               for letter, (name, colour) in TILES.items() if counts[letter]]
    ax.legend(handles=handles, fontsize=7, loc="upper left", bbox_to_anchor=(1.03, 1.0), frameon=False)


def draw_bars(ax: plt.Axes, title: str, bars: list[tuple[str, int, str]], unit: str) -> None:
    """A horizontal bar for each (name, value, colour)."""
    most = max((value for _, value, _ in bars), default=1) or 1
    for i, (name, value, colour) in enumerate(bars):
        ax.barh(i, value, color=colour, edgecolor="#868e96", linewidth=0.6, height=0.7)
        ax.text(value + 0.02 * most, i, readable(value, unit), va="center", fontsize=7)
    ax.set_yticks(range(len(bars)), [name for name, _, _ in bars], fontsize=7)
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.set_xlim(0, 1.7 * most)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines["bottom"].set_visible(False)
    ax.set_title(title)


def flop_bars(plan: dict) -> list[tuple[str, int, str]]:
    bars = []
    for s in plan_stages(plan):
        if s["flops"]:
            target = s.get("formula", s.get("second", "")).split(" = ")[0]
            bars.append((f"{s['stage']} {target}", s["flops"], KINDS[s["stage"]]))
    return bars


def byte_bars(plan: dict) -> list[tuple[str, int, str]]:
    bars = [(o["name"], o["bytes"], "#a5d8ff") for o in plan["operands"]]
    if len(bars) > 8:
        bars = [(f"{len(bars)} operands", plan["operand_bytes"], "#a5d8ff")]
    return bars + [("result", plan["result_bytes"], "#b2f2bb"), ("scratch", plan["scratch_bytes"], "#ffec99")]


def draw_roofline(ax: plt.Axes, report: dict, measured: dict) -> None:
    """The bound of memory and of arithmetic, and where the expression is."""
    peak, bandwidth = measured["peak_flops"], measured["bandwidth"]
    intensity = report["flops"] / report["moved_bytes"]
    ridge = peak / bandwidth
    low, high = min(ridge, intensity) / 8, max(ridge, intensity) * 8
    xs = [low, ridge, high]
    ax.plot(xs, [min(peak, x * bandwidth) / 1e9 for x in xs], color="#495057")
    ax.text(high, peak / 1e9 * 1.1, f"{peak / 1e9:.0f} GFLOP/s", ha="right", va="bottom", fontsize=7)
    ax.text(low * 1.6, low * 1.6 * bandwidth / 1e9 * 1.3, f"{bandwidth / 1e9:.3g} GB/s", fontsize=7, ha="right")
    bound = min(peak, intensity * bandwidth)
    ax.plot([intensity], [bound / 1e9], "o", color="#ffffff", markeredgecolor="#0b6e99", label="its bound")
    if measured.get("seconds"):
        reached = report["flops"] / measured["seconds"]
        ax.plot([intensity], [reached / 1e9], "o", color="#0b6e99",
                label=f"measured: {reached / 1e9:.3g} GFLOP/s, {reached / bound:.0%} of it")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.tick_params(labelsize=7)
    ax.set_xlabel(f"FLOP per byte of operands and result: {intensity:.3g} here", fontsize=8)
    ax.set_ylabel("GFLOP/s", fontsize=8)
    ax.set_title("Roofline")
    ax.legend(fontsize=7, loc="lower right", frameon=False)


def distinct_masks(plan: dict) -> list:
    """The masks that a plan's stages apply, equal ones once, at most three."""
    masks = []
    for stage in plan_stages(plan):
        if "mask" in stage and stage["mask"] not in masks:
            masks.append(stage["mask"])
    return masks[:3]


class Page:
    """A figure that is filled from the top; distances are inches."""

    MARGIN, LEFT, RIGHT = 0.2, 6.2, 7.1

    def __init__(self, height: float):
        self.height = height
        self.figure = plt.figure(figsize=(WIDTH, height))

    def text(self, y: float, words: str, **style) -> None:
        self.figure.text(self.MARGIN / WIDTH, 1 - y / self.height, words, parse_math=False, **style)

    def panel(self, left: float, right: float, top: float, height: float) -> plt.Axes:
        return self.figure.add_axes([left / WIDTH, 1 - (top + height) / self.height, (right - left) / WIDTH, height / self.height])


def report_of(document: dict) -> dict:
    """The report of a document; of parts it is what one expression of all of them would have, and the plans have titles."""
    if "parts" not in document:
        return document.get("plan", document)
    parts = [(part.get("title", ""), part.get("times", 1), part["plan"]) for part in document["parts"]]
    report = {"version": 1 if all(plan.get("version") == 1 for _, _, plan in parts) else None, "parts": len(parts)}
    for total in ("flops", "moved_bytes"):
        report[total] = sum(times * plan[total] for _, times, plan in parts)
    report["workspace_bytes"] = document["workspace_bytes"]
    report["plans"] = [{**plan, "times": times * plan["times"], "title": title} for title, times, whole in parts for plan in whole["plans"]]
    return report


def plan_flops(plan: dict) -> int:
    return plan["times"] * plan["flops"]


def keep_largest(report: dict, most: int) -> dict:
    """The report with the plans of the most FLOP, in their order."""
    chosen = sorted(report["plans"], key=plan_flops, reverse=True)[:most]
    return {**report, "plans": [plan for plan in report["plans"] if any(plan is c for c in chosen)]}


HEADING, BUFFERS, BARS, TILES_HEIGHT, ROOFLINE = 0.3, 2.1, 1.4, 1.5, 2.3  # inches


def right_height(plan: dict) -> float:
    """Of the panels beside the loops."""
    return HEADING + BUFFERS + 0.8 + BARS + len(distinct_masks(plan)) * (0.6 + TILES_HEIGHT)


def draw_plan(page: Page, plan: dict, nest: Nest, top: float) -> None:
    ax = page.panel(page.MARGIN, page.LEFT, top + HEADING, nest.height * LINE)
    nest.draw(ax)
    title, runs = shortened(plan.get("title", ""), 60), run_text(plan)
    ax.set_title(f"{title or 'Loops and stages: this plan'}{runs}" if title or runs else "Loops and stages", parse_math=False)
    below = top + HEADING
    draw_buffers(page.panel(page.RIGHT, WIDTH - 0.2, below, BUFFERS), plan)
    below += BUFFERS + 0.8
    draw_bars(page.panel(page.RIGHT + 0.5, page.RIGHT + 1.9, below, BARS), "FLOP", flop_bars(plan)[:12], "FLOP")
    draw_bars(page.panel(page.RIGHT + 2.6, WIDTH - 0.1, below, BARS), "Bytes", byte_bars(plan), "B")
    below += BARS
    for mask in distinct_masks(plan):
        below += 0.6
        draw_tiles(page.panel(page.RIGHT, page.RIGHT + 2.2, below, TILES_HEIGHT), mask)
        below += TILES_HEIGHT


def step_bars(report: dict) -> list[tuple[str, int, str]]:
    """A bar for each plan of a document of parts."""
    if "parts" not in report:
        return []
    return [(shortened(plan["title"], 60) + run_text(plan).replace(" runs", ","), plan_flops(plan), KINDS["product"])
            for plan in report["plans"]]


def draw(report: dict, measured: dict, title: str, most: int = 12) -> plt.Figure:
    """The panels of each plan below each other, and the roofline if the machine is known."""
    bars = step_bars(report)
    report = keep_largest(report, most)
    nests = [Nest(plan) for plan in report["plans"]]
    heights = [max(HEADING + nest.height * LINE, right_height(plan)) + 0.4 for nest, plan in zip(nests, report["plans"])]
    with_roofline = bool(measured.get("peak_flops") and measured.get("bandwidth") and report["moved_bytes"] and report["flops"])
    # The roofline is below the loops of the last plan, where there is room.
    start = 0.8 + (HEADING + len(bars) * LINE + 0.6 if bars else 0)
    roofline_top = start + sum(heights[:-1]) + HEADING + nests[-1].height * LINE + 0.6
    height = start + sum(heights)
    page = Page(max(height, roofline_top + ROOFLINE + 0.6) if with_roofline else height)
    page.text(0.35, title, fontsize=12, weight="bold")
    page.text(0.58, f"{report['flops']:,} FLOP, {report['workspace_bytes']:,} B of scratch, "
              f"{report['moved_bytes']:,} B of operands and results", fontsize=9)
    if bars:
        steps = "Steps" if len(bars) <= most else f"{len(bars)} steps; below are the {most} with the most FLOP"
        draw_bars(page.panel(4.5, WIDTH - 0.2, 0.8 + HEADING, len(bars) * LINE), steps, bars, "FLOP")
    top = start
    for plan, nest, taken in zip(report["plans"], nests, heights):
        draw_plan(page, plan, nest, top)
        top += taken
    if with_roofline:
        draw_roofline(page.panel(page.MARGIN + 0.6, page.LEFT, roofline_top, ROOFLINE), report, measured)
    return page.figure


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", nargs="?", default="-", help="a file, or - for the standard input")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    parser.add_argument("--title", help="what is written above it")
    parser.add_argument("--most", type=int, default=12, help="how many plans are drawn: those with the most FLOP (12 unless given)")
    parser.add_argument("--peak", type=float, help="GFLOP/s of multiply-adds")
    parser.add_argument("--bandwidth", type=float, help="GB/s of memory, or of the cache that holds the data")
    parser.add_argument("--seconds", type=float, help="the time of one evaluation")
    given = parser.parse_args(arguments)
    try:
        document = json.loads(sys.stdin.read() if given.json == "-" else Path(given.json).read_text(encoding="utf-8"))
        report = report_of(document)
        if report.get("version") != 1 or not isinstance(report.get("plans"), list):
            raise ValueError("no plan_json of version 1")
        if given.most < 1:
            raise ValueError("--most is a number of plans, at least 1")
        options = {"peak": given.peak, "bandwidth": given.bandwidth, "seconds": given.seconds}
        for name, value in options.items():
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"--{name} is a number above 0")
        measured = {name: document.get(name) for name in ("peak_flops", "bandwidth", "seconds")}
        for name, value in (("peak_flops", given.peak), ("bandwidth", given.bandwidth)):
            measured[name] = value * 1e9 if value else measured[name]
        measured["seconds"] = given.seconds or measured["seconds"]
        if any(options.values()) and not (measured["peak_flops"] and measured["bandwidth"]):
            raise ValueError("the roofline needs --peak and --bandwidth")
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        print(f"draw_plan: {given.json}: {error}", file=sys.stderr)
        return 2
    if not report["plans"]:
        print(f"draw_plan: {given.json}: a tensor has no plan", file=sys.stderr)
        return 2
    try:
        figure = draw(report, measured, given.title or document.get("title", "Plan"), given.most)
    except (KeyError, TypeError, AttributeError) as error:
        print(f"draw_plan: {given.json}: no whole plan_json: {error}", file=sys.stderr)
        return 2
    try:
        figure.savefig(given.output, metadata={"Date": None} if given.output.endswith(".svg") else None, dpi=120)
    except (OSError, ValueError) as error:
        print(f"draw_plan: {given.output}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
