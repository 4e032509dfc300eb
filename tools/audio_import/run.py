# SPDX-License-Identifier: BSL-1.0
"""Converts a file to a header; the command line and the tests call it."""
from __future__ import annotations

from pathlib import Path
from typing import Callable

import numpy as np
from onnx_import.cpp import check_name
from onnx_import.errors import ModelError
from onnx_import.graph import Value
from onnx_import.report import summary

from .chain import Chain
from .emit import write_all
from .fields import read_json
from .nam import open_nam
from .rtneural import open_rtneural

MOST_SAMPLES = 4096  # that the test remembers beside its blocks: all of a standard WaveNet


def sample_signal(count: int, channels: int) -> np.ndarray:
    """A falling tone, and noise that is the same each time."""
    t = np.arange(count)[:, None]
    noise = np.random.default_rng(1).standard_normal((count, channels))
    return (0.4 * np.sin(0.03 * t + 1e-5 * t * t) * np.exp(-t / 4000) + 0.2 * noise).astype(np.float32).astype(np.float64)


def open_model(path: Path, submodel: int | None, notes: list[str]) -> tuple[int, str, Callable]:
    """Detects the kind of file from its content."""
    file = read_json(path)
    if file.has("architecture"):
        return open_nam(file, submodel, notes)
    if submodel is not None:
        raise ModelError(f"--submodel {submodel}: the file is no .nam file")
    if file.has("layers"):
        return open_rtneural(file)
    raise ModelError(f"{path}: neither a .nam file, which has an architecture, nor a model of RTNeural, which has layers")


def import_file(path: Path, name: str, folder: Path, block: int, embed: bool, submodel: int | None) -> tuple[bool, str]:
    """Writes the files. Returns whether all is covered, and the report."""
    check_name(name)
    if not 1 <= block <= 65536:
        raise ModelError(f"--block {block}: a block has 1 to 65536 samples")
    notes = []
    channels, title, build = open_model(path, submodel, notes)
    reach = Chain(name, block)
    build(reach, sample_signal(1, channels))  # how far it reaches back, before anything long is computed
    samples = sample_signal(min(reach.reach, MOST_SAMPLES) + 3 * block + 5, channels)
    chain, warm = Chain(name, block), None
    expected = build(chain, samples)
    if name in chain.named or name in chain.declared:
        raise ModelError(f"--name {name}: this name has a meaning of its own; choose another one")
    if chain.prewarm_samples:
        silence = -(-chain.prewarm_samples // block) * block
        warm = build(Chain(name, block), np.concatenate([np.zeros((silence, channels)), samples]))[silence:]
    for array in (expected, *([] if warm is None else [warm])):
        if not np.isfinite(array).all() or np.abs(array).max() > np.finfo(np.float32).max:
            raise ModelError(f"{path}: its results are not finite: the weights are too large")
    chain.inputs.append(("x", Value("x", np.empty((block, channels), np.float32))))
    chain.outputs.append(("y", "y", Value("y", np.empty((block, expected.shape[1]), np.float32))))
    rate = f"{chain.sample_rate:g} Hz" if chain.sample_rate else "the file does not say the sample rate"
    remembered = [f"{name}::state: {len(chain.kept)} members, {chain.reach} samples of the past; {rate}"]
    paths = write_all(folder, name, chain, f"Imported from {path.name} by tools/import_audio.py.", samples, expected, warm,
                      embed)
    return True, "\n".join(summary(name, title, chain, remembered + notes + chain.notes, paths))
