// SPDX-License-Identifier: BSL-1.0
// Modules: layers with learnt parameters, positions, caches, and whole transformers of them.
#pragma once

// clang-format off
// From the ground up: compilers print the way to a header above each of its errors.
#include <ashlar/ashlar.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/layers/activation.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/nn/cache/cached_keys.hpp>
#include <ashlar/nn/cache/idle_memory.hpp>
#include <ashlar/nn/cache/row_scales.hpp>
#include <ashlar/nn/init/init.hpp>
#include <ashlar/nn/init/reset_parameters.hpp>
#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/inspect/summary.hpp>
#include <ashlar/nn/inspect/summary_rows.hpp>
#include <ashlar/nn/inspect/unprinted_module.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/layers/conv1d.hpp>
#include <ashlar/nn/layers/conv2d.hpp>
#include <ashlar/nn/layers/conv_transpose1d.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/batch_norm.hpp>
#include <ashlar/nn/layers/group_norm.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/padding_mode.hpp>
#include <ashlar/nn/layers/prelu.hpp>
#include <ashlar/nn/layers/pool1d.hpp>
#include <ashlar/nn/layers/recurrence.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/layers/lstm.hpp>
#include <ashlar/nn/layers/gru.hpp>
#include <ashlar/nn/layers/rnn.hpp>
#include <ashlar/nn/positions/alibi.hpp>
#include <ashlar/nn/positions/angles.hpp>
#include <ashlar/nn/positions/positions.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>
#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/stream_base.hpp>
#include <ashlar/nn/stream/stream_memory.hpp>
#include <ashlar/nn/stream/window_stream.hpp>
#include <ashlar/nn/stream/conv1d_stream.hpp>
#include <ashlar/nn/stream/pool_stream.hpp>
#include <ashlar/nn/stream/recurrent_stream.hpp>
#include <ashlar/nn/stream/attention_stream.hpp>
#include <ashlar/nn/transformers/decoder.hpp>
#include <ashlar/nn/transformers/decoder_layer.hpp>
#include <ashlar/nn/transformers/encoder.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>
#include <ashlar/nn/transformers/generator.hpp>
#include <ashlar/nn/transformers/layer_stack.hpp>
#include <ashlar/nn/transformers/llama_decoder.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>
// clang-format on
