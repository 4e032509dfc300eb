// SPDX-License-Identifier: BSL-1.0
// Compiled once for each set of instructions.
#include "layer.hpp"

using namespace ashlar;

static std::size_t run(const instruction_sets::layer& weights, const instruction_sets::rows& x,
                       instruction_sets::rows& y) noexcept {
    static workspace<workspace_bytes<decltype(weights(x))>> scratch;  // as large as this set's plan needs
    evaluate(y, weights(x), scratch);
    return current_config::register_bits;
}
ASHLAR_DISPATCH(instruction_sets::encode, run);
