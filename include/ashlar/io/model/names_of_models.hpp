// SPDX-License-Identifier: BSL-1.0
// Name maps of well-known families of weight files.
#pragma once

#include <ashlar/io/model/names.hpp>

namespace ashlar::inline v0_1::io {

/// BERT as Hugging Face saves it: queries, keys and values one by one, layers at `encoder.layer.N`. For models with the
/// names of PyTorch's TransformerEncoder at any depth (`nn::encoder` has them): `layers.N.self_attn`, `.linear1`,
/// `.linear2`, `.norm1`, `.norm2`; and `embeddings` with `word_embeddings`, `position_embeddings`,
/// `token_type_embeddings` and `LayerNorm`. All other arrays keep their names, such as `pooler.dense.weight`. Files
/// saved with a head need the prefix "bert."; old ones call weight and bias of norms gamma and beta.
///
///     io::result r = io::load(model, "model.safetensors", io::bert_names, {.ignore_unexpected = true});
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
/// `norm1`, `norm2`; and `embedding`, `norm`, `output` around them, or the file's own names of these. If the file has
/// no output, it is tied to the embedding. The rotary encoding is half-split.
///
///     io::result r = io::load(model, "model.safetensors", io::llama_names, {.ignore_unexpected = true});
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
/// models with the names of PyTorch's TransformerEncoder (norm first) and `embedding`, `positions`, `norm` around it;
/// the last norm may also be a member of the encoder, whatever its name. Some files need the prefix "transformer."; the
/// constant masks `h.N.attn.bias` are unexpected arrays.
///
///     io::result r = io::load(model, "model.safetensors", io::gpt2_names, {.prefix = "transformer.",
///     .ignore_unexpected = true});
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
    {"*.norm.weight", "ln_f.weight"},
    {"*.norm.bias", "ln_f.bias"},
};

/// DistilBERT as Hugging Face saves it, for models with the names that `bert_names` needs. Files saved with a head need
/// the prefix "distilbert."; load the head's own arrays with a second call.
///
///     io::result r = io::load(model, "model.safetensors", io::distilbert_names, {.prefix = "distilbert.",
///     .ignore_unexpected = true});
inline constexpr name_rule distilbert_names[]{
    {"**layers.*.self_attn.in_proj_weight[0]", "transformer.layer.*.attention.q_lin.weight"},
    {"**layers.*.self_attn.in_proj_bias[0]", "transformer.layer.*.attention.q_lin.bias"},
    {"**layers.*.self_attn.in_proj_weight[1]", "transformer.layer.*.attention.k_lin.weight"},
    {"**layers.*.self_attn.in_proj_bias[1]", "transformer.layer.*.attention.k_lin.bias"},
    {"**layers.*.self_attn.in_proj_weight[2]", "transformer.layer.*.attention.v_lin.weight"},
    {"**layers.*.self_attn.in_proj_bias[2]", "transformer.layer.*.attention.v_lin.bias"},
    {"**layers.*.self_attn.out_proj.*", "transformer.layer.*.attention.out_lin.*"},
    {"**layers.*.linear1.*", "transformer.layer.*.ffn.lin1.*"},
    {"**layers.*.linear2.*", "transformer.layer.*.ffn.lin2.*"},
    {"**layers.*.norm1.*", "transformer.layer.*.sa_layer_norm.*"},
    {"**layers.*.norm2.*", "transformer.layer.*.output_layer_norm.*"},
    {"**embeddings.LayerNorm.*", "embeddings.LayerNorm.*"},
    {"**embeddings.*.weight", "embeddings.*.weight"},
};

/// Vision transformers as Hugging Face saves them (ViT, DeiT): norm first. For models with the names of PyTorch's
/// TransformerEncoder and a last `norm`, in it or next to it; all other arrays keep their names, such as
/// `embeddings.cls_token`.
///
///     io::result r = io::load(model, "model.safetensors", io::vit_names, {.ignore_unexpected = true});
inline constexpr name_rule vit_names[]{
    {"**layers.*.self_attn.in_proj_weight[0]", "encoder.layer.*.attention.attention.query.weight"},
    {"**layers.*.self_attn.in_proj_bias[0]", "encoder.layer.*.attention.attention.query.bias"},
    {"**layers.*.self_attn.in_proj_weight[1]", "encoder.layer.*.attention.attention.key.weight"},
    {"**layers.*.self_attn.in_proj_bias[1]", "encoder.layer.*.attention.attention.key.bias"},
    {"**layers.*.self_attn.in_proj_weight[2]", "encoder.layer.*.attention.attention.value.weight"},
    {"**layers.*.self_attn.in_proj_bias[2]", "encoder.layer.*.attention.attention.value.bias"},
    {"**layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.output.dense.*"},
    {"**layers.*.linear1.*", "encoder.layer.*.intermediate.dense.*"},
    {"**layers.*.linear2.*", "encoder.layer.*.output.dense.*"},
    {"**layers.*.norm1.*", "encoder.layer.*.layernorm_before.*"},
    {"**layers.*.norm2.*", "encoder.layer.*.layernorm_after.*"},
    {"norm.*", "layernorm.*"},
    {"*.norm.weight", "layernorm.weight"},
    {"*.norm.bias", "layernorm.bias"},
};

/// BART, Marian, mBART and Whisper as Hugging Face saves them, for models with an `encoder` and a `decoder` of
/// `ashlar::nn` (Whisper: norm first, no key_bias). Around these: `embedding`, and `lm_head` or `output`, which are
/// tied to it; `encoder_positions` and `decoder_positions`; BART's `encoder_embedding_norm` and
/// `decoder_embedding_norm`, and `conv1`, `conv2` of Whisper. BART's tables of positions begin with two unused rows.
///
///     io::result r = io::load(model, "model.safetensors", io::bart_names, {.ignore_unexpected = true});
inline constexpr name_rule bart_names[]{
    {"**encoder.layers.*.self_attn.in_proj_weight[0]", "model.encoder.layers.*.self_attn.q_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[0]", "model.encoder.layers.*.self_attn.q_proj.bias"},
    {"**encoder.layers.*.self_attn.in_proj_weight[1]", "model.encoder.layers.*.self_attn.k_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[1]", "model.encoder.layers.*.self_attn.k_proj.bias"},
    {"**encoder.layers.*.self_attn.in_proj_weight[2]", "model.encoder.layers.*.self_attn.v_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[2]", "model.encoder.layers.*.self_attn.v_proj.bias"},
    {"**encoder.layers.*.self_attn.q_proj_bias", "model.encoder.layers.*.self_attn.q_proj.bias"},
    {"**encoder.layers.*.self_attn.v_proj_bias", "model.encoder.layers.*.self_attn.v_proj.bias"},
    {"**encoder.layers.*.self_attn.out_proj.*", "model.encoder.layers.*.self_attn.out_proj.*"},
    {"**encoder.layers.*.linear1.*", "model.encoder.layers.*.fc1.*"},
    {"**encoder.layers.*.linear2.*", "model.encoder.layers.*.fc2.*"},
    {"**encoder.layers.*.norm1.*", "model.encoder.layers.*.self_attn_layer_norm.*"},
    {"**encoder.layers.*.norm2.*", "model.encoder.layers.*.final_layer_norm.*"},
    {"**encoder.norm.*", "model.encoder.layer_norm.*"},
    {"**conv1.*", "model.encoder.conv1.*"},
    {"**conv2.*", "model.encoder.conv2.*"},
    {"encoder_positions.weight", "model.encoder.embed_positions.weight"},
    {"encoder_embedding_norm.*", "model.encoder.layernorm_embedding.*"},
    {"**decoder.layers.*.self_attn.in_proj_weight[0]", "model.decoder.layers.*.self_attn.q_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[0]", "model.decoder.layers.*.self_attn.q_proj.bias"},
    {"**decoder.layers.*.self_attn.in_proj_weight[1]", "model.decoder.layers.*.self_attn.k_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[1]", "model.decoder.layers.*.self_attn.k_proj.bias"},
    {"**decoder.layers.*.self_attn.in_proj_weight[2]", "model.decoder.layers.*.self_attn.v_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[2]", "model.decoder.layers.*.self_attn.v_proj.bias"},
    {"**decoder.layers.*.self_attn.q_proj_bias", "model.decoder.layers.*.self_attn.q_proj.bias"},
    {"**decoder.layers.*.self_attn.v_proj_bias", "model.decoder.layers.*.self_attn.v_proj.bias"},
    {"**decoder.layers.*.self_attn.out_proj.*", "model.decoder.layers.*.self_attn.out_proj.*"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[0]", "model.decoder.layers.*.encoder_attn.q_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[0]", "model.decoder.layers.*.encoder_attn.q_proj.bias"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[1]", "model.decoder.layers.*.encoder_attn.k_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[1]", "model.decoder.layers.*.encoder_attn.k_proj.bias"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[2]", "model.decoder.layers.*.encoder_attn.v_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[2]", "model.decoder.layers.*.encoder_attn.v_proj.bias"},
    {"**decoder.layers.*.multihead_attn.q_proj_bias", "model.decoder.layers.*.encoder_attn.q_proj.bias"},
    {"**decoder.layers.*.multihead_attn.v_proj_bias", "model.decoder.layers.*.encoder_attn.v_proj.bias"},
    {"**decoder.layers.*.multihead_attn.out_proj.*", "model.decoder.layers.*.encoder_attn.out_proj.*"},
    {"**decoder.layers.*.linear1.*", "model.decoder.layers.*.fc1.*"},
    {"**decoder.layers.*.linear2.*", "model.decoder.layers.*.fc2.*"},
    {"**decoder.layers.*.norm1.*", "model.decoder.layers.*.self_attn_layer_norm.*"},
    {"**decoder.layers.*.norm2.*", "model.decoder.layers.*.encoder_attn_layer_norm.*"},
    {"**decoder.layers.*.norm3.*", "model.decoder.layers.*.final_layer_norm.*"},
    {"**decoder.norm.*", "model.decoder.layer_norm.*"},
    {"decoder_positions.weight", "model.decoder.embed_positions.weight"},
    {"decoder_embedding_norm.*", "model.decoder.layernorm_embedding.*"},
    {"embedding.weight", "model.shared.weight"},
    {"embedding.weight", "model.decoder.embed_tokens.weight"},
    {"lm_head.weight", "model.shared.weight"},
    {"lm_head.weight", "model.decoder.embed_tokens.weight"},
    {"output.weight", "model.shared.weight"},
    {"output.weight", "model.decoder.embed_tokens.weight"},
    {"**encoder.layers.*.self_attn.in_proj_weight[0]", "encoder.layers.*.self_attn.q_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[0]", "encoder.layers.*.self_attn.q_proj.bias"},
    {"**encoder.layers.*.self_attn.in_proj_weight[1]", "encoder.layers.*.self_attn.k_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[1]", "encoder.layers.*.self_attn.k_proj.bias"},
    {"**encoder.layers.*.self_attn.in_proj_weight[2]", "encoder.layers.*.self_attn.v_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_bias[2]", "encoder.layers.*.self_attn.v_proj.bias"},
    {"**encoder.layers.*.self_attn.q_proj_bias", "encoder.layers.*.self_attn.q_proj.bias"},
    {"**encoder.layers.*.self_attn.v_proj_bias", "encoder.layers.*.self_attn.v_proj.bias"},
    {"**encoder.layers.*.self_attn.out_proj.*", "encoder.layers.*.self_attn.out_proj.*"},
    {"**encoder.layers.*.linear1.*", "encoder.layers.*.fc1.*"},
    {"**encoder.layers.*.linear2.*", "encoder.layers.*.fc2.*"},
    {"**encoder.layers.*.norm1.*", "encoder.layers.*.self_attn_layer_norm.*"},
    {"**encoder.layers.*.norm2.*", "encoder.layers.*.final_layer_norm.*"},
    {"**encoder.norm.*", "encoder.layer_norm.*"},
    {"**conv1.*", "encoder.conv1.*"},
    {"**conv2.*", "encoder.conv2.*"},
    {"encoder_positions.weight", "encoder.embed_positions.weight"},
    {"encoder_embedding_norm.*", "encoder.layernorm_embedding.*"},
    {"**decoder.layers.*.self_attn.in_proj_weight[0]", "decoder.layers.*.self_attn.q_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[0]", "decoder.layers.*.self_attn.q_proj.bias"},
    {"**decoder.layers.*.self_attn.in_proj_weight[1]", "decoder.layers.*.self_attn.k_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[1]", "decoder.layers.*.self_attn.k_proj.bias"},
    {"**decoder.layers.*.self_attn.in_proj_weight[2]", "decoder.layers.*.self_attn.v_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_bias[2]", "decoder.layers.*.self_attn.v_proj.bias"},
    {"**decoder.layers.*.self_attn.q_proj_bias", "decoder.layers.*.self_attn.q_proj.bias"},
    {"**decoder.layers.*.self_attn.v_proj_bias", "decoder.layers.*.self_attn.v_proj.bias"},
    {"**decoder.layers.*.self_attn.out_proj.*", "decoder.layers.*.self_attn.out_proj.*"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[0]", "decoder.layers.*.encoder_attn.q_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[0]", "decoder.layers.*.encoder_attn.q_proj.bias"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[1]", "decoder.layers.*.encoder_attn.k_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[1]", "decoder.layers.*.encoder_attn.k_proj.bias"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[2]", "decoder.layers.*.encoder_attn.v_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_bias[2]", "decoder.layers.*.encoder_attn.v_proj.bias"},
    {"**decoder.layers.*.multihead_attn.q_proj_bias", "decoder.layers.*.encoder_attn.q_proj.bias"},
    {"**decoder.layers.*.multihead_attn.v_proj_bias", "decoder.layers.*.encoder_attn.v_proj.bias"},
    {"**decoder.layers.*.multihead_attn.out_proj.*", "decoder.layers.*.encoder_attn.out_proj.*"},
    {"**decoder.layers.*.linear1.*", "decoder.layers.*.fc1.*"},
    {"**decoder.layers.*.linear2.*", "decoder.layers.*.fc2.*"},
    {"**decoder.layers.*.norm1.*", "decoder.layers.*.self_attn_layer_norm.*"},
    {"**decoder.layers.*.norm2.*", "decoder.layers.*.encoder_attn_layer_norm.*"},
    {"**decoder.layers.*.norm3.*", "decoder.layers.*.final_layer_norm.*"},
    {"**decoder.norm.*", "decoder.layer_norm.*"},
    {"decoder_positions.weight", "decoder.embed_positions.weight"},
    {"decoder_embedding_norm.*", "decoder.layernorm_embedding.*"},
    {"embedding.weight", "shared.weight"},
    {"embedding.weight", "decoder.embed_tokens.weight"},
    {"lm_head.weight", "shared.weight"},
    {"lm_head.weight", "decoder.embed_tokens.weight"},
    {"output.weight", "shared.weight"},
    {"output.weight", "decoder.embed_tokens.weight"},
};

/// Moonshine as Hugging Face saves it, for models that list its parts by these names: `conv1`, `conv2`, `conv3`
/// (`nn::conv1d`) and `groupnorm` (`nn::group_norm`) of the stem; in `encoder` and `decoder` the `layers`, each with
/// `self_attn`, `multihead_attn` to the memory (`nn::multihead_attention` or projections one by one), `norm1` to
/// `norm3`, in the encoder `linear1`, `linear2`, in the decoder `up_proj`, `gate_proj`, `down_proj`; `norm` after the
/// layers; `embedding`, and `lm_head` or `output`, tied to it if the file has none.
///
///     io::result r = io::load(model, "model.safetensors", io::moonshine_names);
inline constexpr name_rule moonshine_names[]{
    {"**conv1.*", "model.encoder.conv1.*"},
    {"**conv2.*", "model.encoder.conv2.*"},
    {"**conv3.*", "model.encoder.conv3.*"},
    {"**groupnorm.*", "model.encoder.groupnorm.*"},
    {"**encoder.layers.*.self_attn.in_proj_weight[0]", "model.encoder.layers.*.self_attn.q_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_weight[1]", "model.encoder.layers.*.self_attn.k_proj.weight"},
    {"**encoder.layers.*.self_attn.in_proj_weight[2]", "model.encoder.layers.*.self_attn.v_proj.weight"},
    {"**encoder.layers.*.self_attn.out_proj.*", "model.encoder.layers.*.self_attn.o_proj.*"},
    {"**encoder.layers.*.self_attn.q_proj.*", "model.encoder.layers.*.self_attn.q_proj.*"},
    {"**encoder.layers.*.self_attn.k_proj.*", "model.encoder.layers.*.self_attn.k_proj.*"},
    {"**encoder.layers.*.self_attn.v_proj.*", "model.encoder.layers.*.self_attn.v_proj.*"},
    {"**encoder.layers.*.self_attn.o_proj.*", "model.encoder.layers.*.self_attn.o_proj.*"},
    {"**encoder.layers.*.linear1.*", "model.encoder.layers.*.mlp.fc1.*"},
    {"**encoder.layers.*.linear2.*", "model.encoder.layers.*.mlp.fc2.*"},
    {"**encoder.layers.*.norm1.*", "model.encoder.layers.*.input_layernorm.*"},
    {"**encoder.layers.*.norm2.*", "model.encoder.layers.*.post_attention_layernorm.*"},
    {"**encoder.norm.*", "model.encoder.layer_norm.*"},
    {"**decoder.layers.*.self_attn.in_proj_weight[0]", "model.decoder.layers.*.self_attn.q_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_weight[1]", "model.decoder.layers.*.self_attn.k_proj.weight"},
    {"**decoder.layers.*.self_attn.in_proj_weight[2]", "model.decoder.layers.*.self_attn.v_proj.weight"},
    {"**decoder.layers.*.self_attn.out_proj.*", "model.decoder.layers.*.self_attn.o_proj.*"},
    {"**decoder.layers.*.self_attn.q_proj.*", "model.decoder.layers.*.self_attn.q_proj.*"},
    {"**decoder.layers.*.self_attn.k_proj.*", "model.decoder.layers.*.self_attn.k_proj.*"},
    {"**decoder.layers.*.self_attn.v_proj.*", "model.decoder.layers.*.self_attn.v_proj.*"},
    {"**decoder.layers.*.self_attn.o_proj.*", "model.decoder.layers.*.self_attn.o_proj.*"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[0]", "model.decoder.layers.*.encoder_attn.q_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[1]", "model.decoder.layers.*.encoder_attn.k_proj.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[2]", "model.decoder.layers.*.encoder_attn.v_proj.weight"},
    {"**decoder.layers.*.multihead_attn.out_proj.*", "model.decoder.layers.*.encoder_attn.o_proj.*"},
    {"**decoder.layers.*.multihead_attn.q_proj.*", "model.decoder.layers.*.encoder_attn.q_proj.*"},
    {"**decoder.layers.*.multihead_attn.k_proj.*", "model.decoder.layers.*.encoder_attn.k_proj.*"},
    {"**decoder.layers.*.multihead_attn.v_proj.*", "model.decoder.layers.*.encoder_attn.v_proj.*"},
    {"**decoder.layers.*.multihead_attn.o_proj.*", "model.decoder.layers.*.encoder_attn.o_proj.*"},
    {"**decoder.layers.*.up_proj.weight", "model.decoder.layers.*.mlp.fc1.weight[0]"},
    {"**decoder.layers.*.gate_proj.weight", "model.decoder.layers.*.mlp.fc1.weight[1]"},
    {"**decoder.layers.*.up_proj.bias", "model.decoder.layers.*.mlp.fc1.bias[0]"},
    {"**decoder.layers.*.gate_proj.bias", "model.decoder.layers.*.mlp.fc1.bias[1]"},
    {"**decoder.layers.*.down_proj.*", "model.decoder.layers.*.mlp.fc2.*"},
    {"**decoder.layers.*.norm1.*", "model.decoder.layers.*.input_layernorm.*"},
    {"**decoder.layers.*.norm2.*", "model.decoder.layers.*.post_attention_layernorm.*"},
    {"**decoder.layers.*.norm3.*", "model.decoder.layers.*.final_layernorm.*"},
    {"**decoder.norm.*", "model.decoder.norm.*"},
    {"embedding.weight", "model.decoder.embed_tokens.weight"},
    {"lm_head.weight", "proj_out.weight"},
    {"lm_head.weight", "model.decoder.embed_tokens.weight"},
    {"output.weight", "proj_out.weight"},
    {"output.weight", "model.decoder.embed_tokens.weight"},
};

/// T5 and its relatives as Hugging Face saves them, for models with an `encoder` and a `decoder` of `ashlar::nn` (norm
/// first, rms norms without biases, final_norm; gated from version 1.1 on). Around these: `embedding`, and `lm_head` or
/// `output`, tied to it if the file has none; `encoder_positions` and `decoder_positions` are the `relative_positions`
/// of both. If each layer has them by its option, all layers get those of the first.
///
///     io::result r = io::load(model, "model.safetensors", io::t5_names, {.ignore_unexpected = true});
inline constexpr name_rule t5_names[]{
    {"**encoder.layers.*.self_attn.in_proj_weight[0]", "**encoder.block.*.layer.0.SelfAttention.q.weight"},
    {"**encoder.layers.*.self_attn.in_proj_weight[1]", "**encoder.block.*.layer.0.SelfAttention.k.weight"},
    {"**encoder.layers.*.self_attn.in_proj_weight[2]", "**encoder.block.*.layer.0.SelfAttention.v.weight"},
    {"**encoder.layers.*.self_attn.out_proj.weight", "**encoder.block.*.layer.0.SelfAttention.o.weight"},
    {"**encoder.layers.*.self_attn.relative_attention_bias.weight",
     "**encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"**encoder.layers.*.linear1.weight", "**encoder.block.*.layer.1.DenseReluDense.wi.weight"},
    {"**encoder.layers.*.linear2.weight", "**encoder.block.*.layer.1.DenseReluDense.wo.weight"},
    {"**encoder.layers.*.gate_proj.weight", "**encoder.block.*.layer.1.DenseReluDense.wi_0.weight"},
    {"**encoder.layers.*.up_proj.weight", "**encoder.block.*.layer.1.DenseReluDense.wi_1.weight"},
    {"**encoder.layers.*.down_proj.weight", "**encoder.block.*.layer.1.DenseReluDense.wo.weight"},
    {"**encoder.layers.*.norm1.weight", "**encoder.block.*.layer.0.layer_norm.weight"},
    {"**encoder.layers.*.norm2.weight", "**encoder.block.*.layer.1.layer_norm.weight"},
    {"**encoder.norm.weight", "**encoder.final_layer_norm.weight"},
    {"encoder_positions.weight", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"**decoder.layers.*.self_attn.in_proj_weight[0]", "**decoder.block.*.layer.0.SelfAttention.q.weight"},
    {"**decoder.layers.*.self_attn.in_proj_weight[1]", "**decoder.block.*.layer.0.SelfAttention.k.weight"},
    {"**decoder.layers.*.self_attn.in_proj_weight[2]", "**decoder.block.*.layer.0.SelfAttention.v.weight"},
    {"**decoder.layers.*.self_attn.out_proj.weight", "**decoder.block.*.layer.0.SelfAttention.o.weight"},
    {"**decoder.layers.*.self_attn.relative_attention_bias.weight",
     "**decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[0]", "**decoder.block.*.layer.1.EncDecAttention.q.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[1]", "**decoder.block.*.layer.1.EncDecAttention.k.weight"},
    {"**decoder.layers.*.multihead_attn.in_proj_weight[2]", "**decoder.block.*.layer.1.EncDecAttention.v.weight"},
    {"**decoder.layers.*.multihead_attn.out_proj.weight", "**decoder.block.*.layer.1.EncDecAttention.o.weight"},
    {"**decoder.layers.*.linear1.weight", "**decoder.block.*.layer.2.DenseReluDense.wi.weight"},
    {"**decoder.layers.*.linear2.weight", "**decoder.block.*.layer.2.DenseReluDense.wo.weight"},
    {"**decoder.layers.*.gate_proj.weight", "**decoder.block.*.layer.2.DenseReluDense.wi_0.weight"},
    {"**decoder.layers.*.up_proj.weight", "**decoder.block.*.layer.2.DenseReluDense.wi_1.weight"},
    {"**decoder.layers.*.down_proj.weight", "**decoder.block.*.layer.2.DenseReluDense.wo.weight"},
    {"**decoder.layers.*.norm1.weight", "**decoder.block.*.layer.0.layer_norm.weight"},
    {"**decoder.layers.*.norm2.weight", "**decoder.block.*.layer.1.layer_norm.weight"},
    {"**decoder.layers.*.norm3.weight", "**decoder.block.*.layer.2.layer_norm.weight"},
    {"**decoder.norm.weight", "**decoder.final_layer_norm.weight"},
    {"decoder_positions.weight", "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"embedding.weight", "shared.weight"},
    {"embedding.weight", "encoder.embed_tokens.weight"},
    {"lm_head.weight", "lm_head.weight"},
    {"lm_head.weight", "shared.weight"},
    {"lm_head.weight", "encoder.embed_tokens.weight"},
    {"output.weight", "lm_head.weight"},
    {"output.weight", "shared.weight"},
    {"output.weight", "encoder.embed_tokens.weight"},
};

}  // namespace ashlar::io
