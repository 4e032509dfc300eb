// SPDX-License-Identifier: BSL-1.0
// An encoder layer in a unit of its own, whose object is measured.
#include "layer16.hpp"

void encode(tokens& out, const layer& l, const tokens& x) noexcept { evaluate(out, l(x)); }
