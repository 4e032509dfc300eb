// SPDX-License-Identifier: BSL-1.0
// Compiled for each instruction set.
#include "model.hpp"

using namespace ashlar;

static void run(const consumer::packed_weights& w, const consumer::rows& x, consumer::rows& y) noexcept {
    y = attention(x, x, matmul(x, w), causal);
}
ASHLAR_DISPATCH(consumer::layer, run);
ASHLAR_DISPATCH(consumer::panels, [](const consumer::weights& w) -> consumer::packed_weights { return pack(w); });
