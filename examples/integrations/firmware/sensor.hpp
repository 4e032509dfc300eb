// SPDX-License-Identifier: BSL-1.0
// A sensor that vibrates, in place of a converter: the same numbers on each board.
#pragma once

#include <cstdint>

namespace firmware {

/// The i-th sample: a triangle that grows faster, and noise.
inline float sensor(std::uint32_t i) noexcept {
    const std::uint32_t phase = (i * 37u + i * i / 256u) % 512u;
    const std::uint32_t noise = (i * 1'664'525u + 1'013'904'223u) >> 24;
    const float triangle = static_cast<float>(phase < 256u ? phase : 512u - phase) / 128.0f - 1.0f;
    return triangle + static_cast<float>(noise) / 1024.0f;
}

}  // namespace firmware
