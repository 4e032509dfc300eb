#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes a C++ header of ashlar, its weights and a test for an audio model: a .nam file, or the JSON of RTNeural.

    tools/import_audio.py amplifier.nam --name amplifier --out folder
"""
import argparse
import sys
from pathlib import Path

import missing_package

try:
    from audio_import.run import import_file
    from onnx_import.errors import exit_status
except ModuleNotFoundError as missing:
    missing_package.stop(missing)


def main(arguments: list | None = None) -> int:
    """Returns the exit status: 0 if the files are written, 2 if the model cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="a .nam file of NeuralAmpModeler (WaveNet or LSTM), or a .json file of RTNeural")
    parser.add_argument("--block", type=int, default=64, metavar="64", help="most samples of a call")
    parser.add_argument("--submodel", type=int, metavar="0", help="of a SlimmableContainer; without it the largest")
    parser.add_argument("--name", default="net", help="of the struct and the files")
    parser.add_argument("--out", default=".", type=Path, metavar="FOLDER", help="where the files go")
    parser.add_argument("--embed", action="store_true", help="write a header with the weights too, which the compiler checks")
    given = parser.parse_args(arguments)
    return exit_status("import_audio", lambda: import_file(given.model, given.name, given.out, given.block, given.embed,
                                                           given.submodel))


if __name__ == "__main__":
    sys.exit(main())
