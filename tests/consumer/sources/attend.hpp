// SPDX-License-Identifier: BSL-1.0
// What the two units of the consumer share.
#pragma once

#include <ashlar/ashlar.hpp>

using square = ashlar::tensor<float, 4, 4>;

/// Causal attention, evaluated in the other unit.
square attend(const square& x);
