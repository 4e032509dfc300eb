#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes tests/nn/fixtures/*.safetensors: inputs, weights and outputs of PyTorch's modules in many configurations.

A case NAME has its state dict as NAME.state.*, its inputs and masks as NAME.in.*, and the outputs as NAME.out.*. Weights
and inputs are rounded to 16-bit floating point, so that they are stored exactly in few bytes; outputs are computed in
double and rounded to float. Needs Debian's python3-torch and libopenblas0, or any PyTorch from 1.13 on.
"""

import json
import math
import pathlib
import struct

import torch
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests/nn/fixtures"

DTYPES = {torch.float16: "F16", torch.float32: "F32", torch.int32: "I32", torch.bool: "BOOL"}


def write_safetensors(path, arrays):
    """The format: the header's length as 8 bytes, the header as JSON, the bytes of the arrays."""
    header, data = {}, b""
    for name, array in sorted(arrays.items()):
        content = array.contiguous().numpy().tobytes()
        header[name] = {"dtype": DTYPES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def rounded(x):
    """Numbers of 16-bit floating point, as float."""
    return x.half().float()


def numbers(*shape):
    return rounded(torch.randn(*shape))


class Case:
    """A module, its inputs and its outputs, as arrays under one name."""

    def __init__(self, name, module):
        torch.manual_seed(sum(name.encode()))
        self.name, self.arrays = name, {}
        self.module = module().train()  # without the fused path of inference; there is no dropout
        with torch.no_grad():
            for path, parameter in self.module.named_parameters():
                is_norm_weight = parameter.dim() == 1 and path.endswith("weight")
                # Biases and norms begin as constants, and layers as copies of one, which would hide mistakes.
                if parameter.dim() == 1:
                    parameter.copy_(0.3 * torch.randn(parameter.shape) + (1 if is_norm_weight else 0))
                else:
                    parameter.add_(0.1 * torch.randn(parameter.shape))
                parameter.copy_(rounded(parameter))
        for path, parameter in self.module.state_dict().items():
            self.arrays[f"{name}.state.{path}"] = parameter.clone().half()
        self.module = self.module.double()

    def input(self, name, value):
        """Stores an input; in double for the module."""
        stored = value.half() if value.is_floating_point() else value
        self.arrays[f"{self.name}.in.{name}"] = stored
        return stored.double() if value.is_floating_point() else value

    def output(self, **values):
        for name, value in values.items():
            assert torch.isfinite(value).all(), f"{self.name}.{name}"
            self.arrays[f"{self.name}.out.{name}"] = value.detach().float()


def linear_cases():
    for name, inputs, outputs, bias, shape in [("w4", 4, 7, True, (5,)), ("w33", 33, 17, False, (3, 6)),
                                               ("w96", 96, 5, True, (1,)), ("vector", 20, 30, True, ())]:
        case = Case(name, lambda: nn.Linear(inputs, outputs, bias=bias))
        case.output(y=case.module(case.input("x", numbers(*shape, inputs))))
        yield case


def layer_norm_cases():
    for name, width, eps, shape in [("w4", 4, 1e-5, (5,)), ("w31", 31, 1e-5, (2, 3)), ("w96", 96, 1e-3, (7,))]:
        case = Case(name, lambda: nn.LayerNorm(width, eps=eps))
        case.output(y=case.module(case.input("x", numbers(*shape, width) * 3 + 1)))
        yield case


def embedding_cases():
    case = Case("e12", lambda: nn.Embedding(20, 12))
    case.output(y=case.module(case.input("tokens", torch.randint(0, 20, (2, 7), dtype=torch.int32))))
    yield case


def causal(n):
    """PyTorch's boolean mask: true where a key must not be seen."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def padding(*lengths):
    """True after each sequence's end."""
    return torch.arange(max(lengths))[None] >= torch.tensor(lengths)[:, None]


def random_mask(queries, keys):
    """True in half of the places, never in all of a row."""
    mask = torch.rand(queries, keys) < 0.5
    mask[torch.arange(queries), torch.randint(0, keys, (queries,))] = False
    return mask


def attend(case, q, k, v, **options):
    """Output, averaged weights and weights of each head."""
    y, average = case.module(q, k, v, **options)
    heads = case.module(q, k, v, average_attn_weights=False, **options)[1]
    case.output(y=y, average=average, heads=heads)
    return case


def attention_cases():
    case = Case("e4h1", lambda: nn.MultiheadAttention(4, 1, batch_first=True))
    x = case.input("x", numbers(10, 4))
    yield attend(case, x, x, x)

    case = Case("e12h3_additive", lambda: nn.MultiheadAttention(12, 3, batch_first=True))
    x = case.input("x", numbers(2, 9, 12))
    mask = case.input("mask", numbers(9, 9).masked_fill(random_mask(9, 9), -math.inf))
    yield attend(case, x, x, x, attn_mask=mask)

    # The sequence before the batch, a mask for pairs and one for padding.
    case = Case("e16h8_boolean", lambda: nn.MultiheadAttention(16, 8))
    x = case.input("x", numbers(6, 3, 16))
    mask, pad = case.input("mask", causal(6)), case.input("padding", padding(6, 4, 1))
    yield attend(case, x, x, x, attn_mask=mask, key_padding_mask=pad)

    case = Case("e24h4_cross", lambda: nn.MultiheadAttention(24, 4, kdim=10, vdim=7, batch_first=True))
    q, k, v = case.input("q", numbers(2, 5, 24)), case.input("k", numbers(2, 13, 10)), case.input("v", numbers(2, 13, 7))
    mask = case.input("mask", random_mask(5, 13))
    yield attend(case, q, k, v, attn_mask=mask)

    case = Case("e32h2_no_bias", lambda: nn.MultiheadAttention(32, 2, bias=False, batch_first=True))
    x = case.input("x", numbers(17, 32))
    yield attend(case, x, x, x, attn_mask=case.input("mask", causal(17)))


def encoder_layer(width, heads, hidden, **options):
    return lambda: nn.TransformerEncoderLayer(width, heads, hidden, dropout=0, **options)


def encoder_layer_cases():
    case = Case("e24h4_gelu_first", encoder_layer(24, 4, 40, activation="gelu", norm_first=True, batch_first=True))
    x, pad = case.input("x", numbers(2, 7, 24)), case.input("padding", padding(7, 3))
    case.output(y=case.module(x, src_key_padding_mask=pad))
    yield case

    case = Case("e64h8_gelu", encoder_layer(64, 8, 32, activation="gelu", batch_first=True, layer_norm_eps=1e-3))
    case.output(y=case.module(case.input("x", numbers(11, 64))))
    yield case

    case = Case("e12h2_sequence_first", encoder_layer(12, 2, 20, norm_first=True))
    x, mask = case.input("x", numbers(5, 3, 12)), case.input("mask", causal(5))
    case.output(y=case.module(x, src_mask=mask))
    yield case


def encoder_cases():
    case = Case("e16h4_three_first", lambda: nn.TransformerEncoder(
        encoder_layer(16, 4, 20, activation="gelu", norm_first=True, batch_first=True)(), 3, nn.LayerNorm(16),
        enable_nested_tensor=False))
    x, mask = case.input("x", numbers(8, 16)), case.input("mask", causal(8))
    case.output(y=case.module(x, mask=mask))
    yield case


def decoder_layer(width, heads, hidden, **options):
    return lambda: nn.TransformerDecoderLayer(width, heads, hidden, dropout=0, batch_first=True, **options)


def decoder_layer_cases():
    case = Case("e32h4_gelu_first", decoder_layer(32, 4, 24, activation="gelu", norm_first=True))
    x, memory = case.input("x", numbers(2, 6, 32)), case.input("memory", numbers(2, 9, 32))
    pad = case.input("memory_padding", padding(9, 4))
    case.output(y=case.module(x, memory, tgt_mask=causal(6), memory_key_padding_mask=pad))
    yield case


def decoder_cases():
    case = Case("e12h2_two", lambda: nn.TransformerDecoder(decoder_layer(12, 2, 20)(), 2, nn.LayerNorm(12)))
    x, memory = case.input("x", numbers(2, 7, 12)), case.input("memory", numbers(2, 5, 12))
    case.output(y=case.module(x, memory, tgt_mask=causal(7)))
    yield case


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, cases in [("linear", linear_cases), ("layer_norm", layer_norm_cases), ("embedding", embedding_cases),
                        ("multihead_attention", attention_cases), ("encoder_layer", encoder_layer_cases),
                        ("encoder", encoder_cases), ("decoder_layer", decoder_layer_cases), ("decoder", decoder_cases)]:
        arrays = {}
        for case in cases():
            arrays.update(case.arrays)
        path = FOLDER / f"{name}.safetensors"
        write_safetensors(path, arrays)
        total += path.stat().st_size
        print(f"{path.name}: {len(arrays)} arrays, {path.stat().st_size} bytes")
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
