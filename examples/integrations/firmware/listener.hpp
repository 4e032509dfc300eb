// SPDX-License-Identifier: BSL-1.0
// The work of the interrupts: one takes samples, another one of lower priority runs the model when a block is full.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model.hpp"

namespace firmware {

inline constexpr std::size_t blocks = 200;

/// Call it before the first interrupt.
void start_listening() noexcept;
/// Stores a sample. Returns whether a block is full: then call `run_block` before the next block is full.
bool take_sample(float x) noexcept;
/// Runs the model over the full block. `take_sample` may interrupt it.
void run_block() noexcept;

/// What happened so far.
struct record {
    std::uint32_t done = 0;                        // blocks
    std::uint32_t too_late = 0;                    // blocks that were full before the previous one was done
    std::uint32_t least = ~0u, most = 0, sum = 0;  // ticks of a block
    float results[blocks]{};                       // the last of each block
};
const record& heard() noexcept;

}  // namespace firmware
