// SPDX-License-Identifier: BSL-1.0
// Products and the feed-forward block.
#include "ours.hpp"

namespace ashlar::bench {

kernel ours_products(std::size_t case_index) {
    static constexpr auto table = kernels_for_cases<
        ours_table<[](const problem& p) { return p.op == operation::matmul || p.op == operation::feed_forward; }>>();
    return table[case_index];
}

}  // namespace ashlar::bench
