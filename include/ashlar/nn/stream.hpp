// SPDX-License-Identifier: BSL-1.0
// Streams: layers that get their input block by block.
#pragma once

#include <ashlar/nn/stream/attention_stream.hpp>
#include <ashlar/nn/stream/conv1d_stream.hpp>
#include <ashlar/nn/stream/pool_stream.hpp>
#include <ashlar/nn/stream/recurrent_stream.hpp>
#include <ashlar/nn/stream/stream.hpp>
