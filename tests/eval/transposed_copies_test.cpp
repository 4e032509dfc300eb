// SPDX-License-Identifier: BSL-1.0
// Products with a transposed right operand in expressions: the product itself makes the copy.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

/// Copies that products make themselves.
template <class E>
constexpr std::size_t copies_left(const E&) {
    std::size_t copies = 0;
    for (const detail::plan_fusion& f : detail::planned<E, current_config>::code.fusions)
        copies += f.how[detail::full_tile] == detail::fusion::transposed_copy;
    return copies;
}

constexpr bool turns = detail::machine_of<current_config>.registers >= 32 &&
                       detail::machine_of<current_config>.transposed_together(sizeof(float)) != 0;

TEST(transposed_copies, sizes) {
    support::random_numbers random(1);
    const auto a = random.normal<float, 37, 41>();
    const auto b = random.normal<float, 35, 41>();
    EXPECT_EQ(copies_left(matmul(a, transpose(b))), std::size_t{turns});
    check(matmul(a, transpose(b)), 1e-5);
    check(matmul(slice<1, 0, 33>(a), transpose(slice<1, 3, 36>(b))), 1e-5);
    check(matmul(a, transpose(slice<0, 1, 34, 2>(b))), 1e-5);
    const auto c = random.normal<double, 24, 19>();
    const auto d = random.normal<double, 25, 19>();
    EXPECT_EQ(copies_left(matmul(c, transpose(d))), std::size_t{turns});
    check(matmul(c, transpose(d)), 1e-12);
}

TEST(transposed_copies, epilogues) {
    support::random_numbers random(2);
    const auto a = random.normal<float, 40, 24>();
    const auto b = random.normal<float, 33, 24>();
    const auto c = random.normal<float, 33>();
    check(relu(matmul(a, transpose(b)) + c), 1e-5);
    check(softmax(matmul(a, transpose(b))), 1e-5);
    // What follows reads the destination of the first product, or both copies.
    check(matmul(matmul(a, transpose(b)), transpose(random.normal<float, 34, 33>())), 1e-4);
    check(let(transpose(b), [&](const auto& t) { return matmul(a, t) + matmul(a * 2.0f, t); }), 1e-5);
}

/// A copy of something that is computed, or that another product reads as well, stays where it is.
TEST(transposed_copies, computed_operands) {
    support::random_numbers random(3);
    const auto a = random.normal<float, 40, 32>();
    const auto b = random.normal<float, 32, 32>();
    EXPECT_EQ(copies_left(matmul(a, transpose(matmul(b, b)))), 0u);
    check(matmul(a, transpose(matmul(b, b))), 1e-4);
    check(matmul(matmul(a, transpose(b)), transpose(b)), 1e-4);
}

TEST(transposed_copies, batches) {
    support::random_numbers random(4);
    const auto c = random.normal<float, 3, 34, 32>();
    check(matmul(random.normal<float, 24, 32>(), permute<0, 2, 1>(c)), 1e-5);
}

/// The product writes while it still reads the right operand, which therefore must not be its destination.
TEST(transposed_copies, destinations_that_overlap) {
    support::random_numbers random(5);
    const auto a = random.normal<float, 64, 64>();
    const auto b = random.normal<float, 64, 64>();
    tensor<float, 64, 64> x;
    const auto check_over = [&](const auto& left, const auto& right, const auto& l, const auto& r) {
        x = matmul(left, transpose(right));
        reference::expect_near(x, reference::of(detail::constant_evaluate(matmul(l, transpose(r)))), 1e-5, 1e-3);
    };
    x = b;
    check_over(a, x, a, b);
    x = a;
    check_over(x, b, a, b);
    x = a;
    check_over(x, x, a, a);
}

}  // namespace
