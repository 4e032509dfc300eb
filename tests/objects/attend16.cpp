// SPDX-License-Identifier: BSL-1.0
// Attention in a unit of its own, whose object is measured.
#include "attend16.hpp"

void attend(square& out, const square& q, const square& k, const square& v) noexcept {
    evaluate(out, ashlar::attention(q, k, v));
}

void attend_causally(square& out, const square& q, const square& k, const square& v) noexcept {
    evaluate(out, ashlar::attention(q, k, v, ashlar::causal));
}
