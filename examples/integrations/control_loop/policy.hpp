// SPDX-License-Identifier: BSL-1.0
// The policy of the controller: a network of two layers, from the states of the joints to the torques of the motors.
#pragma once

#include <cstddef>

#include <ashlar/nn.hpp>

namespace robot {

using namespace ashlar;

inline constexpr std::size_t joints = 6, observations = 3 * joints, hidden = 64;

/// Positions, velocities and wanted positions in; torques out.
struct policy {
    nn::linear<{.in = observations, .out = hidden}> first{};
    nn::linear<{.in = hidden, .out = joints}> second{};

    auto operator()(const tensor<float, observations>& x) const { return second(relu(first(x))); }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("first", self.first);
        visit("second", self.second);
    }
};

}  // namespace robot
