// SPDX-License-Identifier: BSL-1.0
// One attention behind a mask.
#include <ashlar/ashlar.hpp>

using namespace ashlar;
using matrix = tensor<float, 64, 64>;

matrix attend(const matrix& q, const matrix& k, const matrix& v) noexcept { return attention(q, k, v, causal); }
