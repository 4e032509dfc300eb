#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports audio models by tools/import_audio.py, compares with a reference of its own, and compiles and runs what is written.

    tests/tools/import_audio_test.py --compiler clang++-19 -- -Iinclude -mavx2

Exits with 77 (skipped) if NumPy is missing.
"""
import json
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, called, expect, expect_refusal, finished, options, skip_without

skip_without("numpy")
import numpy as np  # noqa: E402
import import_audio  # noqa: E402
from audio_models import MODELS  # noqa: E402
from audio_reference import played  # noqa: E402
from audio_refusals import refusals  # noqa: E402
from imported_program import compile_and_run, embedded  # noqa: E402
from torch_import.safetensors import read_safetensors  # noqa: E402

BLOCK = 16
EMBEDDED = "rows_of_lstm"
PLUGIN = "plain_wavenet"

# The plugin among the examples takes an imported model, and gives its numbers in blocks that are longer than the model's.
IN_PLUGIN = """#include "{root}/examples/integrations/audio_plugin/plugin.hpp"
namespace {name}_test {{
static plugin::amplifier_processor<imported::{name}> processor;
static bool plugin_agrees() {{
    if (!loaded(io::load(processor.model, std::string("{folder}/{name}.safetensors")))) return false;
    processor.prepareToPlay(48, 100);
    juce::AudioBuffer<float> buffer(1, {count});
    juce::MidiBuffer midi;
    std::copy_n(samples.data(), {count}, buffer.getWritePointer(0));
    processor.processBlock(buffer, midi);
    double most = 0;
    for (int i = 0; i < {count}; ++i)
        most = (std::max)(most, std::abs(double(buffer.getReadPointer(0)[i]) - double(expected_y.data()[i])));
    return processor.sample_rate_fits() && most < 1e-5;
}}
}}  // namespace {name}_test
"""


def check_reference(name, file, folder):
    """The values that the importer writes for the test of C++ are those of the reference."""
    arrays = read_safetensors(folder / f"{name}_test.safetensors")
    samples = arrays["input.x"]
    expect(len(samples) >= 3 * BLOCK and np.abs(samples).max() > 0.1, f"{name}: a sample of several blocks")
    for key, silence in ("output.y", 0), ("prewarmed.y", None):
        if key not in arrays:
            expect("layers" in file and silence is None, f"{name}: {key} is written")
            continue
        if silence is None:  # as the header says
            text = (folder / f"{name}.hpp").read_text().split("prewarm_samples = ")[1].split(";")[0]
            silence = -(-int(text) // BLOCK) * BLOCK
        expected = played(file, samples, silence)
        apart = np.abs(arrays[key] - expected).max()
        expect(apart < 1e-6 * (1 + np.abs(expected).max()), f"{name}: {key} is {apart} from the reference")
        expect(expected.std() > 1e-3, f"{name}: {key} is no constant")


def main():
    given = options(__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, (end, file, arguments) in MODELS.items():
            source = folder / f"{name}.{end}"
            source.write_text(json.dumps(file))
            status, report, errors = called(import_audio.main, source, "--name", name, "--out", folder, "--block", BLOCK, *arguments)
            expect(status == 0 and f"wrote {folder / name}.hpp" in report, f"{name} is imported: {errors}")
            if status == 0:
                inner = file["config"]["submodels"][-1]["model"] if file.get("architecture") == "SlimmableContainer" else file
                check_reference(name, inner, folder)
        for title, raw, text, arguments in refusals():
            source, out = folder / "refused.json", folder / "refused"
            source.write_bytes(raw)
            expect_refusal(title, import_audio.main, [source, "--out", out, *arguments], out, text)
        in_plugin = IN_PLUGIN.format(root=ROOT, name=PLUGIN, folder=folder, count=3 * BLOCK + 5)
        compile_and_run(list(MODELS), folder, given.compiler, [*given.flags, f"-I{ROOT / 'examples/support'}"],
                        checks={EMBEDDED: embedded(EMBEDDED), PLUGIN: (in_plugin, f"{PLUGIN}_test::plugin_agrees()")})
    return finished()


if __name__ == "__main__":
    sys.exit(main())
