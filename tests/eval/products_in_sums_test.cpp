// SPDX-License-Identifier: BSL-1.0
// Sums of products are rounded as the compiler rounds them in a loop: once where it contracts, else twice.
#include <bit>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>
#include <tests/support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

/// f of the elements of three arrays, one after the other.
template <class Function, class Element>
ASHLAR_NOINLINE void loop(Function f, const Element* x, const Element* y, const Element* z, Element* out,
                          std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = f(x[i], y[i], z[i]);
}

template <class Element>
[[gnu::noinline]] void expect_same_bits(const Element* y, const Element* expected, std::size_t rows,
                                        std::size_t columns) {
    using bits = std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::uint64_t>;
    for (std::size_t k = 0; k < rows * columns; ++k)
        EXPECT_EQ(std::bit_cast<bits>(y[k]), std::bit_cast<bits>(expected[k]))
            << rows << " x " << columns << ", element " << k;
}

template <std::size_t Rows, std::size_t Columns, class Element>
void expect_rounding_of_a_loop() {
    support::random_numbers random(Rows * 100 + Columns);
    const auto x = random.normal<Element, Rows, Columns>(), y = random.normal<Element, Rows, Columns>(),
               z = random.normal<Element, Rows, Columns>();
    const auto check = [&](auto f) {
        tensor<Element, Rows, Columns> expected;
        loop(f, x.data(), y.data(), z.data(), expected.data(), x.size());
        const auto result = eval(f(x, y, z));
        expect_same_bits(result.data(), expected.data(), Rows, Columns);
    };
    check([](const auto& a, const auto& b, const auto& c) { return a * b + c; });
    check([](const auto& a, const auto& b, const auto& c) { return (a * b + c) * a - b; });
    if constexpr (Columns == 17) {
        check([](const auto& a, const auto& b, const auto& c) { return c + a * b; });
        check([](const auto& a, const auto& b, const auto& c) { return a * b - c; });
        check([](const auto& a, const auto& b, const auto& c) { return c - a * b; });
        check([](const auto& a, const auto&, const auto& c) { return a * Element(0.3) + c; });
    }
}

TEST(products_in_sums, are_rounded_as_in_a_loop) {
    expect_rounding_of_a_loop<1, 1, float>();
    expect_rounding_of_a_loop<5, 17, float>();
    expect_rounding_of_a_loop<4, 64, float>();
    expect_rounding_of_a_loop<2, 37, double>();
}

// A row for all rows, and a transposed factor: the product's operands are found by coordinates of its own.
TEST(products_in_sums, of_operands_that_are_broadcast_or_turned) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 6, 19>(), z = random.normal<float, 6, 19>();
    const auto row = random.normal<float, 19>();
    const auto column = random.normal<float, 6, 1>();
    const auto turned = random.normal<float, 19, 6>();
    const auto by_row = eval(x * row + z), outer = eval(z - row * column), product_of_rows = eval(z + row * row),
               by_turned = eval(x * transpose(turned) - z);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 19; ++j) {
            EXPECT_NEAR(by_row(i, j), double(x(i, j)) * double(row(j)) + double(z(i, j)), 1e-6);
            EXPECT_NEAR(outer(i, j), double(z(i, j)) - double(row(j)) * double(column(i, 0)), 1e-6);
            EXPECT_NEAR(product_of_rows(i, j), double(z(i, j)) + double(row(j)) * double(row(j)), 1e-6);
            EXPECT_NEAR(by_turned(i, j), double(x(i, j)) * double(turned(j, i)) - double(z(i, j)), 1e-6);
        }
}

}  // namespace
