#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Writes tests/nn/fixtures/*_models.safetensors: tiny models as Hugging Face saves them, with inputs and outputs.

A model NAME has its weights as NAME.state.*, inputs as NAME.in.* and the output of each layer as NAME.out.*. Weights are
random, rounded to 16-bit floating point; outputs are computed in double from the published formulas of each family and
rounded to float. Needs PyTorch, as make_parity_fixtures.py does.
"""

import math

import torch
import torch.nn.functional as F

from make_parity_fixtures import FOLDER, rounded, write_safetensors

EMBED, HEADS, HIDDEN, LAYERS, WORDS = 16, 2, 24, 2, 19
SOURCE, TARGET, LENGTH = 13, 6, 9  # tokens of the source and the target, and how many of the source count


class Model:
    """Weights that come into being when they are first used, and the arrays of a file."""

    def __init__(self, name):
        torch.manual_seed(sum(name.encode()))
        self.name, self.weights, self.arrays = name, {}, {}

    def weight(self, name, *shape, deviation=None, mean=0.0):
        if name not in self.weights:
            deviation = deviation or (0.1 if len(shape) == 1 else shape[-1] ** -0.5)
            self.weights[name] = rounded(torch.randn(*shape) * deviation + mean).double()
        return self.weights[name]

    def linear(self, name, x, outputs, bias=True):
        weight = self.weight(name + ".weight", outputs, x.shape[-1])
        return F.linear(x, weight, self.weight(name + ".bias", outputs) if bias else None)

    def convolution(self, name, x, outputs):
        """GPT-2's linear layer, [in, out]."""
        return x @ self.weight(name + ".weight", x.shape[-1], outputs, deviation=0.3) + self.weight(name + ".bias", outputs)

    def layer_norm(self, name, x, eps=1e-5):
        size = x.shape[-1]
        return F.layer_norm(x, (size,), self.weight(name + ".weight", size, mean=1.0), self.weight(name + ".bias", size), eps)

    def rms_norm(self, name, x, eps=1e-6):
        scaled = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        return scaled * self.weight(name + ".weight", x.shape[-1], mean=1.0)

    def embedding(self, name, tokens, rows):
        return self.weight(name + ".weight", rows, EMBED, deviation=0.5)[tokens]

    def tokens(self, name, count):
        self.arrays[f"{self.name}.in.{name}"] = tokens = torch.randint(0, WORDS, (count,), dtype=torch.int32)
        return tokens.long()

    def output(self, name, x):
        assert torch.isfinite(x).all()
        self.arrays[f"{self.name}.out.{name}"] = x.float().clone()
        return x

    def all(self):
        states = {f"{self.name}.state.{name}": weight.half() for name, weight in self.weights.items()}
        return {**self.arrays, **states}


def attention(q, k, v, heads=HEADS, bias=None, scale=None):
    q, k, v = (x.view(x.shape[0], -1, q.shape[-1] // heads).transpose(0, 1) for x in (q, k, v))
    k, v = (x.repeat_interleave(heads // x.shape[0], 0) for x in (k, v))
    scores = q @ k.transpose(1, 2) * (scale or q.shape[-1] ** -0.5)
    return (scores if bias is None else scores + bias).softmax(-1).__matmul__(v).transpose(0, 1).flatten(1)


def causal(n):
    return torch.full((n, n), -math.inf).double().triu(1)


def below(length, n):
    return torch.where(torch.arange(n) < length, 0.0, -math.inf).double()


def bert():
    m = Model("bert")
    tokens, kinds = m.tokens("tokens", SOURCE), (torch.arange(SOURCE) >= 5).long()
    x = m.embedding("embeddings.word_embeddings", tokens, WORDS) + m.embedding("embeddings.token_type_embeddings", kinds, 2)
    x = x + m.embedding("embeddings.position_embeddings", torch.arange(SOURCE), 20)
    x = m.output("embeddings", m.layer_norm("embeddings.LayerNorm", x, 1e-12))
    for i in range(LAYERS):
        path = f"encoder.layer.{i}."
        q, k, v = (m.linear(f"{path}attention.self.{n}", x, EMBED) for n in ("query", "key", "value"))
        mixed = m.linear(path + "attention.output.dense", attention(q, k, v, bias=below(LENGTH, SOURCE)), EMBED)
        x = m.layer_norm(path + "attention.output.LayerNorm", x + mixed, 1e-12)
        block = m.linear(path + "output.dense", F.gelu(m.linear(path + "intermediate.dense", x, HIDDEN)), EMBED)
        x = m.output(f"layer{i}", m.layer_norm(path + "output.LayerNorm", x + block, 1e-12))
    m.output("pooled", torch.tanh(m.linear("pooler.dense", x[0], EMBED)))
    return m


def distilbert():
    m = Model("distilbert")
    x = m.embedding("embeddings.word_embeddings", m.tokens("tokens", SOURCE), WORDS)
    x = x + m.embedding("embeddings.position_embeddings", torch.arange(SOURCE), 20)
    x = m.layer_norm("embeddings.LayerNorm", x, 1e-12)
    for i in range(LAYERS):
        path = f"transformer.layer.{i}."
        q, k, v = (m.linear(f"{path}attention.{n}_lin", x, EMBED) for n in "qkv")
        x = m.layer_norm(path + "sa_layer_norm", x + m.linear(path + "attention.out_lin", attention(q, k, v), EMBED), 1e-12)
        block = m.linear(path + "ffn.lin2", F.gelu(m.linear(path + "ffn.lin1", x, HIDDEN)), EMBED)
        x = m.output(f"layer{i}", m.layer_norm(path + "output_layer_norm", x + block, 1e-12))
    return m


def vit():
    m = Model("vit")
    x = rounded(torch.randn(SOURCE, EMBED)).double()
    m.arrays["vit.in.x"] = x.float()
    for i in range(LAYERS):
        path = f"encoder.layer.{i}."
        y = m.layer_norm(path + "layernorm_before", x, 1e-12)
        q, k, v = (m.linear(f"{path}attention.attention.{n}", y, EMBED) for n in ("query", "key", "value"))
        x = x + m.linear(path + "attention.output.dense", attention(q, k, v), EMBED)
        block = F.gelu(m.linear(path + "intermediate.dense", m.layer_norm(path + "layernorm_after", x, 1e-12), HIDDEN))
        x = m.output(f"layer{i}", x + m.linear(path + "output.dense", block, EMBED))
    m.output("last", m.layer_norm("layernorm", x, 1e-12))
    return m


def gpt2():
    m = Model("gpt2")
    x = m.embedding("wte", m.tokens("tokens", TARGET), WORDS) + m.embedding("wpe", torch.arange(TARGET), 20)
    for i in range(LAYERS):
        path = f"h.{i}."
        q, k, v = m.convolution(path + "attn.c_attn", m.layer_norm(path + "ln_1", x), 3 * EMBED).split(EMBED, -1)
        x = x + m.convolution(path + "attn.c_proj", attention(q, k, v, bias=causal(TARGET)), EMBED)
        block = F.gelu(m.convolution(path + "mlp.c_fc", m.layer_norm(path + "ln_2", x), HIDDEN), approximate="tanh")
        x = m.output(f"layer{i}", x + m.convolution(path + "mlp.c_proj", block, EMBED))
    m.output("logits", m.layer_norm("ln_f", x) @ m.weights["wte.weight"].T)
    return m


def qwen2():
    """Grouped heads wider than EMBED / HEADS, biases of the projections, rotation by halves."""
    m = Model("qwen2")
    heads, kv_heads, width = 4, 2, 8
    x = m.embedding("model.embed_tokens", m.tokens("tokens", TARGET), WORDS)
    angles = torch.arange(TARGET).double()[:, None, None] * 1e6 ** (-2 * torch.arange(width // 2).double() / width)

    def turned(q):
        q = q.view(TARGET, -1, width)
        a, b = q[..., : width // 2], q[..., width // 2:]
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).flatten(1)

    for i in range(LAYERS):
        path = f"model.layers.{i}."
        y = m.rms_norm(path + "input_layernorm", x)
        q, k, v = (m.linear(f"{path}self_attn.{n}_proj", y, n_heads * width) for n, n_heads in
                   (("q", heads), ("k", kv_heads), ("v", kv_heads)))
        mixed = attention(turned(q), turned(k), v, heads, causal(TARGET))
        x = x + m.linear(path + "self_attn.o_proj", mixed, EMBED, bias=False)
        y = m.rms_norm(path + "post_attention_layernorm", x)
        gate = F.silu(m.linear(path + "mlp.gate_proj", y, HIDDEN, bias=False))
        x = x + m.linear(path + "mlp.down_proj", gate * m.linear(path + "mlp.up_proj", y, HIDDEN, bias=False), EMBED, bias=False)
        m.output(f"layer{i}", x)
    m.output("last", m.rms_norm("model.norm", x))
    return m


def t5(name, gated):
    m = Model(name)
    width, buckets, most = 12, 32, 128  # heads are wider than EMBED / HEADS

    def bucket(query, key, both):
        apart, start, mine = query - key, 0, buckets
        if both:
            mine, start = buckets // 2, buckets // 2 if key > query else 0
            apart = abs(apart)
        apart, near = max(apart, 0), mine // 2
        if apart < near:
            return start + apart
        far = near + int(torch.log(torch.tensor(apart / near)) / math.log(most / near) * (mine - near))
        return start + min(far, mine - 1)

    def positions(side, n):
        table = m.weight(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", buckets, HEADS, deviation=0.5)
        rows = torch.tensor([[bucket(q, k, side == "encoder") for k in range(n)] for q in range(n)])
        return table[rows].permute(2, 0, 1)

    def attend(path, x, memory, bias):
        m.weight(path + ".q.weight", HEADS * width, EMBED, deviation=0.08)  # scores are not scaled
        q = m.linear(path + ".q", x, HEADS * width, bias=False)
        k, v = (m.linear(f"{path}.{n}", memory, HEADS * width, bias=False) for n in "kv")
        return m.linear(path + ".o", attention(q, k, v, bias=bias, scale=1.0), EMBED, bias=False)

    def block(path, x):
        y, path = m.rms_norm(path + ".layer_norm", x), path + ".DenseReluDense."
        if gated:
            y = F.gelu(m.linear(path + "wi_0", y, HIDDEN, False), approximate="tanh") * m.linear(path + "wi_1", y, HIDDEN, False)
        else:
            y = F.relu(m.linear(path + "wi", y, HIDDEN, False))
        return x + m.linear(path + "wo", y, EMBED, bias=False)

    def stack(side, x, bias, memory=None):
        for i in range(LAYERS):
            path = f"{side}.block.{i}.layer."
            y = m.rms_norm(path + "0.layer_norm", x)
            x = x + attend(path + "0.SelfAttention", y, y, bias)
            if memory is not None:
                x = x + attend(path + "1.EncDecAttention", m.rms_norm(path + "1.layer_norm", x), memory, below(LENGTH, SOURCE))
            x = m.output(f"{side}{i}", block(f"{path}{1 if memory is None else 2}", x))
        return m.output(side, m.rms_norm(side + ".final_layer_norm", x))

    source, target = m.tokens("source", SOURCE), m.tokens("target", TARGET)
    memory = stack("encoder", m.embedding("shared", source, WORDS), positions("encoder", SOURCE) + below(LENGTH, SOURCE))
    y = stack("decoder", m.embedding("shared", target, WORDS), positions("decoder", TARGET) + causal(TARGET), memory)
    if gated:
        m.output("logits", m.linear("lm_head", y, WORDS, bias=False))
    else:
        m.output("logits", y * EMBED ** -0.5 @ m.weights["shared.weight"].T)
    return m


def bart(name):
    """BART, Marian or Whisper without its convolutions."""
    m = Model(name)
    whisper, first = name == "whisper", 2 if name == "bart" else 0
    activation = F.silu if name == "marian" else F.gelu
    table = "model.decoder.embed_tokens" if whisper else "model.shared"

    def embedded(side, tokens):
        x = m.embedding(table, tokens, WORDS) * (EMBED ** 0.5 if name == "marian" else 1)
        x = x + m.embedding(f"model.{side}.embed_positions", torch.arange(len(tokens)) + first, 20)
        return m.output(side + "_embeddings", m.layer_norm(f"model.{side}.layernorm_embedding", x) if name == "bart" else x)

    def attend(path, x, memory, bias):
        q, v = m.linear(path + ".q_proj", x, EMBED), m.linear(path + ".v_proj", memory, EMBED)
        k = m.linear(path + ".k_proj", memory, EMBED, bias=not whisper)
        return m.linear(path + ".out_proj", attention(q, k, v, bias=bias), EMBED)

    def residual(norm, x, f):
        return x + f(m.layer_norm(norm, x)) if whisper else m.layer_norm(norm, x + f(x))

    def stack(side, x, bias, memory=None):
        for i in range(LAYERS):
            path = f"model.{side}.layers.{i}."
            x = residual(path + "self_attn_layer_norm", x, lambda y: attend(path + "self_attn", y, y, bias))
            if memory is not None:
                pad = below(LENGTH, SOURCE)
                x = residual(path + "encoder_attn_layer_norm", x, lambda y: attend(path + "encoder_attn", y, memory, pad))
            x = residual(path + "final_layer_norm", x,
                         lambda y: m.linear(path + "fc2", activation(m.linear(path + "fc1", y, HIDDEN)), EMBED))
            m.output(f"{side}{i}", x)
        return m.output(side, m.layer_norm(f"model.{side}.layer_norm", x) if whisper else x)

    memory = stack("encoder", embedded("encoder", m.tokens("source", SOURCE)), below(LENGTH, SOURCE))
    y = stack("decoder", embedded("decoder", m.tokens("target", TARGET)), causal(TARGET), memory)
    logits = y @ m.weights[table + ".weight"].T
    m.output("logits", logits if whisper else logits + m.weight("final_logits_bias", 1, WORDS))
    return m


def main():
    for name, models in [("encoder_models", [bert(), distilbert(), vit()]), ("decoder_models", [gpt2(), qwen2()]),
                         ("t5_models", [t5("t5", False), t5("t5_gated", True)]),
                         ("bart_models", [bart("bart"), bart("marian"), bart("whisper")])]:
        arrays = {}
        for model in models:
            arrays.update(model.all())
        path = FOLDER / f"{name}.safetensors"
        write_safetensors(path, arrays)
        print(f"{path.name}: {len(arrays)} arrays, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
