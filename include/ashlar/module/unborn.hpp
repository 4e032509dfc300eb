// SPDX-License-Identifier: BSL-1.0
// Storage for a module that is never constructed, for code that names its members and does not read them.
#pragma once

#include <type_traits>

namespace ashlar::inline v0_1::nn::detail {

/// As a local variable of a constant evaluation it costs nothing, whatever the module's size.
template <class Module>
union unborn {
    char none;
    Module object;
    constexpr unborn() : none{} {}
    constexpr ~unborn()
        requires std::is_trivially_destructible_v<Module>
    = default;
    constexpr ~unborn() {}
};

}  // namespace ashlar::nn::detail
