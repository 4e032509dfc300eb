// SPDX-License-Identifier: BSL-1.0
// One warning per unit if the compiler does not optimise.
#pragma once

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

#if ASHLAR_WARNS_UNOPTIMIZED
[[gnu::warning("ashlar: this unit is compiled without optimisation, and its evaluations are some forty times slower; "
               "compile with -O2, or define ASHLAR_UNOPTIMIZED to switch this warning off")]]
inline void unoptimized() {}

// The compiler warns of this call once per unit, if the unit evaluates something. It stays a warning with -Werror.
#pragma GCC diagnostic push
#pragma GCC diagnostic warning "-Wattribute-warning"
inline void warn_unoptimized() { unoptimized(); }
#pragma GCC diagnostic pop
#else
ASHLAR_ALWAYS_INLINE constexpr void warn_unoptimized() {}
#endif

}  // namespace ashlar::detail
