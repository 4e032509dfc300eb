# SPDX-License-Identifier: BSL-1.0
"""BERT, RoBERTa and DistilBERT, with a pooler and heads for classes where the file has them."""
import numpy as np

from onnx_import.errors import ModelError

from .. import reference
from ..text import number, options
from . import layers

BERT = {"layer": "encoder.layer.{}", "attention": ("attention.self.query", "attention.self.key", "attention.self.value",
                                                  "attention.output.dense"),
        "norm1": "attention.output.LayerNorm", "linear1": "intermediate.dense", "linear2": "output.dense",
        "norm2": "output.LayerNorm"}
DISTILBERT = {"layer": "transformer.layer.{}", "attention": ("attention.q_lin", "attention.k_lin", "attention.v_lin",
                                                            "attention.out_lin"),
              "norm1": "sa_layer_norm", "linear1": "ffn.lin1", "linear2": "ffn.lin2", "norm2": "output_layer_norm"}


def bert(plan, samples):
    plan.config.refuse("position_embedding_type", "absolute")
    encoder(plan, samples, BERT, 0, plan.config.real("layer_norm_eps", default=1e-12))


def roberta(plan, samples):
    """Positions begin after that of padding. Tokens of padding belong at the end, where the mask leaves them out."""
    plan.config.refuse("position_embedding_type", "absolute")
    encoder(plan, samples, BERT, 1 + int(plan.config.given("pad_token_id", 1)), plan.config.real("layer_norm_eps", default=1e-12))


def distilbert(plan, samples):
    plan.config.refuse("sinusoidal_pos_embds", False)
    encoder(plan, samples, DISTILBERT, 0, 1e-12)


def encoder(plan, samples, names, first, eps):
    config, arrays = plan.config, plan.arrays
    embed, heads = config.number("hidden_size", "dim"), config.number("num_attention_heads", "n_heads")
    hidden, count = config.number("intermediate_size", "hidden_dim"), config.number("num_hidden_layers", "n_layers")
    words, places = config.number("vocab_size"), config.number("max_position_embeddings")
    layers.heads_divide(config, embed, heads)
    given = {"heads": heads, "activation": config.activation("hidden_act", "activation", default="gelu"), "norm_first": False,
             "eps": eps}
    known = ["input_ids", "attention_mask", "token_type_ids"] if names is BERT else ["input_ids", "attention_mask"]
    samples.check(known, ["input_ids"])
    tokens = samples.make("input_ids", 0, words)
    if tokens is None:
        raise ModelError("give the shape of the tokens: --input 128 or --input 2,128")
    rows = tokens.shape[-1]
    if first + rows > places:
        raise ModelError(f"--input {rows} tokens: the model has {places - first} positions")
    plan.input("input_ids", tokens)
    mask = beside(plan, samples, "attention_mask", tokens, "bool", 2)

    def table(name, entries):
        return {"weight": arrays.take(f"embeddings.{name}.weight", entries, embed)}

    plan.member("word_embeddings", "embeddings.word_embeddings", f"nn::embedding<{options(entries=words, size=embed)}>",
                table("word_embeddings", words))
    plan.member("position_embeddings", "embeddings.position_embeddings",
                f"nn::learned_positions<{options(positions=places, size=embed)}>", table("position_embeddings", places))
    weights = plan.weights
    x = weights["embeddings.word_embeddings.weight"][tokens]
    text = "word_embeddings(input_ids)"
    if names is BERT:
        kinds = config.number("type_vocab_size", default=2)
        plan.member("token_type_embeddings", "embeddings.token_type_embeddings",
                    f"nn::embedding<{options(entries=kinds, size=embed)}>", table("token_type_embeddings", kinds))
        types = beside(plan, samples, "token_type_ids", tokens, "int64", kinds)
        rows_of_kinds = weights["embeddings.token_type_embeddings.weight"]
        x = x + (rows_of_kinds[0] if types is None else rows_of_kinds[types])
        text += " + " + ("row(token_type_embeddings.weight, 0)" if types is None else "token_type_embeddings(token_type_ids)")
    plan.member("embedding_norm", "embeddings.LayerNorm", f"nn::layer_norm<{options(size=embed, eps=number(eps))}>",
                layers.norm(arrays, "embeddings.LayerNorm", embed))
    plan.step("summed", f"position_embeddings({text}{f', {first}' if first else ''})", "words, positions and kinds",
              x := x + weights["embeddings.position_embeddings.weight"][first:first + rows])
    plan.step("embedded", "embedding_norm(summed)", "LayerNorm", x := reference.layer_norm(weights.at("embeddings.LayerNorm"), x, eps))

    found = {}
    for i in range(count):
        path = names["layer"].format(i) + "."
        found.update(layers.within(f"layers.{i}", {
            **layers.within("self_attn", layers.attention(arrays, [path + n for n in names["attention"]], embed, embed)),
            **layers.within("linear1", layers.linear(arrays, path + names["linear1"], embed, hidden)),
            **layers.within("linear2", layers.linear(arrays, path + names["linear2"], hidden, embed)),
            **layers.within("norm1", layers.norm(arrays, path + names["norm1"], embed)),
            **layers.within("norm2", layers.norm(arrays, path + names["norm2"], embed))}))
    kind = options(layer=layers.layer_options(embed, hidden, given), layers=count)
    plan.member("encoder", "encoder", f"nn::encoder<{kind}>", found)
    own = {} if mask is None else {"kept": layers.kept(mask)}
    x = reference.stack(weights.at("encoder"), x, given, count, own=own)
    plan.output("last_hidden_state", f"encoder(embedded{'' if mask is None else ', ' + layers.keep(mask)})", f"{count} layers", x)
    heads_for(plan, names, x, embed)


def beside(plan, samples, name, tokens, kind, most):
    """An input of the tokens' shape, if it is given."""
    array = samples.make(name, None, most, kind)
    if array is None:
        return None
    if array.shape != tokens.shape:
        raise ModelError(f"--input {name}: shape {list(array.shape)}, the tokens have {list(tokens.shape)}")
    return plan.input(name, array)


def heads_for(plan, names, x, embed):
    """The pooler, and the scores of classes, where the file has them."""
    arrays, weights = plan.arrays, plan.weights
    first = f"reshape<{x.shape[0]}, {embed}>(slice<1, 0, 1>(last_hidden_state))" if x.ndim == 3 else "row(last_hidden_state, 0)"
    first_row = x[..., 0, :]

    def dense(text, stored, name, into, out):
        plan.member(text, stored, f"nn::linear<{options(**{'in': into, 'out': out})}>", layers.linear(arrays, name, into, out))
        return weights.at(stored)

    pooled = None
    if arrays.has("pooler.dense.weight"):
        pooled = np.tanh(reference.linear(dense("pooler", "pooler.dense", "pooler.dense", embed, embed), first_row))
        plan.output("pooler_output", f"tanh(pooler({first}))", "the first token", pooled)
    if names is DISTILBERT and arrays.has("pre_classifier.weight"):
        pooled = np.maximum(reference.linear(dense("pre_classifier", "pre_classifier", "pre_classifier", embed, embed), first_row), 0)
        plan.step("pooled", f"relu(pre_classifier({first}))", "the first token", pooled)
    if arrays.has("classifier.weight"):
        classes = arrays.tensors["classifier.weight"].shape[0]
        of_tokens = any("TokenClassification" in str(n) for n in plan.config.given("architectures", []))
        if pooled is None and not of_tokens:
            return  # a head that is not known; the report names its arrays
        w = dense("classifier", "classifier", "classifier", embed, classes)
        text = "last_hidden_state" if of_tokens else "pooler_output" if names is BERT else "pooled"
        plan.output("logits", f"classifier({text})", "scores of classes", reference.linear(w, x if of_tokens else pooled))
