# SPDX-License-Identifier: BSL-1.0
"""The names that weights have elsewhere, and what llama.cpp changed in them when it wrote the file."""
import re

import numpy as np
from onnx_import.errors import ModelError

from .file import shown

LEFT_OUT, ROTARY_QUERIES, ROTARY_KEYS, TRANSPOSED = "left out", "queries", "keys", "transposed"


def both(name, other, change=None):
    """The rows of a weight and its bias."""
    return {f"{name}.{part}": (f"{other}.{part}", change) for part in ("weight", "bias")}


def attention_and_block(queries=None, keys=None):
    """The rows of one block of Hugging Face's Llama and of its relatives."""
    return {
        "attn_norm.weight": ("input_layernorm.weight", None), "ffn_norm.weight": ("post_attention_layernorm.weight", None),
        **both("attn_q", "self_attn.q_proj", queries), **both("attn_k", "self_attn.k_proj", keys),
        **both("attn_v", "self_attn.v_proj"), **both("attn_output", "self_attn.o_proj"),
        **both("ffn_gate", "mlp.gate_proj"), **both("ffn_up", "mlp.up_proj"), **both("ffn_down", "mlp.down_proj"),
    }


AROUND_LLAMA = {
    "token_embd.weight": ("model.embed_tokens.weight", None), "output_norm.weight": ("model.norm.weight", None),
    "output.weight": ("lm_head.weight", None), "rope_freqs.weight": ("", LEFT_OUT),
}
AROUND_GPT2 = {
    "token_embd.weight": ("wte.weight", None), "position_embd.weight": ("wpe.weight", None),
    "output.weight": ("lm_head.weight", None), **both("output_norm", "ln_f"),
}


def transposed_weight(name, other):
    return {f"{name}.weight": (f"{other}.weight", TRANSPOSED), f"{name}.bias": (f"{other}.bias", None)}


GPT2_BLOCK = {
    **both("attn_norm", "ln_1"), **both("ffn_norm", "ln_2"), **transposed_weight("attn_qkv", "attn.c_attn"),
    **transposed_weight("attn_output", "attn.c_proj"), **transposed_weight("ffn_up", "mlp.c_fc"),
    **transposed_weight("ffn_down", "mlp.c_proj"),
}
# llama2.c keeps pairs of rotary positions next to each other, as llama.cpp does.
LLAMA2C_BLOCK = {f"{name}.weight": (other, None) for name, other in {
    "attn_norm": "attention_norm", "ffn_norm": "ffn_norm", "attn_q": "wq", "attn_k": "wk", "attn_v": "wv", "attn_output": "wo",
    "ffn_gate": "w1", "ffn_down": "w2", "ffn_up": "w3"}.items()}
AROUND_LLAMA2C = {"token_embd.weight": ("tok_embeddings", None), "output_norm.weight": ("norm", None),
                  "output.weight": ("output", None), "rope_freqs.weight": ("", LEFT_OUT)}

# For each kind of names and architecture: the tensors around the blocks, a block's prefix, and the tensors of a block.
TABLES = {
    ("huggingface", "llama"): (AROUND_LLAMA, "model.layers", attention_and_block(ROTARY_QUERIES, ROTARY_KEYS)),
    ("huggingface", "qwen2"): (AROUND_LLAMA, "model.layers", attention_and_block()),
    ("huggingface", "gpt2"): (AROUND_GPT2, "h", GPT2_BLOCK),
    ("llama2c", "llama"): (AROUND_LLAMA2C, "layers", LLAMA2C_BLOCK),
}
KINDS = ("huggingface", "llama2c", "gguf")


def heads_of(file, key, block):
    """Heads of a block: one number for all blocks, or one for each."""
    heads = file.metadata.get(key)
    if isinstance(heads, np.ndarray) and heads.ndim == 1 and block < len(heads):
        heads = int(heads[block])
    if not isinstance(heads, int) or heads < 1:
        raise ModelError(f"{key}: the file needs a number of heads for block {block}")
    return heads


def halves_of_pairs(array, heads, what):
    """Rows of each head in the order of Hugging Face: the first entries of all rotary pairs, then the second ones."""
    if array.ndim < 1 or array.shape[0] % (2 * heads):
        raise ModelError(f"{what}: {list(array.shape)} is no matrix of {heads} heads with an even width")
    pairs = array.reshape(heads, -1, 2, *array.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(array.shape)


class NameMap:
    """Names and changes for the tensors of one file."""

    def __init__(self, file, kind):
        self.file, self.kind = file, kind
        if kind == "gguf":
            return
        self.architecture = file.value("general.architecture", str)
        if (kind, self.architecture) not in TABLES:
            known = ", ".join(sorted(a for k, a in TABLES if k == kind))
            raise ModelError(f"the architecture {shown(self.architecture)} has no names of {kind} here ({known} have); "
                             "--names gguf keeps the file's own")
        self.around, self.prefix, self.block = TABLES[kind, self.architecture]

    def find(self, name):
        """The new name and the change, or an error."""
        if self.kind == "gguf":
            return name, None
        found = re.fullmatch(r"blk\.(0|[1-9][0-9]{0,8})\.(.+)", name)
        if found and found[2] in self.block:
            other, change = self.block[found[2]]
            return f"{self.prefix}.{found[1]}.{other}", change
        if name in self.around:
            return self.around[name]
        raise ModelError(f"{shown(name)}: {self.architecture} of {self.kind} has no such weight; "
                         "--names gguf keeps the file's own")

    def changed(self, name, change, array):
        """The array as it was before llama.cpp changed it."""
        if change == TRANSPOSED:
            if array.ndim != 2:
                raise ModelError(f"{shown(name)}: {list(array.shape)} is no matrix")
            return np.ascontiguousarray(array.T)
        if change is None:
            return array
        key = f"{self.architecture}.attention.head_count"
        if change == ROTARY_KEYS and f"{key}_kv" in self.file.metadata:
            key += "_kv"
        return halves_of_pairs(array, heads_of(self.file, key, int(name.split(".")[1])), shown(name))
