// SPDX-License-Identifier: BSL-1.0
// Row maps and elementwise chains.
#include "ours.hpp"

namespace ashlar::bench {

kernel ours_rows(std::size_t case_index) {
    static constexpr auto table = kernels_for_cases<ours_table<[](const problem& p) {
        return p.op == operation::softmax || p.op == operation::layer_norm || p.op == operation::chain;
    }>>();
    return table[case_index];
}

}  // namespace ashlar::bench
