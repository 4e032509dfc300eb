# SPDX-License-Identifier: BSL-1.0
"""BART, mBART, Marian, Whisper and T5: an encoder of the source, and a decoder of the target."""
import numpy as np

from onnx_import.cpp import literal
from onnx_import.errors import ModelError

from .. import reference
from ..text import options
from . import layers

NAMES = [f"self_attn.{n}_proj" for n in ("q", "k", "v", "out")]
CROSS = [f"encoder_attn.{n}_proj" for n in ("q", "k", "v", "out")]


def stack_arrays(plan, side, count, embed, hidden, final_norm, key_bias):
    """The layers of BART's encoder or decoder by the names of PyTorch's."""
    arrays, found = plan.arrays, {}
    for i in range(count):
        path = f"{side}.layers.{i}."
        parts = layers.within("self_attn", layers.attention(arrays, [path + n for n in NAMES], embed, embed, key_bias=key_bias))
        norms = ["self_attn_layer_norm", "final_layer_norm"]
        if side == "decoder":
            cross = layers.attention(arrays, [path + n for n in CROSS], embed, embed, key_bias=key_bias)
            parts.update(layers.within("multihead_attn", cross))
            norms.insert(1, "encoder_attn_layer_norm")
        parts.update(layers.within("linear1", layers.linear(arrays, path + "fc1", embed, hidden)))
        parts.update(layers.within("linear2", layers.linear(arrays, path + "fc2", hidden, embed)))
        for place, name in enumerate(norms, 1):
            parts.update(layers.within(f"norm{place}", layers.norm(arrays, path + name, embed)))
        found.update(layers.within(f"layers.{i}", parts))
    if final_norm:
        found.update(layers.within("norm", layers.norm(arrays, f"{side}.layer_norm", embed)))
    return found


class Sides:
    """Numbers of both sides of BART and Whisper, their layers, and the inputs of the decoder."""

    def __init__(self, plan, norm_first, key_bias):
        config = plan.config
        self.plan, self.norm_first, self.key_bias = plan, norm_first, key_bias
        self.embed, self.words = config.number("d_model"), config.number("vocab_size")
        self.activation = config.activation("activation_function", default="gelu")

    def member(self, side):
        """Adds the stack of one side; returns what the reference needs of it."""
        config, embed = self.plan.config, self.embed
        count, hidden = config.number(f"{side}_layers"), config.number(f"{side}_ffn_dim")
        given = {"heads": config.number(f"{side}_attention_heads"), "activation": self.activation, "norm_first": self.norm_first,
                 "eps": 1e-5, "key_bias": self.key_bias}
        layers.heads_divide(config, embed, given["heads"])
        kind = options(layer=layers.layer_options(embed, hidden, given), layers=count, final_norm=self.norm_first or None)
        self.plan.member(side, side, f"nn::{side}<{kind}>",
                         stack_arrays(self.plan, side, count, embed, hidden, self.norm_first, self.key_bias))
        return given, count

    def positions(self, side, places):
        """The table of positions. Files of Marian may leave out theirs, which are sines and cosines."""
        name, stored, embed = f"{side}_positions", f"{side}.embed_positions.weight", self.embed
        if self.plan.config.given("model_type") == "marian" and not self.plan.arrays.has(stored):
            angles = np.arange(places)[:, None] / 10000 ** (2 * np.arange((embed + 1) // 2) / embed)
            table = np.concatenate([np.sin(angles), np.cos(angles[:, :embed // 2])], 1).astype(np.float32)
        else:
            table = self.plan.arrays.take(stored, places, embed)
        self.plan.member(name, name, f"nn::learned_positions<{options(positions=places, size=embed)}>", {"weight": table})


def inputs_of(plan, samples, words, most):
    """Tokens of the source and of the target, and the source's mask if it is given."""
    samples.check(["input_ids", "decoder_input_ids", "attention_mask"], ["input_ids", "decoder_input_ids"])
    source, target = samples.make("input_ids", 0, words), samples.make("decoder_input_ids", 1, words)
    mask = samples.make("attention_mask", None, 2, "bool")
    if source is None or target is None:
        raise ModelError("give the shapes of the source's and the target's tokens: --input 128 --input 32")
    if source.shape[:-1] != target.shape[:-1] or mask is not None and mask.shape != source.shape:
        raise ModelError("--input: source, target and mask need the same batch, and the mask the shape of the source")
    if max(source.shape[-1], target.shape[-1]) > most:
        raise ModelError(f"--input: the model has {most} positions")
    for name, array in (("input_ids", source), ("decoder_input_ids", target), ("attention_mask", mask)):
        if array is not None:
            plan.input(name, array)
    return source, target, mask


def shared(plan, words, embed):
    """The table of words, under any of its names."""
    names = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    name = next((n for n in names if plan.arrays.has(n)), names[0])
    plan.member("shared", "shared", f"nn::embedding<{options(entries=words, size=embed)}>",
                {"weight": plan.arrays.take(name, words, embed)})
    for other in names + ("lm_head.weight",):  # the same numbers under other names
        for key in (other, plan.arrays.prefix + other):
            if key in plan.arrays.tensors and np.array_equal(plan.arrays.tensors[key], plan.arrays.tensors.get(
                    plan.arrays.prefix + name, plan.arrays.tensors.get(name))):
                plan.arrays.used.add(key)


def bart(plan, samples):
    config, arrays, kind = plan.config, plan.arrays, plan.config.given("model_type")
    sides = Sides(plan, kind == "mbart", True)
    embed, places = sides.embed, config.number("max_position_embeddings")
    factor = embed ** 0.5 if config.given("scale_embedding", False) else 1.0
    first = 0 if kind == "marian" else 2  # tables of BART begin with two rows that nothing uses
    if kind == "marian":
        config.refuse("share_encoder_decoder_embeddings", True)
    source, target, mask = inputs_of(plan, samples, sides.words, places)
    shared(plan, sides.words, embed)
    for side in ("encoder", "decoder"):
        sides.positions(side, places + first)
        if kind != "marian":
            name = f"{side}_embedding_norm"
            plan.member(name, name, f"nn::layer_norm<{options(size=embed)}>", layers.norm(arrays, f"{side}.layernorm_embedding", embed))
    weights, rows = plan.weights, {}
    for side, tokens, name in (("encoder", source, "input_ids"), ("decoder", target, "decoder_input_ids")):
        x = weights["shared.weight"][tokens] * factor + weights[f"{side}_positions.weight"][first:first + tokens.shape[-1]]
        text = f"shared({name})" + (f" * {literal(factor, np.float32)}" if factor != 1 else "")
        plan.step(f"{side}_summed", f"{side}_positions({text}{f', {first}' if first else ''})", "words and positions", x)
        rows[side] = f"{side}_summed"
        if kind != "marian":
            x = reference.layer_norm(weights.at(f"{side}_embedding_norm"), x, 1e-5)
            rows[side] = f"{side}_embedded"
            plan.step(rows[side], f"{side}_embedding_norm({side}_summed)", "LayerNorm", x)
        rows[side + "_array"] = x
    run(plan, sides, rows, mask)


def run(plan, sides, rows, mask, inner=None):
    """Encoder, decoder and the scores of words."""
    kept = {} if mask is None else {"kept": layers.kept(mask)}
    option = "" if mask is None else layers.keep(mask)
    given, count = sides.member("encoder")
    weights = plan.weights
    memory = reference.stack(weights.at("encoder"), rows["encoder_array"], given, count, sides.norm_first, own=kept)
    plan.output("encoder_last_hidden_state", f"encoder({', '.join(filter(None, [rows['encoder'], option]))})", f"{count} layers", memory)
    given, count = sides.member("decoder")
    y = rows["decoder_array"]
    y = reference.stack(weights.at("decoder"), y, given, count, sides.norm_first, memory=memory,
                        own={"kept": reference.causal(y.shape[-2])}, cross=kept)
    cross = f", nn::cross({option})" if option else ""
    plan.step("hidden", f"decoder({rows['decoder']}, encoder_last_hidden_state, causal{cross})", f"{count} layers", y)
    scores, text = y @ weights["shared.weight"].T, "shared.scores(hidden)"
    if plan.arrays.has("final_logits_bias"):
        bias = plan.arrays.take("final_logits_bias", 1, sides.words).reshape(-1)
        plan.tensor("final_logits_bias", "final_logits_bias", bias)
        scores, text = scores + bias, text + " + final_logits_bias"
    plan.output("logits", text, "scores of the next token", scores)


def whisper(plan, samples):
    config, arrays = plan.config, plan.arrays
    sides = Sides(plan, True, False)
    embed, bins = sides.embed, config.number("num_mel_bins")
    sources, targets = config.number("max_source_positions"), config.number("max_target_positions")
    samples.check(["input_features", "decoder_input_ids"], ["input_features", "decoder_input_ids"])
    mel = samples.make("input_features", 0, None, "float32", (2, 3))
    target = samples.make("decoder_input_ids", 1, sides.words)
    if mel is None or target is None:
        raise ModelError(f"give the shapes of the spectrum and of the target's tokens: --input {bins},{2 * sources} --input 32")
    if mel.shape[-2] != bins or mel.shape[-1] > 2 * sources or mel.shape[:-2] != target.shape[:-1] or target.shape[-1] > targets:
        raise ModelError(f"--input: the spectrum is [{bins}, at most {2 * sources}], and the target has at most {targets} tokens")
    plan.input("input_features", mel)
    plan.input("decoder_input_ids", target)
    shared(plan, sides.words, embed)
    for name, into, stride in (("conv1", bins, None), ("conv2", embed, 2)):
        plan.member(name, name, f"nn::conv1d<{options(**{'in': into, 'out': embed, 'kernel': 3, 'stride': stride, 'padding': 1})}>",
                    {"weight": arrays.take(f"encoder.{name}.weight", embed, into, 3), "bias": arrays.take(f"encoder.{name}.bias", embed)})
    sides.positions("encoder", sources)
    sides.positions("decoder", targets)
    weights, gelu = plan.weights, reference.ACTIVATIONS["gelu"]
    x = gelu(reference.convolution(weights.at("conv1"), mel.astype(np.float64), 1))
    plan.step("first", "gelu(conv1(input_features))", "Conv1d", x)
    x = gelu(reference.convolution(weights.at("conv2"), x, 2))
    plan.step("second", "gelu(conv2(first))", "Conv1d", x)
    x = np.swapaxes(x, -1, -2) + weights["encoder_positions.weight"][:x.shape[-1]]
    order = "0, 2, 1" if mel.ndim == 3 else "1, 0"
    plan.step("encoder_summed", f"encoder_positions(permute<{order}>(second))", "sounds and positions", x)
    y = weights["shared.weight"][target] + weights["decoder_positions.weight"][:target.shape[-1]]
    plan.step("decoder_summed", "decoder_positions(shared(decoder_input_ids))", "words and positions", y)
    run(plan, sides, {"encoder": "encoder_summed", "decoder": "decoder_summed", "encoder_array": x, "decoder_array": y}, None)


def t5_arrays(plan, side, count, given, embed, inner, hidden):
    arrays, found = plan.arrays, {}
    for i in range(count):
        path, parts = f"{side}.block.{i}.layer.", {}
        last = 1 if side == "encoder" else 2
        for place, (name, theirs) in enumerate([("self_attn", "SelfAttention"), ("multihead_attn", "EncDecAttention")][:last]):
            names = [f"{path}{place}.{theirs}.{n}" for n in "qkvo"]
            parts.update(layers.within(name, layers.attention(arrays, names, embed, inner, bias=False)))
        block = f"{path}{last}.DenseReluDense."
        if given["gated"]:
            wide = {"gate_proj": ("wi_0", embed, hidden), "up_proj": ("wi_1", embed, hidden), "down_proj": ("wo", hidden, embed)}
        else:
            wide = {"linear1": ("wi", embed, hidden), "linear2": ("wo", hidden, embed)}
        for name, (theirs, into, out) in wide.items():
            parts.update(layers.within(name, layers.linear(arrays, block + theirs, into, out, bias=False)))
        for place in range(last + 1):
            parts.update(layers.within(f"norm{place + 1}", layers.norm(arrays, f"{path}{place}.layer_norm", embed, bias=False)))
        found.update(layers.within(f"layers.{i}", parts))
    return {**found, **layers.within("norm", layers.norm(arrays, f"{side}.final_layer_norm", embed, bias=False))}


def t5(plan, samples):
    config, arrays = plan.config, plan.arrays
    embed, heads, width, hidden = (config.number(n) for n in ("d_model", "num_heads", "d_kv", "d_ff"))
    words, count = config.number("vocab_size"), {"encoder": config.number("num_layers")}
    count["decoder"] = config.number("num_decoder_layers", default=count["encoder"])
    buckets = config.number("relative_attention_num_buckets", default=32)
    distance = config.number("relative_attention_max_distance", default=128)
    form = config.given("feed_forward_proj", "relu")
    gated = str(form).startswith("gated-")
    activation = {"relu": "relu", "gated-gelu": "gelu_tanh", "gated-silu": "silu", "gated-relu": "relu", "gelu": "gelu"}.get(form)
    if activation is None:
        raise ModelError(f"{config.path}: feed_forward_proj {form!r} is not supported")
    given = {"heads": heads, "activation": activation, "norm_first": True, "eps": config.real("layer_norm_epsilon", default=1e-6),
             "rms": True, "gated": gated, "bias": False, "head_width": None if heads * width == embed else width}
    source, target, mask = inputs_of(plan, samples, words, 1 << 20)
    shared(plan, words, embed)
    tables = {}
    for side in ("encoder", "decoder"):
        near = options(buckets=None if buckets == 32 else buckets, distance=None if distance == 128 else distance,
                       bidirectional=None if side == "encoder" else False)
        kind = options(layer=layers.layer_options(embed, hidden, given, near), layers=count[side], final_norm=True)
        tables[side] = arrays.take(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", buckets, heads)
        found = t5_arrays(plan, side, count[side], given, embed, heads * width, hidden)
        for i in range(count[side]):  # the file has one table for all layers
            found[f"layers.{i}.self_attn.relative_attention_bias.weight"] = tables[side]
        plan.member(side, side, f"nn::{side}<{kind}>", found)
    weights = plan.weights
    tied = config.given("tie_word_embeddings", True)
    if not tied:
        plan.member("lm_head", "lm_head", f"nn::linear<{options(**{'in': embed, 'out': words, 'bias': False})}>",
                    {"weight": arrays.take("lm_head.weight", words, embed)})
    kept = {"scale": 1.0} if mask is None else {"scale": 1.0, "kept": layers.kept(mask)}
    option = ["scale(1.0f)"] + ([] if mask is None else [layers.keep(mask)])
    biases = {}
    for side, tokens, name in (("encoder", source, "input_ids"), ("decoder", target, "decoder_input_ids")):
        rows = tokens.shape[-1]
        biases[side] = reference.relative_bias(tables[side], rows, rows, side == "encoder", distance)
        plan.step(f"{side}_embedded", f"shared({name})", "words", weights["shared.weight"][tokens])
    x = reference.stack(weights.at("encoder"), weights["shared.weight"][source], given, count["encoder"], True,
                        own={**kept, "bias": biases["encoder"]})
    plan.output("encoder_last_hidden_state", f"encoder({', '.join(['encoder_embedded', *option])})", f"{count['encoder']} layers", x)
    rows = target.shape[-1]
    y = reference.stack(weights.at("decoder"), weights["shared.weight"][target], given, count["decoder"], True, memory=x,
                        own={"scale": 1.0, "bias": biases["decoder"], "kept": reference.causal(rows)}, cross=kept)
    plan.step("hidden", "decoder(decoder_embedded, encoder_last_hidden_state, scale(1.0f), causal, "
              f"nn::cross({', '.join(option)}))", f"{count['decoder']} layers", y)
    if tied:
        y = y * embed ** -0.5
        text = f"shared.scores(hidden * {literal(embed ** -0.5, np.float32)})"
    else:
        text = "lm_head(hidden)"
    plan.output("logits", text, "scores of the next token", y @ weights["shared.weight" if tied else "lm_head.weight"].T)
