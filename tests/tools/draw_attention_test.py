#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws .npy files by tools/draw_attention.py and reads numbers, dots and words of the SVG.

Exits with 77 (skipped) if NumPy or matplotlib is missing.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tool_checks import ROOT, called, expect, expect_refusal, finished, skip_without

skip_without("numpy", "matplotlib")
import draw_attention  # noqa: E402
import numpy as np  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def drawn(folder, *arguments):
    """The words of the picture, and how many dots it has."""
    picture = folder / "picture.svg"
    status, _, errors = called(draw_attention.main, *arguments, "-o", picture)
    expect(status == 0, f"{arguments}: {errors}")
    root = ElementTree.parse(picture).getroot()
    words = ["".join(t.itertext()) for t in root.iter(SVG + "text")]
    dots = [u for u in root.iter(SVG + "use") if draw_attention.DOT in u.get("style", "")]
    return words, len(dots)


def check_missing_packages():
    """Without its packages a tool says so in one line."""
    for tool in ("draw_attention", "draw_plan", "import_audio", "import_onnx", "import_torch", "read_gguf"):
        output = subprocess.run([sys.executable, "-S", ROOT / f"tools/{tool}.py", "x"], capture_output=True, text=True, check=False)
        expect(output.returncode == 1 and re.fullmatch(rf"{tool}: No module named '\w+' for \S+; on Debian: apt install .*\n", output.stderr),
               f"{tool} without packages: {output.returncode} {output.stderr}")


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.3, 0.3, 0.4]], np.float32)
        np.save(folder / "w.npy", weights)
        words, dots = drawn(folder, folder / "w.npy", "--words", "a<b", "$c$", "d", "--titles", "t & u")
        expect([w for w in words if re.fullmatch(r"\d\.\d\d", w)] == ["1.00", "0.25", "0.75", "0.30", "0.30", "0.40"], f"weights: {words}")
        expect(dots == 3, f"three pairs are excluded, {dots} are dots")
        expect(words.count("a<b") == 2 and words.count("$c$") == 2 and "t & u" in words, f"words are drawn as they are: {words}")

        np.save(folder / "mask.npy", np.array([[True, False, False]] * 3))
        words, dots = drawn(folder, folder / "w.npy", "--mask", folder / "mask.npy")
        expect(dots == 6 and sum(w in ("1.00", "0.25", "0.30") for w in words) == 3, f"the mask decides: {dots} dots, {words}")

        words, dots = drawn(folder, folder / "mask.npy")
        expect(dots == 6 and not any("." in w and w[0].isdigit() for w in words), f"a mask has no numbers: {words}")

        np.save(folder / "heads.npy", np.stack([weights, weights.T, weights]).reshape(1, 3, 3, 3))
        words, _ = drawn(folder, folder / "heads.npy", "--titles", "x")
        expect([w for w in words if w.startswith("x, head")] == ["x, head 0", "x, head 1", "x, head 2"], f"a panel for each head: {words}")

        np.save(folder / "large.npy", np.tril(np.ones((40, 70), np.float32)))
        words, dots = drawn(folder, folder / "large.npy")
        expect(dots == 0 and "1.00" not in words, "many squares have neither numbers nor dots")

        mask = np.ones((3, 3, 3), bool)
        mask[1, :, 2] = False
        np.save(folder / "masks.npy", mask)
        _, dots = drawn(folder, folder / "heads.npy", "--mask", folder / "masks.npy")
        expect(dots == 3, f"a mask for each head: {dots} dots")

        wrong = weights.astype(np.float64)
        wrong[2] = np.nan, np.inf, -np.inf
        for array, count in ((wrong, 1), (np.full((2, 2), np.nan), 4)):
            np.save(folder / "wrong.npy", np.asfortranarray(array))
            words, _ = drawn(folder, folder / "wrong.npy")
            red = (folder / "picture.svg").read_text(encoding="utf-8").count(f"fill: {draw_attention.NAN}")
            expect(words.count("nan") == count and red == count, f"NaN is red: {red}, {words}")
        np.save(folder / "wrong.npy", np.pad(wrong, 20))
        drawn(folder, folder / "wrong.npy")

        nothing = folder / "nothing.svg"
        np.save(folder / "vector.npy", np.zeros(3))
        np.save(folder / "empty.npy", np.zeros((0, 3)))
        np.save(folder / "text.npy", np.array([["a", "b"]]))
        np.savez(folder / "several.npz", w=weights)
        (folder / "junk.npy").write_bytes(b"junk")
        (folder / "short.npy").write_bytes((folder / "w.npy").read_bytes()[:-1])
        np.save(folder / "heads4.npy", np.ones((4, 3, 3), bool))
        for arrays, complaint in (([folder / "vector.npy"], "has no queries and keys"), ([folder / "empty.npy"], "is empty"),
                                  ([folder / "text.npy"], "are no weights"), ([folder / "missing.npy"], "missing.npy"),
                                  ([folder / "w.npy", "--titles", "a", "b"], "2 titles for 1 files"),
                                  ([folder / "w.npy", "--mask", folder / "w.npy"], "a mask is an array of bool"),
                                  ([folder / "w.npy", "--mask", folder / "large.npy"], "a mask is an array of bool"),
                                  ([folder / "heads.npy", "--mask", folder / "heads4.npy"], "a mask is an array of bool"),
                                  ([folder / "several.npz"], "an archive of w"), ([folder / "junk.npy"], "junk.npy: no whole .npy"),
                                  ([folder / "short.npy"], "short.npy: no whole .npy"),
                                  ([folder / "w.npy", "--words", "a", "b"], "2 words for 3 queries or keys")):
            expect_refusal(str(arrays), draw_attention.main, [*arrays, "-o", nothing], nothing, complaint)
        for output, complaint in ((folder / "none/w.svg", "No such file"), (folder / "w.xyz", "not supported")):
            expect_refusal(str(output), draw_attention.main, [folder / "w.npy", "-o", output], output, complaint)
    check_missing_packages()
    return finished()


if __name__ == "__main__":
    sys.exit(main())
