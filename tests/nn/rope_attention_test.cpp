// SPDX-License-Identifier: BSL-1.0
// Rotations within larger expressions: queries and keys of one attention, a rotation of a rotation.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/positions/rope.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

TEST(rope_attention, rotations_of_one_type_stay_apart) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 64}>;
    support::random_numbers random(5);
    const auto x = random.normal<float, 6, 12>();
    const auto wq = random.normal<float, 12, 8>(), wk = random.normal<float, 12, 8>(),
               wv = random.normal<float, 12, 8>();
    const tensor<float, 6, 8> q = turn(matmul(x, wq), 3), k = turn(matmul(x, wk), 5), v = matmul(x, wv);
    const tensor<float, 6, 8> expected = attention(q, k, v);
    reference::expect_near(eval(attention(turn(matmul(x, wq), 3), turn(matmul(x, wk), 5), matmul(x, wv))),
                           reference::of(expected));
    // Angles add up.
    reference::expect_near(eval(turn.at(turn.at(matmul(x, wq), 3), 5)), reference::of(eval(turn.at(matmul(x, wq), 8))));
}
