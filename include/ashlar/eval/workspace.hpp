// SPDX-License-Identifier: BSL-1.0
// Scratch that the caller owns.
#pragma once

#include <cstddef>

namespace ashlar::inline v0_1 {

/// Scratch memory for evaluations, aligned for every architecture. Put it where it suits: static, in an object, on the
/// stack. One evaluation at a time may use it; nothing is kept in it between evaluations.
///
///     static workspace<workspace_bytes<decltype(e)>> scratch;
template <std::size_t Bytes>
struct workspace {
    static constexpr std::size_t size = Bytes;
    alignas(64) std::byte bytes[Bytes == 0 ? 1 : Bytes];
};

}  // namespace ashlar
