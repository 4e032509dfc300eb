// SPDX-License-Identifier: BSL-1.0
// What the plan of an expression fuses, for tests that assert that it does.
#pragma once

#include <array>

#include <ashlar/ashlar.hpp>

namespace support {

/// How the stages of the first fused item run, in full tiles and in the last one; none where nothing is fused.
template <class Machine, class E>
constexpr std::array<ashlar::detail::fusion, 2> fused(const E&) {
    constexpr const auto& code = ashlar::detail::planned<E, Machine>::code;
    for (const ashlar::detail::plan_item& item : code.items)
        if (item.fused != ashlar::detail::no_fusion) return code.fusions[item.fused].how;
    return {};
}

}  // namespace support
