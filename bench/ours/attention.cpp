// SPDX-License-Identifier: BSL-1.0
// Full attention of several queries.
#include "ours.hpp"

namespace ashlar::bench {

kernel ours_attention(std::size_t case_index) {
    static constexpr auto table = kernels_for_cases<ours_table<[](const problem& p) {
        return p.op == operation::attention && p.mask == mask_kind::full && p.rows != 1 && !p.cached;
    }>>();
    return table[case_index];
}

}  // namespace ashlar::bench
