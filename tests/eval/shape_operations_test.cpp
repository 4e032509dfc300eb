// SPDX-License-Identifier: BSL-1.0
// Shape operations by kernels: as roots, as operands, nested.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(shape_operations, permutations) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 17, 19>();
    const auto y = random.normal<float, 3, 5, 18>();
    check(transpose(x + 1.0f));
    check(exp(transpose(x)) + transpose(x * x));
    check(permute<2, 0, 1>(y * 2.0f));
    check(permute<1, 2, 0>(permute<1, 2, 0>(y)) + permute<2, 0, 1>(y));
    check(transpose(softmax(x)));
    check(transpose(softmax<0>(transpose(x))) * 2.0f);
    check(x + transpose(random.normal<float, 19, 1>()));
}

TEST(shape_operations, reshapes) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 6, 20>();
    check(reshape<6, 4, 5>(x + 1.0f));
    check(reshape<8, 15>(transpose(x) * 2.0f) + 1.0f);
    check(reshape<6, 4, 5>(softmax(x)) * 2.0f);
    check(softmax(reshape<8, 15>(exp(x))));
    check(permute<1, 0, 2>(reshape<6, 4, 5>(x * 3.0f)));
    check(reshape<4, 30>(permute<1, 0, 2>(reshape<6, 4, 5>(x))) * 1.0f);
    check(reshape<1, 6, 1, 20>(x) + random.normal<float, 3, 1, 2, 1>());
    check(squeeze(unsqueeze<1>(x) * 2.0f));
}

// The result has axes of one entry behind those of the product.
TEST(shape_operations, reshapes_with_trailing_ones) {
    support::random_numbers random(7);
    const auto a = random.normal<float, 8, 5>();
    const auto b = random.normal<float, 5, 16>();
    check(reshape<8, 16, 1, 1>(matmul(a, b)) * 2.0f);
    check(reshape<3, 8, 16, 1>(matmul(random.normal<float, 3, 8, 5>(), b)) + random.normal<float, 8, 16, 1>());
}

TEST(shape_operations, slices) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 9, 37>();
    check(slice<1, 3, 37, 2>(x) * 2.0f);
    check(slice<1, 1, 36, 5>(x + 1.0f) * 2.0f);
    check(slice<1, 1, 36, 5>(softmax(x)));
    check(softmax(slice<1, 5, 30, 3>(x * 1.0f)));
    check(slice<1, 0, 10>(slice<0, 1, 8, 2>(x * 2.0f)) + 1.0f);
    check(row(x * 2.0f, 3) + row(x, 1));
    check(slice<0, 2, 5>(matmul(x, transpose(x))));
    check(matmul(slice<1, 3, 37, 2>(x), transpose(slice<1, 2, 36, 2>(x))));
    const auto thirds = split<0, 3>(x);
    check(thirds[0] * thirds[2] - thirds[1]);
}

TEST(shape_operations, joins) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 5, 7>();
    const auto y = random.normal<float, 5, 18>();
    const auto z = random.normal<float, 3, 7>();
    check(concat<1>(x, y));
    check(concat<0>(x, z, x * 2.0f));
    check(softmax(concat<1>(x, y)));
    check(transpose(concat<1>(x, y)));
    check(concat<1>(concat<0>(x, z), concat<0>(y, slice<0, 0, 3>(y))) * 2.0f);
    const auto tall = concat<0>(random.normal<float, 3, 1, 6, 2>(), random.normal<float, 5, 1, 6, 2>());
    check(concat<2>(permute<1, 0, 2, 3>(tall), random.normal<float, 1, 8, 1, 2>()) + random.normal<float, 7, 2>());
    check(stack<2>(x, x + 1.0f));
    check(matmul(concat<1>(x, y), concat<0>(transpose(x), transpose(y))));
    check(concat<1>(matmul(x, transpose(x)), y));
    check(slice<1, 3, 12>(concat<1>(x, y)));
    check(sum<0>(concat<0>(x, z)));
    check(concat<0>(sum<0>(x), sum<1>(y)));
    check(layer_norm(concat<1>(x, y), random.normal<float, 25>(), random.normal<float, 25>(), 1e-5) + 1.0f, 1e-5);
}

TEST(shape_operations, repeats_and_broadcasts) {
    support::random_numbers random(5);
    const auto x = random.normal<float, 3, 1, 7>();
    const auto r = random.normal<float, 17>();
    check(broadcast_to<3, 5, 7>(x * 2.0f));
    check(broadcast_to<4, 17>(exp(r)));
    check(transpose(broadcast_to<4, 17>(r)) + 1.0f);
    check(matmul(broadcast_to<2, 3, 5, 7>(x), random.normal<float, 7, 4>()));
    check(reshape<20, 7>(broadcast_to<4, 5, 7>(random.normal<float, 7>())) + 1.0f);
    const tensor<f16, 1, 7> narrow = cast<f16>(random.normal<float, 1, 7>());
    check(broadcast_to<2, 3, 7>(narrow) * 1.0f);  // a view of elements that are stored in 16 bits
}

TEST(shape_operations, scattered_alike_in_every_row) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 5, 40>();
    const auto y = random.normal<double, 3, 5, 6>();
    const auto neighbours = [](const auto& e) { return reshape<5, 40>(slice<-1, -1, -3, -1>(reshape<5, 20, 2>(e))); };
    check(neighbours(exp(x)) + x);
    check(neighbours(neighbours(x)) + 1.0f);
    check(x + reshape<5, 40>(transpose(reshape<8, 25>(x))));
    check(reshape<5, 20>(slice<-1, 1, 2>(reshape<5, 20, 2>(x))) + 1.0f);
    check(reshape<5, 18>(reshape<5, 6, 3>(slice<-1, 3, 39, 2>(x))) + 1.0f);
    check(reshape<5, 30>(slice<-2, 2, 8>(permute<0, 2, 1>(reshape<5, 5, 8>(slice<-1, 0, 40>(x))))) + 1.0f);
    check(reshape<3, 30>(permute<0, 2, 1>(slice<1, -1, -6, -1>(y))) + exp(reshape<3, 30>(y)));
}

TEST(shape_operations, takes) {
    support::random_numbers random(6);
    const auto table = random.normal<float, 11, 19>();
    const auto i = random.whole<std::int32_t, 5>(0, 11);
    const auto ij = random.whole<std::int64_t, 2, 3>(0, 11);
    const auto c = random.whole<std::uint8_t, 4>(0, 19);
    check(take<0>(table, ij) * 2.0f);
    check(take<0>(exp(table), i + 0));
    check(take<1>(table, c) + 1.0f);
    check(take<0>(softmax(table), i));
    check(matmul(take<0>(table, i), transpose(table)));
    check(take<0>(matmul(table, transpose(table)), i));
    check(cast<float>(index<0>(table)) * table);
}

}  // namespace
