# SPDX-License-Identifier: BSL-1.0
"""The table of modules: a type of torch.nn -> a type of ashlar::nn, and how it is called.

Modules of torch.nn that are not here are recorded through their forward, as functions.
"""
import re
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from onnx_import.errors import Uncovered
from onnx_import.operators.registry import Entry

from .builder import array_of
from .functions import TABLE as FUNCTIONS
from .functions.convolutions import same_pads
from .text import number, options

TABLE = {}
ELEMENTS = {torch.float32: "", torch.float64: ", double", torch.float16: ", f16"}


@dataclass(frozen=True)
class Module:
    """`kind` is the C++ type, `arrays` what the file has, `build` adds the step, `translate` returns its expression."""

    kind: object
    translate: object
    arrays: object
    build: object
    uses: str
    heavy: bool = True
    whole: bool = False

    def entry(self):
        return Entry(self.translate, self.uses, self.heavy, False, self.whole)


def mapped(module):
    """The entry of a module whose forward is that of a type of the table, or None."""
    for base in type(module).__mro__:
        if base in TABLE and type(module).forward is base.forward:
            return TABLE[base]
    return None


def plain(b, m, path, x, **attributes):
    return b.custom(type(m).__name__, "torch.nn", [x], [b.wanted_array], module=m, path=path, **attributes)[0]


def weights(*names):
    """The parameters of these names, as far as the module has them."""
    return lambda m: {name: array_of(getattr(m, name)) for name in names if getattr(m, name, None) is not None}


def state(m):
    return {name: array_of(tensor) for name, tensor in m.state_dict().items() if not name.endswith("num_batches_tracked")}


def registers(*types, kind, uses, translate=lambda s: f"{s.module()}({s.x()})", arrays=weights("weight", "bias"), build=plain,
              heavy=True, whole=False):
    for type_ in types:
        TABLE[type_] = Module(kind, translate, arrays, build, uses, heavy, whole)


def element(m):
    """The second template argument, for elements other than float."""
    parameter = next(iter(m.parameters()), next(iter(m.buffers()), None))
    if parameter is None:
        return ""
    if parameter.dtype not in ELEMENTS:
        raise Uncovered(f"weights of {parameter.dtype}")
    return ELEMENTS[parameter.dtype]


# Linear layers, tables, norms.

registers(nn.Linear, uses="`nn::linear`", kind=lambda m: f"nn::linear<"
          f"{options(**{'in': m.in_features, 'out': m.out_features, 'bias': None if m.bias is not None else False})}{element(m)}>")


def embed(b, m, path, x):
    if m.max_norm is not None:
        raise Uncovered("max_norm")
    return plain(b, m, path, x)


registers(nn.Embedding, uses="`nn::embedding`", build=embed, arrays=weights("weight"), heavy=False,
          kind=lambda m: f"nn::embedding<{options(entries=m.num_embeddings, size=m.embedding_dim)}{element(m)}>")


def flat_size(m):
    return int(np.prod(m.normalized_shape))


def normalise(b, m, path, x):
    if m.weight is None:
        return FUNCTIONS["layer_norm"](b, x, m.normalized_shape, None, None, m.eps)
    lead = x.shape[:len(x.shape) - len(m.normalized_shape)]
    y = plain(b, m, path, b.reshape(x, (*lead, flat_size(m))))
    if len(m.normalized_shape) == 1:
        return y
    y.array = y.array.reshape((*lead, flat_size(m)))
    return b.reshape(y, b.wanted.shape)


registers(nn.LayerNorm, uses="`nn::layer_norm`", build=normalise,
          translate=lambda s: f"{s.module()}({s.memory()})",
          arrays=lambda m: {name: array.reshape(-1) for name, array in weights("weight", "bias")(m).items()},
          kind=lambda m: f"nn::layer_norm<"
          f"{options(size=flat_size(m), eps=number(m.eps), bias=None if m.bias is not None else False)}{element(m)}>")

registers(nn.GroupNorm, uses="`nn::group_norm`", translate=lambda s: f"{s.module()}({s.memory()})",
          kind=lambda m: f"nn::group_norm<{options(groups=m.num_groups, channels=m.num_channels, eps=number(m.eps), affine=None if m.affine else False)}"
          f"{element(m)}>")


def batch_normalise(b, m, path, x):
    if m.running_mean is None:
        raise Uncovered("statistics of the batch, as in training: track_running_stats is False")
    return plain(b, m, path, x)


registers(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, uses="`nn::batch_norm`, or folded into the layer before it",
          build=batch_normalise, arrays=state, heavy=False,
          kind=lambda m: f"nn::batch_norm<{options(channels=m.num_features, eps=number(m.eps), affine=None if m.affine else False)}"
          f"{element(m)}>")


# Convolutions.


def pads_apart(m):
    """Paddings before and after each axis that a step of its own adds, or None."""
    axes = len(m.kernel_size)
    same = m.padding == "same"
    pads = same_pads(m.kernel_size, m.dilation) if same else [0] * 2 * axes if m.padding == "valid" else list(m.padding) * 2
    apart = m.padding_mode != "zeros" or pads[:axes] != pads[axes:]
    return pads if apart and any(pads) else None


def convolve(b, m, path, x):
    axes, pads = len(m.kernel_size), pads_apart(m)
    if pads is not None:
        wide = []
        for before, behind in list(zip(pads[:axes], pads[axes:]))[::-1]:
            wide += [before, behind]
        x = FUNCTIONS["pad"](b, x, wide, "constant" if m.padding_mode == "zeros" else m.padding_mode)
    return plain(b, m, path, x, group=m.groups)


def sizes(numbers, usual=None):
    """One number if all are equal; None if that is the usual one."""
    if set(numbers) == {usual}:
        return None
    return numbers[0] if len(set(numbers)) == 1 else "{" + ", ".join(map(str, numbers)) + "}"


def convolution_kind(m):
    axes = len(m.kernel_size)
    padding = [0] * axes
    if pads_apart(m) is None and m.padding != "valid":
        padding = same_pads(m.kernel_size, m.dilation)[:axes] if m.padding == "same" else list(m.padding)
    given = {"in": m.in_channels, "out": m.out_channels, "kernel": sizes(m.kernel_size), "stride": sizes(m.stride, 1),
             "padding": sizes(padding, 0), "dilation": sizes(m.dilation, 1), "groups": None if m.groups == 1 else m.groups,
             "bias": None if m.bias is not None else False}
    return f"nn::conv{axes}d<{options(**given)}{element(m)}>"


registers(nn.Conv1d, nn.Conv2d, uses="`nn::conv1d`, `nn::conv2d`", build=convolve, kind=convolution_kind)


def folded(m, norm):
    """A layer with the norm after it in its weights; it has a bias then."""
    scale = (norm.running_var.double() + norm.eps).rsqrt()
    scale = scale if norm.weight is None else scale * norm.weight.double()
    shift = -norm.running_mean.double() if m.bias is None else m.bias.double() - norm.running_mean.double()
    shift = shift * scale if norm.bias is None else shift * scale + norm.bias.double()
    weight = m.weight.double() * scale.reshape(-1, *[1] * (m.weight.dim() - 1))
    return {"weight": array_of(weight.to(m.weight.dtype)), "bias": array_of(shift.to(m.weight.dtype))}


def folded_kind(kind):
    return kind.replace(", .bias = false", "")


def channels_last_kind(kind):
    return re.sub(r"}([^{}]*)$", r", .channels_last = true}\1", kind)


# Recurrent layers.


def recur(b, m, path, x, hx=None):
    out, rest = b.wanted
    if not isinstance(out, torch.Tensor):
        raise Uncovered("packed sequences; pad them")
    states = list(rest) if isinstance(rest, tuple) else [rest]
    first = [] if hx is None else list(hx) if isinstance(hx, (tuple, list)) else [hx]
    values = b.custom(type(m).__name__, "torch.nn", [x, *first], [b.array(t) for t in (out, *states)], module=m, path=path)
    return (values[0], tuple(values[1:]) if len(states) > 1 else values[1])


def recurrent_kind(m):
    name = {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn"}[m.mode.split("_")[0]]
    given = {"in": m.input_size, "hidden": m.hidden_size, "layers": None if m.num_layers == 1 else m.num_layers,
             "projection": m.proj_size or None, "activation": "nn::activation::relu" if m.mode == "RNN_RELU" else None,
             "bidirectional": m.bidirectional or None, "bias": None if m.bias else False,
             "batch_first": None if m.batch_first else False}
    return f"nn::{name}<{options(**given)}{element(m)}>"


def recurrent(s):
    """Without its state if nobody reads that. Otherwise the state is among the buffers."""
    outputs, given = s.node.outputs, len(s.node.inputs) > 1
    if not given and all(v.uses == 0 for v in outputs[1:]):
        return f"{s.module()}({s.memory()})"
    shape = outputs[1].shape
    kind = f"{recurrent_kind(s.attribute('module'))}::state<{', '.join(map(str, shape[1:-1]))}>"
    state = s.nested("state", kind, sum(v.array.nbytes for v in outputs[1:]))
    for place, name in enumerate("hc"[:len(outputs) - 1]):
        first = s.x(1 + place) if given else f"zeros<{s.type}, {', '.join(map(str, outputs[1 + place].shape))}>()"
        s.raw(f"step({state}.{name}, {first});")
    rows = f"{s.module()}({s.memory()}, {state})"
    if outputs[0].uses == 0:  # nobody reads the rows, but their evaluation makes the state
        rows = s.buffer("rows", rows, s.dtype, outputs[0].shape)
    return [rows] + [s.reference(name, f"{state}.{name}") for name in "hc"[:len(outputs) - 1]]


registers(nn.LSTM, nn.GRU, nn.RNN, uses="`nn::lstm`, `nn::gru`, `nn::rnn`", build=recur, translate=recurrent, arrays=state,
          kind=recurrent_kind, whole=True)


# Attention and layers of transformers.


def tensors(*values):
    return [v for v in values if v is not None]


def with_masks(b, m, path, operands, masks, arrays):
    """A step whose inputs are operands, then masks. `masks` are pairs of what a mask is for and its value, or None."""
    given = [(role, b.value(mask)) for role, mask in masks if mask is not None]
    return b.custom(type(m).__name__, "torch.nn", [*operands, *(mask for _, mask in given)], arrays, module=m, path=path,
                    roles=[role for role, _ in given], count=len(operands))


def encode_layer(b, m, path, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
    return with_masks(b, m, path, [src], [("scores", src_mask), ("keys", src_key_padding_mask)], [b.wanted_array])[0]


def encode(b, m, path, src, mask=None, src_key_padding_mask=None, is_causal=None):
    return with_masks(b, m, path, [src], [("scores", mask), ("keys", src_key_padding_mask)], [b.wanted_array])[0]


def decode(b, m, path, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
           tgt_is_causal=None, memory_is_causal=False):
    masks = [("scores", tgt_mask), ("keys", tgt_key_padding_mask), ("cross scores", memory_mask),
             ("cross keys", memory_key_padding_mask)]
    return with_masks(b, m, path, [tgt, memory], masks, [b.wanted_array])[0]


def attend(b, m, path, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
           is_causal=False):
    if m.bias_k is not None or m.add_zero_attn:
        raise Uncovered("add_bias_kv and add_zero_attn")
    arrays = [None if part is None else b.array(part) for part in b.wanted]
    operands = [query] if query is key is value else [query, key, value]
    values = with_masks(b, m, path, operands, [("scores", attn_mask), ("keys", key_padding_mask)], arrays)
    values[0].average = average_attn_weights
    return tuple(values)


def is_causal(mask):
    """Whether a constant mask leaves out the keys after each query, and nothing else."""
    if not mask.constant or len(mask.shape) != 2 or mask.shape[0] != mask.shape[1]:
        return False
    ignored = mask.array if mask.dtype.kind == "b" else mask.array == -np.inf
    kept = mask.dtype.kind == "b" or (mask.array[~ignored] == 0).all()
    return bool(kept and (ignored == np.triu(np.ones(mask.shape, bool), 1)).all())


def mask_options(s, prefix, heads):
    """The options of an attention for the masks among the inputs. Scores are [batch, heads, queries, keys]."""
    biases, kept = [], []
    for role, place in zip(s.attribute("roles"), range(s.attribute("count"), len(s.node.inputs))):
        if not role.startswith(prefix) or prefix == "" and role.startswith("cross"):
            continue
        mask, shape = s.node.inputs[place], s.shapes[place]
        if role.endswith("keys"):
            wide = (shape[0], 1, 1, shape[1]) if len(shape) == 2 else (1, 1, shape[0])
        else:
            wide = (shape[0] // heads, heads, *shape[1:]) if len(shape) == 3 else shape
        if is_causal(mask) and role.endswith("scores"):
            kept.append("causal")
        elif mask.dtype.kind == "b":
            kept.append(f"ignore({s.reshape(wide, s.memory(place), shape)})")
        elif mask.constant and np.isin(mask.array, (0, -np.inf)).all():
            ignored = s.constant("ignored", mask.array == -np.inf)
            kept.append(f"ignore({s.reshape(wide, ignored, shape)})")
        else:
            text = s.reshape(wide, s.memory(place), shape)
            biases.append(f"bias({text})")
            kept.append(f"keep_finite({text})")
    if len(biases) > 1:
        raise Uncovered("two masks of numbers; add them, or make one of them bools")
    return biases + ([" && ".join(kept)] if kept else [])


def attention_kind(m):
    given = {"embed": m.embed_dim, "heads": m.num_heads, "kdim": m.kdim if m.kdim != m.embed_dim else None,
             "vdim": m.vdim if m.vdim != m.embed_dim else None, "bias": None if m.in_proj_bias is not None else False,
             "batch_first": None if m.batch_first else False}
    return f"nn::multihead_attention<{options(**given)}{element(m)}>"


def attention(s):
    options_ = mask_options(s, "", s.attribute("module").num_heads)
    operands = [s.memory(i) for i in range(s.attribute("count"))]
    outputs = s.node.outputs
    result = f"{s.module()}({', '.join(operands + options_)})"
    if len(outputs) < 2 or outputs[1] is None or outputs[1].uses == 0:
        return result
    name = "average_weights" if outputs[0].average else "weights"
    pair = [operands[0], operands[1 if len(operands) > 1 else 0]]
    return [result, f"{s.module()}.{name}({', '.join(pair + options_)})"]


registers(nn.MultiheadAttention, uses="`nn::multihead_attention`", build=attend, translate=attention, kind=attention_kind,
          arrays=state)


def activation_of(m):
    given = m.activation
    name = getattr(given, "__name__", type(given).__name__).lower()
    if name == "gelu" and getattr(given, "approximate", "none") == "tanh":
        return "nn::activation::gelu_tanh"
    if name not in ("relu", "gelu", "silu", "sigmoid", "tanh"):
        raise Uncovered(f"the activation {name}")
    return None if name == "relu" else f"nn::activation::{name}"


def layer_options(m):
    norms = {n.eps for n in (m.norm1, m.norm2, getattr(m, "norm3", m.norm2))}
    if len(norms) != 1:
        raise Uncovered("norms of different eps")
    return options(embed=m.self_attn.embed_dim, heads=m.self_attn.num_heads, hidden=m.linear1.out_features,
                   activation=activation_of(m), norm_first=m.norm_first or None, eps=number(norms.pop()),
                   bias=None if m.linear1.bias is not None else False, batch_first=None if m.self_attn.batch_first else False)


def stack_kind(name):
    def kind(m):
        layers = {layer_options(layer) for layer in m.layers}
        types = {type(layer) for layer in m.layers}
        if len(layers) != 1 or types != {nn.TransformerEncoderLayer if name == "encoder" else nn.TransformerDecoderLayer}:
            raise Uncovered("layers of different types or options")
        eps = m.layers[0].norm1.eps
        if m.norm is not None and (type(m.norm) is not nn.LayerNorm or m.norm.weight is None or m.norm.eps != eps):
            raise Uncovered("a last norm of another type or eps than those of the layers")
        given = options(layer=layers.pop(), layers=len(m.layers), final_norm=True if m.norm is not None else None)
        return f"nn::{name}<{given}{element(m)}>"

    return kind


def heads_of(m):
    return (m.layers[0] if hasattr(m, "layers") else m).self_attn.num_heads


def encoder(s):
    return f"{s.module()}({', '.join([s.memory()] + mask_options(s, '', heads_of(s.attribute('module'))))})"


def decoder(s):
    heads = heads_of(s.attribute("module"))
    cross = mask_options(s, "cross", heads)
    parts = [s.memory(0), s.memory(1)] + mask_options(s, "", heads) + ([f"nn::cross({', '.join(cross)})"] if cross else [])
    return f"{s.module()}({', '.join(parts)})"


registers(nn.TransformerEncoderLayer, uses="`nn::encoder_layer`", build=encode_layer, translate=encoder, arrays=state,
          kind=lambda m: f"nn::encoder_layer<{layer_options(m)}{element(m)}>")
registers(nn.TransformerEncoder, uses="`nn::encoder`", build=encode, translate=encoder, arrays=state, kind=stack_kind("encoder"),
          whole=True)
registers(nn.TransformerDecoderLayer, uses="`nn::decoder_layer`", build=decode, translate=decoder, arrays=state,
          kind=lambda m: f"nn::decoder_layer<{layer_options(m)}{element(m)}>")
registers(nn.TransformerDecoder, uses="`nn::decoder`", build=decode, translate=decoder, arrays=state, kind=stack_kind("decoder"),
          whole=True)
