// SPDX-License-Identifier: BSL-1.0
// Which values PyTorch constructs a module with.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// A layer names its kind in a static member `initialization`. Modules without one consist of other modules.
enum class initialization : std::uint8_t {
    of_members,
    linear,
    convolution,
    transposed_convolution,
    slope,
    table,
    norm,
    channel_norm,
    attention,
    recurrent
};

template <class Module>
constexpr initialization initialization_of() noexcept {
    if constexpr (requires { requires std::is_same_v<decltype(Module::initialization), const initialization>; })
        return Module::initialization;
    else
        return initialization::of_members;
}

}  // namespace ashlar::nn::detail
