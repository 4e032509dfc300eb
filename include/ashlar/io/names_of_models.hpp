// SPDX-License-Identifier: BSL-1.0
// Name maps of well-known families of weight files.
#pragma once

#include <ashlar/io/names.hpp>

namespace ashlar::io {

/// BERT as Hugging Face saves it: queries, keys and values one by one, layers at `encoder.layer.N`. For models with the
/// names of PyTorch's TransformerEncoder at any depth: `layers.N.self_attn`, `.linear1`, `.linear2`, `.norm1`,
/// `.norm2`; what else there is keeps its name, such as `embeddings.word_embeddings.weight`. Files saved with a head
/// want the prefix "bert."; old ones call weight and bias of norms gamma and beta.
///
///     io::load(model, "model.safetensors", io::bert_names, {.ignore_unexpected = true});
inline constexpr name_rule bert_names[]{
    {"**layers.*.self_attn.in_proj_weight[0]", "encoder.layer.*.attention.self.query.weight"},
    {"**layers.*.self_attn.in_proj_weight[1]", "encoder.layer.*.attention.self.key.weight"},
    {"**layers.*.self_attn.in_proj_weight[2]", "encoder.layer.*.attention.self.value.weight"},
    {"**layers.*.self_attn.in_proj_bias[0]", "encoder.layer.*.attention.self.query.bias"},
    {"**layers.*.self_attn.in_proj_bias[1]", "encoder.layer.*.attention.self.key.bias"},
    {"**layers.*.self_attn.in_proj_bias[2]", "encoder.layer.*.attention.self.value.bias"},
    {"**layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.output.dense.*"},
    {"**layers.*.linear1.*", "encoder.layer.*.intermediate.dense.*"},
    {"**layers.*.linear2.*", "encoder.layer.*.output.dense.*"},
    {"**layers.*.norm1.*", "encoder.layer.*.attention.output.LayerNorm.*"},
    {"**layers.*.norm2.*", "encoder.layer.*.output.LayerNorm.*"},
    {"**layers.*.norm1.weight", "encoder.layer.*.attention.output.LayerNorm.gamma"},
    {"**layers.*.norm1.bias", "encoder.layer.*.attention.output.LayerNorm.beta"},
    {"**layers.*.norm2.weight", "encoder.layer.*.output.LayerNorm.gamma"},
    {"**layers.*.norm2.bias", "encoder.layer.*.output.LayerNorm.beta"},
    {"**embeddings.LayerNorm.*", "embeddings.LayerNorm.*"},
    {"**embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma"},
    {"**embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta"},
    {"**embeddings.*.weight", "embeddings.*.weight"},
};

/// Llama and its relatives as Hugging Face saves them. For models whose blocks are `layers.N` with `self_attn.q_proj`,
/// `k_proj`, `v_proj`, `o_proj`, a gated feed-forward of `gate_proj`, `up_proj`, `down_proj` at any depth, and norms
/// `norm1`, `norm2`; and `embedding`, `norm`, `output` around them, or the file's own names of these. An output that
/// the file does not have is tied to the embedding. Their rotary encoding is the half-split one.
inline constexpr name_rule llama_names[]{
    {"**layers.*.self_attn.in_proj_weight[0]", "model.layers.*.self_attn.q_proj.weight"},
    {"**layers.*.self_attn.in_proj_weight[1]", "model.layers.*.self_attn.k_proj.weight"},
    {"**layers.*.self_attn.in_proj_weight[2]", "model.layers.*.self_attn.v_proj.weight"},
    {"**layers.*.self_attn.in_proj_bias[0]", "model.layers.*.self_attn.q_proj.bias"},
    {"**layers.*.self_attn.in_proj_bias[1]", "model.layers.*.self_attn.k_proj.bias"},
    {"**layers.*.self_attn.in_proj_bias[2]", "model.layers.*.self_attn.v_proj.bias"},
    {"**layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    {"**layers.*.self_attn.*.*", "model.layers.*.self_attn.*.*"},
    {"**layers.*.**gate_proj.*", "model.layers.*.mlp.gate_proj.*"},
    {"**layers.*.**up_proj.*", "model.layers.*.mlp.up_proj.*"},
    {"**layers.*.**down_proj.*", "model.layers.*.mlp.down_proj.*"},
    {"**layers.*.norm1.weight", "model.layers.*.input_layernorm.weight"},
    {"**layers.*.norm2.weight", "model.layers.*.post_attention_layernorm.weight"},
    {"**layers.*.*_layernorm.weight", "model.layers.*.*_layernorm.weight"},
    {"embedding.weight", "model.embed_tokens.weight"},
    {"*.embedding.weight", "model.embed_tokens.weight"},
    {"embed_tokens.weight", "model.embed_tokens.weight"},
    {"*.embed_tokens.weight", "model.embed_tokens.weight"},
    {"output.weight", "lm_head.weight"},
    {"output.weight", "model.embed_tokens.weight"},
    {"lm_head.weight", "lm_head.weight"},
    {"lm_head.weight", "model.embed_tokens.weight"},
    {"norm.weight", "model.norm.weight"},
    {"*.norm.weight", "model.norm.weight"},
};

/// GPT-2 as Hugging Face saves it: matrices are [in, out], the projections of queries, keys and values one matrix. For
/// models with the names of PyTorch's TransformerEncoder (norm first) and `embedding`, `positions`, `norm` around it.
/// Some files want the prefix "transformer."; the constant masks `h.N.attn.bias` are unexpected arrays.
inline constexpr name_rule gpt2_names[]{
    {"**layers.*.self_attn.in_proj_weight", "h.*.attn.c_attn.weight", true},
    {"**layers.*.self_attn.in_proj_bias", "h.*.attn.c_attn.bias"},
    {"**layers.*.self_attn.out_proj.weight", "h.*.attn.c_proj.weight", true},
    {"**layers.*.self_attn.out_proj.bias", "h.*.attn.c_proj.bias"},
    {"**layers.*.linear1.weight", "h.*.mlp.c_fc.weight", true},
    {"**layers.*.linear1.bias", "h.*.mlp.c_fc.bias"},
    {"**layers.*.linear2.weight", "h.*.mlp.c_proj.weight", true},
    {"**layers.*.linear2.bias", "h.*.mlp.c_proj.bias"},
    {"**layers.*.norm1.*", "h.*.ln_1.*"},
    {"**layers.*.norm2.*", "h.*.ln_2.*"},
    {"embedding.weight", "wte.weight"},
    {"positions.weight", "wpe.weight"},
    {"norm.*", "ln_f.*"},
};

}  // namespace ashlar::io
