#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the charts of docs/performance.md from the JSON of bench_ashlar, and puts its table into the page.

    tools/draw_charts.py [build/bench/results.json] [--table build/bench/results.md] [--docs docs]

Writes share_of_peak.svg, share_of_bandwidth.svg and ratio_to_peers.svg; needs nothing but Python.
"""
import argparse
import json
import math
import pathlib
import re
from xml.sax.saxutils import escape

COLOURS = ["#0b6e99", "#d9822b", "#5c940d", "#ae3ec9", "#c92a2a", "#868e96", "#1098ad", "#e8590c", "#364fc7"]
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def measured(path):
    """Cases of a JSON file in their order: name without Google Benchmark's suffixes, and the counters."""
    document = json.loads(pathlib.Path(path).read_text())
    cases = [dict(b, name=b["name"].removesuffix("/iterations:1/manual_time"))
             for b in document["benchmarks"] if not b.get("error_occurred")]
    return document["context"], cases


class Svg:
    """Text and rectangles, readable on light and dark pages."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, words, anchor="start", size=12, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
                          f'font-weight="{weight}">{escape(words)}</text>')

    def bar(self, x, y, width, height, colour, title):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
                          f'fill="{colour}"><title>{escape(title)}</title></rect>')

    def line(self, x1, y1, x2, y2, colour="#ced4da"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')

    def circle(self, x, y, colour, title):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"><title>{escape(title)}</title></circle>')

    def write(self, path):
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                        f'width="{self.width}" height="{self.height}" font-family="sans-serif">\n'
                        f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")
        print(path)


LEFT, ROW, RIGHT = 210, 20, 60


def shares(cases, counter, title, path):
    """A bar per case, in percent."""
    rows = [(c["name"], 100 * c[counter]) for c in cases if counter in c]
    if not rows:
        return
    width, top = 760, 60
    svg = Svg(width, top + ROW * len(rows) + 20)
    scale = (width - LEFT - RIGHT) / 100
    svg.text(10, 24, title, size=15, weight="bold")
    for percent in range(0, 101, 20):
        x = LEFT + scale * percent
        svg.line(x, top - 8, x, top + ROW * len(rows))
        svg.text(x, top - 12, f"{percent}%", "middle", 11)
    for i, (name, share) in enumerate(rows):
        y = top + ROW * i
        svg.text(LEFT - 8, y + 13, name, "end")
        svg.bar(LEFT, y + 3, scale * min(share, 110), ROW - 6, COLOURS[0], f"{name}: {share:.1f}%")
        svg.text(LEFT + scale * min(share, 110) + 4, y + 13, f"{share:.0f}%", size=11)
    svg.write(path)


def ratios(cases, title, path):
    """A dot per case and peer, on a logarithmic axis: how many times as long it takes."""
    peers = list(dict.fromkeys(k[3:] for c in cases for k in c if k.startswith("vs_")))
    rows = [c for c in cases if any("vs_" + p in c for p in peers)]
    if not rows:
        return
    width, top = 760, 90
    highest = max(c["vs_" + p] for c in rows for p in peers if "vs_" + p in c)
    lowest = min(0.5, *(c["vs_" + p] for c in rows for p in peers if "vs_" + p in c))
    low, high = math.floor(math.log2(lowest)), math.ceil(math.log2(max(highest, 2)))
    svg = Svg(width, top + ROW * len(rows) + 20)

    def at(ratio):
        return LEFT + (math.log2(ratio) - low) / (high - low) * (width - LEFT - RIGHT)

    svg.text(10, 24, title, size=15, weight="bold")
    for i, peer in enumerate(peers):
        svg.circle(20 + 95 * (i % 8), 45 + 16 * (i // 8), COLOURS[i % len(COLOURS)], peer)
        svg.text(28 + 95 * (i % 8), 49 + 16 * (i // 8), peer)
    for power in range(low, high + 1):
        ratio = 2.0 ** power
        svg.line(at(ratio), top - 8, at(ratio), top + ROW * len(rows), "#495057" if power == 0 else "#dee2e6")
        svg.text(at(ratio), top - 12, f"{ratio:g}×", "middle", 11)
    for i, case in enumerate(rows):
        y = top + ROW * i
        svg.text(LEFT - 8, y + 13, case["name"], "end")
        for p, peer in enumerate(peers):
            if "vs_" + peer in case:
                ratio = case["vs_" + peer]
                svg.circle(at(ratio), y + ROW / 2, COLOURS[p % len(COLOURS)], f"{case['name']}, {peer}: {ratio:.2f}×")
    svg.write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", nargs="?", default="build/bench/results.json")
    parser.add_argument("--table", help="the Markdown of the same run, to put into performance.md (default: beside the JSON)")
    parser.add_argument("--docs", default="docs")
    given = parser.parse_args()
    context, cases = measured(given.json)
    docs = pathlib.Path(given.docs)
    shares(cases, "of_peak", "Share of the multiply-add peak", docs / "share_of_peak.svg")
    shares(cases, "of_bandwidth", "Share of the bandwidth of the cache level that holds the data", docs / "share_of_bandwidth.svg")
    ratios(cases, "Time of each peer relative to ashlar; right of 1× ashlar is faster", docs / "ratio_to_peers.svg")

    table = pathlib.Path(given.table) if given.table else pathlib.Path(given.json).with_suffix(".md")
    page = docs / "performance.md"
    if table.exists() and page.exists():
        text = page.read_text()
        day = context.get("date", "")[:10]
        body = f"{BEGIN}\nMeasured {day}. {table.read_text().strip()}\n{END}"
        page.write_text(re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: body, text, flags=re.S))
        print(page)


if __name__ == "__main__":
    main()
