// SPDX-License-Identifier: BSL-1.0
// Causal attention of one shape and nothing else, so that the size of the object is the size of an instance.
#include <ashlar/ashlar.hpp>

namespace objects {

using namespace ashlar;
using square = tensor<float, 64, 64>;

void attention_causal(square& out, const square& q, const square& k, const square& v) noexcept {
    evaluate(out, attention(q, k, v, causal));
}

}  // namespace objects
