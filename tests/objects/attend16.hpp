// SPDX-License-Identifier: BSL-1.0
// The attention that runs on a microcontroller.
#pragma once

#include <ashlar/ashlar.hpp>

using square = ashlar::tensor<float, 16, 16>;

/// Full and causal attention of 16 rows of 16.
void attend(square& out, const square& q, const square& k, const square& v) noexcept;
void attend_causally(square& out, const square& q, const square& k, const square& v) noexcept;
