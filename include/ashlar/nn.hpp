// SPDX-License-Identifier: BSL-1.0
// Modules: layers with learnt parameters, positions, caches, and whole transformers of them.
#pragma once

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/activation.hpp>
#include <ashlar/nn/alibi.hpp>
#include <ashlar/nn/angles.hpp>
#include <ashlar/nn/cached_keys.hpp>
#include <ashlar/nn/counts.hpp>
#include <ashlar/nn/decoder.hpp>
#include <ashlar/nn/decoder_block.hpp>
#include <ashlar/nn/decoder_layer.hpp>
#include <ashlar/nn/embedding.hpp>
#include <ashlar/nn/encoder.hpp>
#include <ashlar/nn/encoder_layer.hpp>
#include <ashlar/nn/example.hpp>
#include <ashlar/nn/feed_forward.hpp>
#include <ashlar/nn/generator.hpp>
#include <ashlar/nn/heads.hpp>
#include <ashlar/nn/idle_memory.hpp>
#include <ashlar/nn/init.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/layered.hpp>
#include <ashlar/nn/linear.hpp>
#include <ashlar/nn/module.hpp>
#include <ashlar/nn/multihead_attention.hpp>
#include <ashlar/nn/norm.hpp>
#include <ashlar/nn/parameters.hpp>
#include <ashlar/nn/positions.hpp>
#include <ashlar/nn/relative_positions.hpp>
#include <ashlar/nn/reset_parameters.hpp>
#include <ashlar/nn/rope.hpp>
#include <ashlar/nn/summary.hpp>
#include <ashlar/nn/summary_rows.hpp>
#include <ashlar/nn/weights.hpp>
#include <ashlar/nn/width.hpp>
