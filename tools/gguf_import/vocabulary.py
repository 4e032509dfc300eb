# SPDX-License-Identifier: BSL-1.0
"""The vocabulary of a file as llama2.c's tokenizer.bin, which examples/stories reads."""
import struct

import numpy as np
from onnx_import.errors import ModelError

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"  # what SentencePiece writes for a space


def tokenizer_bytes(file):
    """An int32, the longest token; then for each token a float, its score, an int32, its length, and its bytes."""
    model = file.value("tokenizer.ggml.model", str)
    if model != "llama":
        raise ModelError(f"tokenizer.ggml.model: {ascii(model)[1:-1]}; only SentencePiece's vocabulary, llama, has scores")
    tokens, scores = file.value("tokenizer.ggml.tokens", list), file.value("tokenizer.ggml.scores", np.ndarray)
    if len(tokens) != len(scores) or not all(isinstance(t, str) for t in tokens) or scores.dtype.kind != "f":
        raise ModelError(f"tokenizer.ggml.tokens: {len(tokens):,} tokens, but {len(scores):,} scores")
    special = {file.value("tokenizer.ggml.bos_token_id", int, 1): b"\n<s>\n",
               file.value("tokenizer.ggml.eos_token_id", int, 2): b"\n</s>\n"}
    pieces = [special.get(i, t.replace(SPACE, " ").encode(errors="surrogateescape")) for i, t in enumerate(tokens)]
    parts = [struct.pack("<i", max(map(len, pieces), default=0))]
    for piece, score in zip(pieces, scores):
        parts.append(struct.pack("<fi", score, len(piece)) + piece)
    return b"".join(parts)
