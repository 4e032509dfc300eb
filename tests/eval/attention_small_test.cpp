// SPDX-License-Identifier: BSL-1.0
// Small attention: operations between its steps, and depths that are no multiple of a register.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(small_attention, columns) {
    support::random_numbers random(5);
    const auto a = random.normal<float, 10, 4>();
    check(attention(a, a, a));
}

TEST(small_attention, batches_and_epilogues) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 2, 3, 4, 8>();
    const auto k = random.normal<float, 2, 3, 6, 8>();
    const auto v = random.normal<float, 2, 3, 6, 5>();
    const auto scores = matmul(q, transpose(k));
    check(attention(q, k, v, bias(random.normal<float, 4, 6>()), softcap(2.0f)));
    check(attention_weights(q, k));
    check(logsumexp<-1>(scores));
    check(softmax<2>(scores));
    check(matmul(softmax(scores), v) + 1.0f);
    check(max<-1>(scores * 2.0f));
}

}  // namespace
