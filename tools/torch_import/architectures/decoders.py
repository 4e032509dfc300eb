# SPDX-License-Identifier: BSL-1.0
"""GPT-2, and Llama with its relatives: the scores of the next token, for all tokens at once or token by token."""
from onnx_import.errors import ModelError

from .. import reference
from ..decoding import Decoding, check_context, decode, rotation
from ..text import number, options
from . import layers


def tokens_of(plan, samples, words, most):
    """The tokens of --input; with --context they are the prompt of the test."""
    samples.check(["input_ids"], ["input_ids"])
    tokens = samples.make("input_ids", 0, words)
    if tokens is None:
        raise ModelError("give the shape of the tokens: --input 128 or --input 2,128")
    if tokens.shape[-1] > most:
        raise ModelError(f"--input {tokens.shape[-1]} tokens: the model has {most} positions")
    if plan.context:
        check_context(plan.context, tokens, most)
        return tokens
    return plan.input("input_ids", tokens)


def gpt2(plan, samples):
    config, arrays = plan.config, plan.arrays
    embed, heads, count = config.number("n_embd"), config.number("n_head"), config.number("n_layer")
    hidden, words, places = config.number("n_inner", default=4 * embed), config.number("vocab_size"), config.number("n_positions")
    config.refuse("scale_attn_weights", True)
    config.refuse("scale_attn_by_inverse_layer_idx", False)
    config.refuse("tie_word_embeddings", True)
    layers.heads_divide(config, embed, heads)
    given = {"heads": heads, "activation": config.activation("activation_function", default="gelu_new"), "norm_first": True,
             "eps": config.real("layer_norm_epsilon", default=1e-5)}
    tokens = tokens_of(plan, samples, words, places)
    plan.member("wte", "wte", f"nn::embedding<{options(entries=words, size=embed)}>", {"weight": arrays.take("wte.weight", words, embed)})
    plan.member("wpe", "wpe", f"nn::learned_positions<{options(positions=places, size=embed)}>",
                {"weight": arrays.take("wpe.weight", places, embed)})

    def turned(name, into, out):
        """A linear layer whose matrix is [in, out] in the file."""
        return {"weight": arrays.take(f"{name}.weight", into, out).T, "bias": arrays.take(f"{name}.bias", out)}

    found = {}
    for i in range(count):
        path = f"h.{i}."
        packed = turned(path + "attn.c_attn", embed, 3 * embed)
        found.update(layers.within(f"layers.{i}", {
            "self_attn.in_proj_weight": packed["weight"], "self_attn.in_proj_bias": packed["bias"],
            **layers.within("self_attn.out_proj", turned(path + "attn.c_proj", embed, embed)),
            **layers.within("linear1", turned(path + "mlp.c_fc", embed, hidden)),
            **layers.within("linear2", turned(path + "mlp.c_proj", hidden, embed)),
            **layers.within("norm1", layers.norm(arrays, path + "ln_1", embed)),
            **layers.within("norm2", layers.norm(arrays, path + "ln_2", embed))}))
    found.update(layers.within("norm", layers.norm(arrays, "ln_f", embed)))
    kind = options(layer=layers.layer_options(embed, hidden, given), layers=count, final_norm=True)
    plan.member("blocks", "h", f"nn::encoder<{kind}>", found)
    weights = plan.weights

    def score(tokens):
        """Rows of words and positions, those after all layers, and scores."""
        x = weights["wte.weight"][tokens] + weights["wpe.weight"][:tokens.shape[-1]]
        y = reference.stack(weights.at("h"), x, given, count, True, own={"kept": reference.causal(tokens.shape[-1])})
        return x, y, y @ weights["wte.weight"].T

    if plan.context:
        decode(plan, Decoding("blocks.decode(wpe(wte(tokens), kept.length()), kept.caches)", "wte.scores(x)", embed, words, count, heads,
                              embed // heads, tokens.size, lambda tokens: score(tokens)[2]), tokens)
        return
    embedded, hidden_rows, logits = score(tokens)
    plan.step("embedded", "wpe(wte(input_ids))", "words and positions", embedded)
    plan.step("hidden", "blocks(embedded, causal)", f"{count} layers", hidden_rows)
    plan.output("logits", "wte.scores(hidden)", "scores of the next token", logits)


def llama(plan, samples):
    config, arrays = plan.config, plan.arrays
    embed, heads, count = (config.number(n) for n in ("hidden_size", "num_attention_heads", "num_hidden_layers"))
    kv_heads, hidden = config.number("num_key_value_heads", default=heads), config.number("intermediate_size")
    words, places = config.number("vocab_size"), config.number("max_position_embeddings")
    width = config.number("head_dim", default=max(1, embed // heads))
    rope = config.given("rope_parameters") or config.given("rope_scaling") or {}
    if not isinstance(rope, dict) or rope.get("rope_type", rope.get("type", "default")) != "default":
        raise ModelError(f"{config.path}: rope_scaling {rope} is not supported")
    base = rope["rope_theta"] if isinstance(rope.get("rope_theta"), (int, float)) else config.real("rope_theta", default=1e4)
    eps, biased = config.real("rms_norm_eps"), config.given("model_type") == "qwen2" or bool(config.given("attention_bias", False))
    config.refuse("mlp_bias", False)
    if config.activation("hidden_act", default="silu") != "silu":
        raise ModelError(f"{config.path}: hidden_act must be silu")
    if heads % kv_heads or width % 2:
        raise ModelError(f"{config.path}: {kv_heads} heads of keys do not divide {heads}, or heads of {width} entries are odd")
    tokens = tokens_of(plan, samples, words, places)
    window = config.given("sliding_window")
    rows = plan.context or tokens.shape[-1]
    if window is not None and config.given("use_sliding_window", True) and config.number("sliding_window") < rows:
        raise ModelError(f"{config.path}: a sliding_window of {window} is shorter than {rows} tokens; give at most {window}")
    if biased and arrays.has("layers.0.self_attn.o_proj.bias"):
        raise ModelError("layers.0.self_attn.o_proj.bias: a bias of the attention's result is not supported")
    plan.member("embed_tokens", "embed_tokens", f"nn::embedding<{options(entries=words, size=embed)}>",
                {"weight": arrays.take("embed_tokens.weight", words, embed)})
    found = {}
    for i in range(count):
        path = f"layers.{i}"
        parts = {"q_proj": (embed, heads * width, biased), "k_proj": (embed, kv_heads * width, biased),
                 "v_proj": (embed, kv_heads * width, biased), "o_proj": (heads * width, embed, False)}
        for name, (into, out, bias) in parts.items():
            found.update(layers.within(f"{path}.self_attn.{name}", layers.linear(arrays, f"{path}.self_attn.{name}", into, out, bias)))
        for name, (into, out) in {"gate_proj": (embed, hidden), "up_proj": (embed, hidden), "down_proj": (hidden, embed)}.items():
            found.update(layers.within(f"{path}.mlp.{name}", layers.linear(arrays, f"{path}.mlp.{name}", into, out, False)))
        for name in ("input_layernorm", "post_attention_layernorm"):
            found[f"{path}.{name}.weight"] = arrays.take(f"{path}.{name}.weight", embed)
    found["norm.weight"] = arrays.take("norm.weight", embed)
    block = options(embed=embed, heads=heads, kv_heads=kv_heads, head_width=None if width * heads == embed else width, hidden=hidden,
                    eps=number(eps), bias=biased or None)
    plan.member("stack", "model", f"nn::llama_decoder<{options(block=block, layers=count)}>", found)
    tied = not arrays.has("lm_head.weight")
    if not tied:
        plan.member("lm_head", "lm_head", f"nn::linear<{options(**{'in': embed, 'out': words, 'bias': False})}>",
                    {"weight": arrays.take("lm_head.weight", words, embed)})
    weights, head = plan.weights, "embed_tokens.scores" if tied else "lm_head"
    given = {"heads": heads, "kv_heads": kv_heads, "width": width, "base": float(base), "eps": eps}

    def score(tokens):
        """Rows of words, those after all layers, and scores."""
        x = y = weights["embed_tokens.weight"][tokens]
        for i in range(count):
            y = reference.llama_layer(weights.at(f"model.layers.{i}"), y, given)
        y = reference.rms_norm(weights.at("model.norm"), y, eps)
        return x, y, y @ weights["embed_tokens.weight" if tied else "lm_head.weight"].T

    turn = {"head_width": width, "positions": rows, "pairs": "nn::pair_order::halves", "base": number(base, 1e4)}
    if plan.context:
        text, kind = rotation(turn, rows * width // 2)
        decode(plan, Decoding(f"stack.decode(embed_tokens(tokens), {text}, kept.caches)", f"{head}(x)", embed, words, count, kv_heads,
                              width, tokens.size, lambda tokens: score(tokens)[2], kind), tokens)
        return
    embedded, hidden_rows, logits = score(tokens)
    plan.raw(f"constexpr const auto& turn = nn::rope_tables<{options(**turn)}>;")
    plan.step("embedded", "embed_tokens(input_ids)", "words", embedded)
    plan.step("hidden", "stack(embedded, turn)", f"{count} layers", hidden_rows)
    plan.output("logits", f"{head}(hidden)", "scores of the next token", logits)
