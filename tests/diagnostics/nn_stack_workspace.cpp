// SPDX-License-Identifier: BSL-1.0
// A workspace for a stack of layers has at least workspace_bytes<E>.
//
// expect: ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

using encoder = nn::encoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}>;

void encode(tensor<float, 5, 8>& y, const tensor<float, 5, 8>& x, const encoder& e) {
#ifdef ASHLAR_EXPECT_ERROR
    workspace<64> scratch;
#else
    workspace<workspace_bytes<decltype(e(x))>> scratch;
#endif
    evaluate(y, e(x), scratch);
}
