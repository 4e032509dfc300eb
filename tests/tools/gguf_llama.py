# SPDX-License-Identifier: BSL-1.0
"""A small Llama with random weights as a GGUF file, and its scores by plain loops in double precision."""
import struct

import gguf_writer as writer
import numpy as np

# The shape is that of tests/tools/read_gguf_scores.cpp.
VOCABULARY, EMBED, HEADS, KV_HEADS, HIDDEN, BLOCKS, EPS = 37, 64, 4, 2, 96, 2, 1e-5
WIDTH = EMBED // HEADS
TOKENS = [1, 7, 36, 0, 7, 12, 30]


class Llama:
    """`tensors` as llama.cpp has them: pairs of rotary positions are next to each other."""

    def __init__(self, random):
        self.tensors, self.values = {}, {}
        kinds = ["Q8_0", "F16", "Q4_1", "Q5_1", "F32", "BF16", "Q5_0"]

        def add(name, shape, kind):
            array = random.normal(size=shape) * 0.2 + (1 if len(shape) == 1 else 0)
            self.tensors[f"{name}.weight"], stored = writer.quantized(kind, array)
            self.values[name] = stored.astype(np.float64)

        add("token_embd", (VOCABULARY, EMBED), "Q8_0")
        for i in range(BLOCKS):
            add(f"blk.{i}.attn_norm", (EMBED,), "F32")
            add(f"blk.{i}.ffn_norm", (EMBED,), "F32")
            for at, (name, rows, columns) in enumerate([
                    ("attn_q", EMBED, EMBED), ("attn_k", KV_HEADS * WIDTH, EMBED), ("attn_v", KV_HEADS * WIDTH, EMBED),
                    ("attn_output", EMBED, EMBED), ("ffn_gate", HIDDEN, EMBED), ("ffn_up", HIDDEN, EMBED),
                    ("ffn_down", EMBED, HIDDEN)]):
                add(f"blk.{i}.{name}", (rows, columns), kinds[at])
        add("output_norm", (EMBED,), "F32")
        add("output", (VOCABULARY, EMBED), "Q8_0")

    def vocabulary(self):
        return ["<unk>", "<s>", "</s>", "\u2581once"] + [f"<0x{i:02X}>" for i in range(VOCABULARY - 4)]

    def metadata(self):
        return {"general.architecture": ("str", "llama"), "general.alignment": ("u32", 32),
                "llama.attention.head_count": ("u32", HEADS), "llama.attention.head_count_kv": ("[u32]", [KV_HEADS] * BLOCKS),
                "tokenizer.ggml.model": ("str", "llama"), "tokenizer.ggml.tokens": ("[str]", self.vocabulary()),
                "tokenizer.ggml.scores": ("[f32]", [float(-i) for i in range(VOCABULARY)]),
                "tokenizer.ggml.bos_token_id": ("u32", 1), "tokenizer.ggml.eos_token_id": ("u32", 2)}

    def tokenizer_bytes(self):
        pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n", b" once"] + [t.encode() for t in self.vocabulary()[4:]]
        return struct.pack("<i", 6) + b"".join(struct.pack("<fi", -i, len(p)) + p for i, p in enumerate(pieces))

    def scores(self, tokens):
        """[tokens, vocabulary]"""
        w = self.values
        x = w["token_embd"][tokens]
        for i in range(BLOCKS):
            block = f"blk.{i}."
            y = normalized(x, w[block + "attn_norm"])
            q, k, v = (y @ w[block + n].T for n in ("attn_q", "attn_k", "attn_v"))
            x = x + attended(q, k, v) @ w[block + "attn_output"].T
            y = normalized(x, w[block + "ffn_norm"])
            gate = y @ w[block + "ffn_gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (y @ w[block + "ffn_up"].T)) @ w[block + "ffn_down"].T
        return normalized(x, w["output_norm"]) @ w["output"].T


def normalized(x, weight):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPS) * weight


def rotated(row, position):
    """One row of all heads: pair p of a head turns by position * 10000^(-2 p / WIDTH)."""
    out = row.copy()
    for first in range(0, len(row), 2):
        angle = position * 10000.0 ** (-(first % WIDTH) / WIDTH)
        a, b = row[first], row[first + 1]
        out[first], out[first + 1] = a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)
    return out


def attended(q, k, v):
    q, k = (np.array([rotated(row, t) for t, row in enumerate(m)]) for m in (q, k))
    out = np.zeros_like(q)
    for t in range(len(q)):
        for h in range(HEADS):
            shared = h * KV_HEADS // HEADS
            mine, theirs = slice(h * WIDTH, (h + 1) * WIDTH), slice(shared * WIDTH, (shared + 1) * WIDTH)
            s = k[:t + 1, theirs] @ q[t, mine] / np.sqrt(WIDTH)
            p = np.exp(s - s.max())
            out[t, mine] = p / p.sum() @ v[:t + 1, theirs]
    return out
