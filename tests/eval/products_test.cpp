// SPDX-License-Identifier: BSL-1.0
// Products by kernels: orientations, batches, vectors, degenerate extents, computed operands.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <class T, std::size_t M, std::size_t N, std::size_t K>
void orientations() {
    SCOPED_TRACE(testing::Message() << M << " x " << K << " by " << N);
    support::random_numbers random(2);
    const auto a = random.template normal<T, M, K>();
    const auto at = random.template normal<T, K, M>();
    const auto b = random.template normal<T, K, N>();
    const auto bt = random.template normal<T, N, K>();
    check(matmul(a, b));
    check(matmul(a, transpose(bt)));
    check(matmul(transpose(at), b));
    check(matmul(transpose(at), transpose(bt)));
}
TEST(products, orientations) {
    orientations<float, 1, 1, 1>();
    orientations<float, 1, 17, 5>();
    orientations<float, 17, 1, 5>();
    orientations<float, 16, 16, 1>();
    orientations<double, 19, 21, 7>();
}

TEST(products, in_expressions) {
    support::random_numbers random(1);
    const auto a = random.normal<float, 37, 3>();
    const auto b = random.normal<float, 3, 5>();
    const auto bt = random.normal<float, 5, 3>();
    check(transpose(matmul(a, b)));
    check(transpose(matmul(a, transpose(bt))) * 2.0f);
    check(matmul(exp(a), tanh(b)));
    check(relu(matmul(a, b)) + transpose(matmul(transpose(b), transpose(a))));
}

TEST(product_shapes, batches) {
    support::random_numbers random(3);
    const auto a = random.normal<float, 2, 3, 5, 7>();
    const auto b = random.normal<float, 2, 3, 7, 4>();
    const auto w = random.normal<float, 7, 4>();
    const auto h = random.normal<float, 3, 7, 4>();
    check(matmul(a, b));
    check(matmul(a, w));
    check(matmul(a, h));
    check(matmul(random.normal<float, 5, 7>(), b));
    check(matmul(random.normal<float, 3, 1, 5, 7>(), random.normal<float, 2, 7, 4>()));
    check(matmul(permute<2, 0, 1, 3>(a), random.normal<float, 5, 2, 7, 6>()));
}

TEST(product_shapes, vectors) {
    support::random_numbers random(4);
    const auto a = random.normal<float, 9, 37>();
    const auto x = random.normal<float, 37>();
    const auto y = random.normal<float, 9>();
    check(matmul(y, a));
    check(matmul(transpose(a), y));
    check(dot(x, x));
    check(outer(x, y));
    check(matmul(random.normal<float, 2, 9, 37>(), x) + y);
    check(softmax(matmul(a, x)));
}

TEST(product_shapes, integers) {
    support::random_numbers random(5);
    check(matmul(random.whole<std::int32_t, 5, 7>(-9, 9), random.whole<std::int32_t, 7, 18>(-9, 9)));
    check(matmul(random.whole<std::int32_t, 18, 7>(-9, 9), transpose(random.whole<std::int32_t, 5, 7>(-9, 9))));
}

// A register of 64 bytes holds more of them than a tile has rows.
template <std::size_t Rows>
void small_integers() {
    using T = std::int8_t;
    const auto a = generate<T, 5, Rows>([](auto i, auto j) { return static_cast<T>((i * 3 + j) % 2); });
    const auto x = generate<T, Rows, 8>([](auto i, auto j) { return static_cast<T>((i + j * 7) % 3); });
    const auto w = generate<T, 12, 8>([](auto i, auto j) { return static_cast<T>((i * 5 + j) % 3); });
    const auto y = eval(matmul(a, matmul(x, transpose(w))));
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t c = 0; c < 12; ++c) {
            int sum = 0;
            for (std::size_t r = 0; r < Rows; ++r)
                for (std::size_t k = 0; k < 8; ++k) sum += a(i, r) * x(r, k) * w(c, k);
            ASSERT_EQ(y(i, c), static_cast<T>(sum)) << Rows << ' ' << i << ' ' << c;
        }
}
TEST(product_shapes, small_integers_in_tiles) {
    small_integers<32>();
    small_integers<100>();
}

TEST(product_shapes, einsums) {
    support::random_numbers random(6);
    const auto a = random.normal<float, 5, 7>();
    const auto b = random.normal<float, 7, 3>();
    const auto c = random.normal<float, 2, 5, 7>();
    check(einsum<"ij,jk->ki">(a, b));
    check(einsum<"bij,bkj->bik">(c, c));
    check(einsum<"bij->jb">(c));
    check(einsum<"ij,ij->i">(a, a));
    check(einsum<"bij,ij->bj">(c, a));
}

}  // namespace
