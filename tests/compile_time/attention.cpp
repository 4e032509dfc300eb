// SPDX-License-Identifier: BSL-1.0
// One attention: 64 queries, 64 keys, 64 wide.
#include <ashlar/ashlar.hpp>

using namespace ashlar;
using matrix = tensor<float, 64, 64>;

matrix attend(const matrix& q, const matrix& k, const matrix& v) noexcept { return attention(q, k, v); }
