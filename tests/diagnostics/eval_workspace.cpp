// SPDX-License-Identifier: BSL-1.0
// A workspace has at least workspace_bytes<E>.
//
// expect: ashlar: evaluate: the workspace is too small; it needs workspace_bytes<E> bytes
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void attend(tensor<float, 64, 32>& out, const tensor<float, 64, 32>& x) {
    auto e = attention(x, x, x);
#ifdef ASHLAR_EXPECT_ERROR
    workspace<64> scratch;
#else
    workspace<workspace_bytes<decltype(e)>> scratch;
#endif
    evaluate(out, e, scratch);
}
