// SPDX-License-Identifier: BSL-1.0
// Compiled once for each set of instructions, with its flags and ENCODE, the name of its function.
#include "layer.hpp"

using namespace ashlar;

std::size_t instruction_sets::ENCODE(const layer& weights, const rows& x, rows& y) noexcept {
    static workspace<workspace_bytes<decltype(weights(x))>> scratch;  // as large as this variant's plan needs
    evaluate(y, weights(x), scratch);
    return current_config::register_bits;
}
