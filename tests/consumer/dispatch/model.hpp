// SPDX-License-Identifier: BSL-1.0
// What the program and its library share: one model for all instruction sets, and functions compiled for each.
#pragma once

#include <ashlar/ashlar.hpp>
#include <ashlar/core/dispatch.hpp>

namespace consumer {

using rows = ashlar::tensor<float, 20, 16>;
using weights = ashlar::tensor<float, 16, 16>;
using packed_weights = ashlar::packed<float, 16, 16>;

/// y = attention(x, x, x w, causal).
extern ashlar::dispatched<void(const packed_weights& w, const rows& x, rows& y) noexcept> layer;
/// The panels of a matrix, as a set's own code packs them.
extern ashlar::dispatched<packed_weights(const weights&)> panels;

}  // namespace consumer
