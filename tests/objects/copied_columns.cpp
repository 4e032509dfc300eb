// SPDX-License-Identifier: BSL-1.0
// A product with row-major weights that are in no cache, for check_prefetch.sh: the first rows copy their columns.
#include <ashlar/ashlar.hpp>

namespace objects {

using namespace ashlar;

void plain_weights(tensor<float, 128, 384>& out, const tensor<float, 128, 1536>& a,
                   const tensor<float, 1536, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

}  // namespace objects
