# SPDX-License-Identifier: BSL-1.0
"""Layers of checkpoints by the names of PyTorch's: what encoders, decoders and both together share."""
import numpy as np

from onnx_import.errors import ModelError

from ..text import number, options


def linear(arrays, name, into, out, bias=True):
    """The arrays of a linear layer, [out, in]."""
    found = {"weight": arrays.take(f"{name}.weight", out, into)}
    if bias:
        found["bias"] = arrays.take(f"{name}.bias", out)
    return found


def norm(arrays, name, size, bias=True):
    return {part: arrays.take(f"{name}.{part}", size) for part in (("weight", "bias") if bias else ("weight",))}


def within(name, found):
    return {f"{name}.{key}": array for key, array in found.items()}


def attention(arrays, names, embed, inner, bias=True, key_bias=True):
    """Four linear layers as one attention: `names` are those of queries, keys, values and result."""
    parts = [linear(arrays, name, embed, inner, bias and (key_bias or i != 1)) for i, name in enumerate(names[:3])]
    found = {"in_proj_weight": np.concatenate([part["weight"] for part in parts])}
    if bias and key_bias:
        found["in_proj_bias"] = np.concatenate([part["bias"] for part in parts])
    elif bias:
        found["q_proj_bias"], found["v_proj_bias"] = parts[0]["bias"], parts[2]["bias"]
    return {**found, **within("out_proj", linear(arrays, names[3], inner, embed, bias))}


def layer_options(embed, hidden, given, relative_positions=None):
    """Options of nn::encoder_layer for those of the reference."""
    return options(embed=embed, heads=given["heads"], hidden=hidden,
                   activation=None if given["activation"] == "relu" else f"nn::activation::{given['activation']}",
                   norm_first=given["norm_first"] or None, bias=None if given.get("bias", True) else False, eps=number(given["eps"]),
                   head_width=given.get("head_width"), gated=given.get("gated") or None,
                   norm="nn::norm_kind::rms" if given.get("rms") else None, key_bias=None if given.get("key_bias", True) else False,
                   relative_positions=relative_positions)


def heads_divide(config, embed, heads):
    if embed % heads:
        raise ModelError(f"{config.path}: {heads} heads do not divide a width of {embed}")


def keep(mask):
    """The option for a mask of tokens, [T] or [batch, T]."""
    shape = (mask.shape[0], 1, 1, mask.shape[1]) if mask.ndim == 2 else (1, 1, mask.shape[0])
    return f"keep(reshape<{', '.join(map(str, shape))}>(attention_mask))"


def kept(mask):
    """What the reference needs of the same mask."""
    return mask[:, None, None, :] if mask.ndim == 2 else mask[None, None, :]
