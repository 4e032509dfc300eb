// SPDX-License-Identifier: BSL-1.0
// Finds the function of a case among the files.
#include "ours.hpp"

namespace ashlar::bench {

runner prepare_ashlar(std::size_t case_index, const operands& where) {
    if (runner cached = prepare_cached(case_index, where)) return cached;
    for (auto find : {&ours_attention, &ours_masked, &ours_products, &ours_rows})
        if (const kernel k = find(case_index)) return run_kernel(k, where);
    return {};
}

}  // namespace ashlar::bench
