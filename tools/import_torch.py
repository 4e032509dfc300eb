#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes a C++ header of ashlar, its weights and a test for a PyTorch module, an exported program or a checkpoint.

    tools/import_torch.py model.py:Net --state weights.pt --input 1,128 --name net --out folder
    tools/import_torch.py program.pt2 --name net --out folder
    tools/import_torch.py checkpoint/ --input 16 --context 256 --name net --out folder
"""
import argparse
import sys
from pathlib import Path

import missing_package

try:
    from onnx_import.cpp import check_name
    from onnx_import.errors import ModelError, exit_status
except ModuleNotFoundError as missing:
    missing_package.stop(missing)


def import_source(given):
    """Whether all is covered, and the report."""
    check_name(given.name)
    if given.context is not None and given.context < 1:
        raise ModelError(f"--context {given.context}: a conversation has at least one token")
    origin = f"Imported from {Path(given.source).name} by tools/import_torch.py."
    saved = Path(given.source).suffix == ".pt2"
    if ":" not in given.source and not saved:
        from torch_import.checkpoint import import_checkpoint
        if given.state or given.through_onnx:
            raise ModelError("--state and --through-onnx are for modules; a checkpoint has its weights in its folder")
        return import_checkpoint(Path(given.source), given.input, given.name, given.out, origin, given.context)
    if given.context:
        raise ModelError("--context is for checkpoints that decode token by token")
    try:
        from torch_import.run import import_module
        from torch_import.source import load_module, load_state, samples_for
    except ImportError as missing:
        raise ModelError(f"{missing}: modules need PyTorch; checkpoints do not") from None
    if saved:
        from torch_import.saved import load_program
        if given.state:
            raise ModelError("--state is for modules; a program has its weights in its file")
        module, args, kwargs = *load_program(Path(given.source), given.input), {}
    else:
        module = load_module(given.source)
        if given.state:
            load_state(module, given.state)
        args, kwargs = samples_for(module, given.input)
    return import_module(module, args, kwargs, given.name, given.out, origin, given.through_onnx)


def main(arguments=None):
    """Returns the exit status: 0 if all is covered, 1 if something is not, 2 if the source cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="file.py:Class, package.module:function, program.pt2, or the folder of a checkpoint")
    parser.add_argument("--state", metavar="FILE", help="weights: .safetensors, or a state dict by torch.save")
    parser.add_argument("--input", action="append", default=[], metavar="[NAME=]1,128[:int64]",
                        help="the shape of an input, or a sample x.npy; in the order of the arguments of forward")
    parser.add_argument("--name", default="net", help="of the struct and the files")
    parser.add_argument("--out", default=".", type=Path, metavar="FOLDER", help="where the files go")
    parser.add_argument("--context", type=int, metavar="N",
                        help="of a checkpoint that decodes: the most tokens of a conversation; --input gives those of a prompt")
    parser.add_argument("--through-onnx", action=argparse.BooleanOptionalAction, default=None,
                        help="go by torch.onnx.export; without it, only where something else is not covered")
    given = parser.parse_args(arguments)
    return exit_status("import_torch", lambda: import_source(given))


if __name__ == "__main__":
    sys.exit(main())
