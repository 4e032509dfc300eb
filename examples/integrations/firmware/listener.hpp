// SPDX-License-Identifier: BSL-1.0
// What interrupts do: one takes samples, another one of lower priority runs the model when a block of them is there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model.hpp"

namespace firmware {

inline constexpr std::size_t blocks = 200;

/// Before the first interrupt.
void start_listening() noexcept;
/// A sample has come. Returns whether a block is full, for which `run_block` must be called soon.
bool take_sample(float x) noexcept;
/// Runs the model over the block that is full. Samples may come meanwhile.
void run_block() noexcept;

/// What happened so far.
struct record {
    std::uint32_t done = 0;                        // blocks
    std::uint32_t too_late = 0;                    // blocks that were full before the one before was done
    std::uint32_t least = ~0u, most = 0, sum = 0;  // ticks of a block
    float results[blocks]{};                       // the last of each block
};
const record& heard() noexcept;

}  // namespace firmware
