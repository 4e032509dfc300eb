#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the weights of a GGUF file as safetensors, with the names that ashlar::io::load knows.

    tools/read_gguf.py model.gguf --list
    tools/read_gguf.py model.gguf --safetensors model.safetensors
"""
import argparse
import sys
from pathlib import Path

import missing_package

try:
    from gguf_import.file import read_gguf, shown
    from gguf_import.names import KINDS
    from gguf_import.report import contents
    from gguf_import.run import FLOATS, convert
    from gguf_import.vocabulary import tokenizer_bytes
    from onnx_import.errors import ModelError
    from onnx_import.safetensors import replaced
except ModuleNotFoundError as missing:
    missing_package.stop(missing)


def write_results(given):
    """Writes what is asked for; returns lines for the user. The vocabulary is checked before weights are written."""
    file, lines = read_gguf(given.model), []
    if given.list:
        lines.append(contents(file))
    vocabulary = tokenizer_bytes(file) if given.tokenizer else None
    if given.safetensors:
        lines += convert(file, given.safetensors, given.names, given.dtype)
    if given.tokenizer:
        with replaced(given.tokenizer) as out:
            out.write(vocabulary)
        lines.append(f"{given.tokenizer}: {len(file.metadata['tokenizer.ggml.tokens']):,} tokens")
    return lines


def main(arguments=None):
    """Returns the exit status: 0, or 2 if the file cannot be used."""
    parser = argparse.ArgumentParser(description="Writes the weights of a GGUF file as safetensors.")
    parser.add_argument("model", type=Path, help="a .gguf file")
    parser.add_argument("--list", action="store_true", help="print metadata and tensors")
    parser.add_argument("--safetensors", type=Path, metavar="FILE", help="where the weights go")
    parser.add_argument("--names", choices=KINDS, default=KINDS[0],
                        help="names of the weights: Hugging Face's, llama2.c's (examples/stories), or the file's own")
    parser.add_argument("--dtype", choices=FLOATS,
                        help="round all floating-point weights to this; else floats stay, and blocks become F32")
    parser.add_argument("--tokenizer", type=Path, metavar="FILE", help="where a vocabulary goes, as llama2.c's tokenizer.bin")
    given = parser.parse_args(arguments)
    if not (given.list or given.safetensors or given.tokenizer):
        parser.error("say what to do: --list, --safetensors FILE, or --tokenizer FILE")
    try:
        print("\n".join(write_results(given)))
    except ModelError as failure:
        print(f"read_gguf: {shown(str(given.model))}: {' '.join(str(failure).split())}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"read_gguf: {failure.filename or given.model}: {failure.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
