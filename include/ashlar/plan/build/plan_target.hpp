// SPDX-License-Identifier: BSL-1.0
// What a plan has to know about the machine that it is made for.
#pragma once

#include <cstddef>

namespace ashlar::detail {

/// A machine as far as plans depend on it, so that a plan can be made for another one than the one that compiles.
struct plan_target {
    std::size_t register_bytes, second_cache_bytes;
    bool shuffles = true;  // registers are shuffled without a detour through memory

    constexpr std::size_t lanes(std::size_t element_bytes) const {
        return register_bytes > element_bytes ? register_bytes / element_bytes : 1;
    }
};

}  // namespace ashlar::detail
