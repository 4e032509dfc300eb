// SPDX-License-Identifier: BSL-1.0
// Small attention: operations between its steps, and depths that are no multiple of a register.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(small_attention, columns) {
    support::random_numbers random(5);
    const auto a = random.normal<float, 10, 4>();
    const auto b = random.normal<float, 37, 24>();
    check(attention(a, a, a));
    check(attention(b, b, b));
}

TEST(small_attention, batches_and_epilogues) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 2, 3, 4, 8>();
    const auto k = random.normal<float, 2, 3, 6, 8>();
    const auto v = random.normal<float, 2, 3, 6, 5>();
    const auto bias = random.normal<float, 4, 6>();
    check(attention(q, k, v));
    check(attention(q, k, v, ashlar::bias(bias)));
    check(attention(q, k, v, softcap(2.0f)));
    check(attention_weights(q, k));
    check(logsumexp<-1>(matmul(q, transpose(k))));
    check(softmax<2>(matmul(q, transpose(k))));
    check(matmul(softmax(matmul(q, transpose(k))), v) + 1.0f);
    check(max<-1>(matmul(q, transpose(k)) * 2.0f));
}

}  // namespace
