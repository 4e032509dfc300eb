#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws weights of attention, or masks, as heat maps: .npy files in, an SVG out.

    tools/draw_attention.py all.npy causal.npy -o attention.svg --titles "all pairs" causal --words your journey starts
    tools/draw_attention.py heads.npy -o heads.svg --mask mask.npy

An array [queries, keys] is one panel, an array [heads, queries, keys] one for each head, and more leading axes count as
heads too. Arrays of bool are masks, True: kept. The darker a square is, the larger the weight; a dot is a pair that the
mask excludes: one where --mask is False, or without it one whose weight is zero. NaN is red. Needs matplotlib.
"""
from __future__ import annotations

import argparse
import math
import sys

import missing_package

try:
    import matplotlib
    import numpy as np
except ModuleNotFoundError as missing:
    missing_package.stop(missing)

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ashlar", "font.size": 8})

COLOUR, DOT, NAN = "#0b6e99", "#adb5bd", "#fa5252"
SQUARE = 0.46  # inches of a square with a number in it
SMALLEST, LARGEST = 1.6, 4.0  # inches of a panel whose squares have none
WITH_NUMBERS = 12  # rows and columns up to which squares have numbers


Panel = tuple[str, np.ndarray, np.ndarray]  # title, weights, whether each is kept


def loaded(path: str) -> np.ndarray:
    """The array of a file."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: no whole .npy file of numbers") from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path}: an archive of {', '.join(array.files)}; save one array by numpy.save")
    return array


def panels_of(array: np.ndarray, title: str, mask: np.ndarray | None = None) -> list[Panel]:
    """A panel for each entry of the leading axes."""
    if array.ndim < 2:
        raise ValueError(f"{title}: an array {list(array.shape)} has no queries and keys")
    if not (array.dtype == bool or np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"{title}: elements of {array.dtype} are no weights")
    if array.size == 0:
        raise ValueError(f"{title}: an array {list(array.shape)} is empty")
    if mask is not None:
        kept = np.broadcast_to(mask, array.shape)
    else:
        kept = array if array.dtype == bool else array != 0
    if array.ndim == 2:
        return [(title, array, kept)]
    shape = (-1, *array.shape[-2:])
    return [(f"{title}, head {i}", *both) for i, both in enumerate(zip(array.reshape(shape), kept.reshape(shape)))]


def check_mask(mask: np.ndarray, path: str, arrays: list[np.ndarray]) -> None:
    def fits(shape: tuple[int, ...]) -> bool:
        return mask.ndim <= len(shape) and all(m in (1, n) for m, n in zip(mask.shape[::-1], shape[::-1]))

    if mask.dtype != bool or not all(fits(array.shape) for array in arrays):
        raise ValueError(f"{path}: a mask is an array of bool that fits the weights, this one is {mask.dtype} {list(mask.shape)}")


def size_of(matrix: np.ndarray) -> tuple[float, float]:
    """Inches, width first."""
    rows, columns = matrix.shape
    if max(rows, columns) <= WITH_NUMBERS:
        return SQUARE * columns, SQUARE * rows
    longest = min(max(0.08 * max(rows, columns), SMALLEST), LARGEST)
    return max(longest * columns / max(rows, columns), 0.3), max(longest * rows / max(rows, columns), 0.3)


def draw_matrix(ax: plt.Axes, title: str, matrix: np.ndarray, kept: np.ndarray, words: list[str] | None, first: bool) -> None:
    rows, columns = matrix.shape
    is_mask = matrix.dtype == bool
    most = 1.0 if is_mask else max(1.0, float(np.where(kept & np.isfinite(matrix), matrix, 0).max()))
    ax.set_xlim(0, columns)
    ax.set_ylim(rows, 0)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0, pad=2)
    ax.xaxis.tick_top()
    if max(rows, columns) <= WITH_NUMBERS:
        for i in range(rows):
            for j in range(columns):
                if not kept[i, j]:
                    ax.plot(j + 0.5, i + 0.5, "o", color=DOT, markersize=2.5)
                    continue
                weight = float(matrix[i, j])
                share = weight / most
                ax.add_patch(Rectangle((j + 0.03, i + 0.03), 0.94, 0.94, facecolor=NAN if math.isnan(weight) else COLOUR,
                                       alpha=1 if math.isnan(weight) else min(max(share, 0), 1), linewidth=0))
                if not is_mask:
                    ax.text(j + 0.5, i + 0.53, f"{weight:.2f}", ha="center", va="center",
                            color="#ffffff" if share > 0.6 else "#000000")
    else:
        shades = matplotlib.colors.LinearSegmentedColormap.from_list("weights", ["#ffffff", COLOUR])
        shades.set_bad("#e9ecef")
        place = {"aspect": "auto", "interpolation": "nearest", "extent": (0, columns, rows, 0)}
        ax.imshow(np.ma.masked_where(~kept, matrix.astype(float)), cmap=shades, vmin=0, vmax=most, **place)
        if (wrong := kept & np.isnan(matrix)).any():
            ax.imshow(np.ma.masked_where(~wrong, wrong), cmap=matplotlib.colors.ListedColormap([NAN]), **place)
    if words:
        ax.set_xticks([j + 0.5 for j in range(columns)], words[:columns], parse_math=False,
                      rotation=90 if max(map(len, words)) > 8 or columns > WITH_NUMBERS else 0)
        ax.set_yticks([i + 0.5 for i in range(rows)] if first else [], words[:rows] if first else [], parse_math=False)
    elif max(rows, columns) <= WITH_NUMBERS:
        ax.set_xticks([j + 0.5 for j in range(columns)], [str(j) for j in range(columns)])
        ax.set_yticks([i + 0.5 for i in range(rows)], [str(i) for i in range(rows)])
    ax.set_title(title, fontsize=8, family="monospace", loc="left", pad=6, parse_math=False)


def draw(panels: list[Panel], words: list[str] | None) -> plt.Figure:
    """The panels, with as many in a row as fit."""
    left = 0.35 + 0.062 * max((len(w) for w in words or [""]), default=0)
    above, gap, widest = 0.42 + (0.05 * max(map(len, words)) if words and max(map(len, words)) > 8 else 0), 0.3, 11.0
    places, x, y, row_height, width = [], left, 0.05, 0.0, 0.0
    for _, matrix, _ in panels:
        w, h = size_of(matrix)
        if places and x + w > widest:
            x, y, row_height = left, y + row_height + above + gap / 2, 0.0
        places.append((x, y + above, w, h, x == left))
        x += w + gap
        row_height, width = max(row_height, h), max(width, x)
    height = y + above + row_height + 0.1
    figure = plt.figure(figsize=(width - gap + 0.1, height))
    for (title, matrix, kept), (x, top, w, h, first) in zip(panels, places):
        ax = figure.add_axes([x / figure.get_figwidth(), 1 - (top + h) / height, w / figure.get_figwidth(), h / height])
        draw_matrix(ax, title, matrix, kept, words, first)
    return figure


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arrays", nargs="+", help=".npy files of weights or masks")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    parser.add_argument("--titles", nargs="+", help="one for each file; else their names")
    parser.add_argument("--words", nargs="+", help="of the queries and keys")
    parser.add_argument("--mask", help="a .npy file of bool [queries, keys] or [heads, queries, keys], True: kept")
    given = parser.parse_args(arguments)
    try:
        if given.titles and len(given.titles) != len(given.arrays):
            raise ValueError(f"{len(given.titles)} titles for {len(given.arrays)} files")
        arrays = [loaded(path) for path in given.arrays]
        mask = loaded(given.mask) if given.mask else None
        if mask is not None:
            check_mask(mask, given.mask, arrays)
        panels = [panel for array, title in zip(arrays, given.titles or given.arrays) for panel in panels_of(array, title, mask)]
        most = max(max(matrix.shape) for _, matrix, _ in panels)
        if given.words and len(given.words) < most:
            raise ValueError(f"{len(given.words)} words for {most} queries or keys")
        figure = draw(panels, given.words)
        figure.savefig(given.output, metadata={"Date": None} if given.output.endswith(".svg") else None, dpi=120)
        plt.close(figure)
    except (OSError, ValueError) as error:
        print(f"draw_attention: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
