// SPDX-License-Identifier: BSL-1.0
// Evaluates the same attention in both units; each value must be the same within rounding.
#include "attend.hpp"

int main() {
    const square x = ashlar::generate<float, 4, 4>([](auto i, auto j) { return i == j ? 2.0f : 0.5f; });
    const square here = ashlar::attention(x, x, x, ashlar::causal);
    const square there = attend(x);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const float difference = here(i, j) - there(i, j);
            if (!(difference < 1e-5f && difference > -1e-5f)) return 1;
        }
    return here(0, 0) == 2.0f && there(0, 0) == 2.0f ? 0 : 1;  // the first row keeps itself alone
}
