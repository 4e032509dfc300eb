// SPDX-License-Identifier: BSL-1.0
// What the steps of recurrent layers compute of their gates, as elementwise functions.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/functions.hpp>

namespace ashlar::inline v0_1::detail {

struct lstm_memory_function {
    static constexpr const char* name = "lstm_memory";
    static constexpr std::size_t flops = 6;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument i, Argument f, Argument g, Argument c) const {
        return lstm_memory(i, f, g, c);
    }
};

struct lstm_output_function {
    static constexpr const char* name = "lstm_output";
    static constexpr std::size_t flops = 3;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument o, Argument c) const {
        return lstm_output(o, c);
    }
};

struct gru_output_function {
    static constexpr const char* name = "gru_output";
    static constexpr std::size_t flops = 8;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument r, Argument z, Argument x, Argument y, Argument h) const {
        return gru_output(r, z, x, y, h);
    }
};

}  // namespace ashlar::inline v0_1::detail
