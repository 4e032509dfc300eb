// SPDX-License-Identifier: BSL-1.0
// Tensors of f16 and bf16 in expressions are read as floats everywhere and rounded where they are written.
#include <cstddef>
#include <sstream>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/print.hpp>

#include "support/narrow_numbers.hpp"

namespace {

using namespace ashlar;
using support::expect_near;
using support::numbers;

static_assert(std::is_same_v<element_of<tensor<bf16, 4>>, float> && std::is_same_v<tensor<f16, 4>::value_type, f16>);
static_assert(sizeof(tensor<bf16, 3, 5>) == 30 && alignof(tensor<f16, 32>) == 64);
static_assert(std::is_same_v<decltype(eval(tensor<f16, 4>{} + tensor<bf16, 4>{})), tensor<float, 4>>);

// In constant expressions.
constexpr tensor<bf16, 2, 2> constant{{1, 2.5f}, {3, 4}};
constexpr tensor<float, 2, 2> product = matmul(constant, transpose(constant)) + constant;
static_assert(product(0, 0) == 1 + 6.25f + 1 && product(1, 0) == 13 + 3);
constexpr tensor<f16, 2, 2> halves = product * 2.0f;
static_assert(halves(1, 0) == 32.0f && sum(halves) == 2 * sum(product));
constexpr tensor<bf16, 2> third = tensor<float, 2>{1.0f / 3, 257};
static_assert(third(0) == 0.333984375f && third(1) == 256.0f, "rounded, to the even one");
static_assert(eval(cast<bf16>(tensor<float, 2>{1.0f / 3, 257}))(1) == 256.0f);
constexpr tensor<f16, 2> narrower = third;
static_assert(narrower(0) == third(0) && full<bf16, 2>(bf16(3))(1) == 3.0f && identity<f16, 2>()(1, 1) == 1.0f);

/// The kernels' result of narrow operands against that of floats, node by node.
template <class Narrow, class Wide>
void check(const Narrow& narrow, const Wide& wide, double tolerance = 2e-6) {
    const detail::value_tensor<Wide> expected = detail::constant_evaluate(wide);
    support::expect_near(eval(narrow), expected, tolerance);
}

TEST(NarrowElements, OperandsOfFunctions) {
    const auto a = numbers<bf16, 5, 37>(1);
    const auto x = numbers<float, 5, 37>(1), y = numbers<float, 5, 37>(2);
    const auto row = numbers<bf16, 37>(3);
    const auto wide_row = numbers<float, 37>(3);
    check(exp(a) * y + row, exp(x) * y + wide_row);
    check(where(a > row, a, 0.5f), where(x > wide_row, x, 0.5f));
    check(map([](auto v) { return v * v; }, a), x * x);
    check(softmax(a), softmax(x));
    check(layer_norm(a, row, row), layer_norm(x, wide_row, wide_row), 1e-5);
    check(sum<0>(a), sum<0>(x));
    check(max<1>(a), max<1>(x));
    EXPECT_EQ(float(eval(argmax(row))()), float(detail::constant_evaluate(argmax(wide_row))()));
    check(concat<0>(a, y), concat<0>(x, y));
    const tensor<int, 3> some{4, 0, 2};
    check(take<0>(a, some), take<0>(x, some));
    check(flip<1>(a), flip<1>(x));
    check(reshape<37, 5>(transpose(a)), reshape<37, 5>(transpose(x)));
    check(dot(row, wide_row), dot(wide_row, wide_row), 1e-5);
    check(exp(numbers<f16, 5, 37>(1)) * y + numbers<f16, 37>(3), exp(x) * y + wide_row);
    check(softmax(numbers<f16, 5, 37>(1)), softmax(x));
}

template <class Narrow>
void check_destinations() {
    const auto x = numbers<float, 7, 33>(4);
    tensor<Narrow, 7, 33> y = x / 3.0f;
    tensor<float, 7, 33> rounded;
    tensor<float, 33, 7> columns;
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 33; ++j) rounded(i, j) = columns(j, i) = static_cast<float>(Narrow(x(i, j) / 3));
    expect_near(y, rounded, 0);
    tensor<Narrow, 33, 7> turned;
    transpose(turned) = x / 3.0f;
    expect_near(turned, columns, 0);
    turned = Narrow(0);
    turned = transpose(y);
    expect_near(turned, columns, 0);
    y[2] = y[3];
    y[4] = 1.5f;
    slice<1, 0, 33, 2>(y)[0] = 2 * slice<1, 0, 33, 2>(x)[0];
    for (std::size_t j = 0; j < 33; ++j) {
        EXPECT_EQ(static_cast<float>(y(2, j)), rounded(3, j));
        EXPECT_EQ(static_cast<float>(y(4, j)), 1.5f);
        EXPECT_EQ(static_cast<float>(y(0, j)), j % 2 == 0 ? 2 * x(0, j) : rounded(0, j));
    }
}
TEST(NarrowElements, DestinationsRound) {
    check_destinations<bf16>();
    check_destinations<f16>();
    const auto x = numbers<float, 7, 33>(4);
    tensor<bf16, 7, 33> kept, rounded;
    for (std::size_t i = 0; i < x.size(); ++i) rounded.data()[i] = bf16(x.data()[i] / 3);
    check(store(kept, x / 3.0f) + 1.0f, x / 3.0f + 1.0f, 0);
    expect_near(kept, rounded, 0);
    // Sums of these numbers are exact.
    const auto e = matmul(x, transpose(x));
    workspace<workspace_bytes_into<tensor<bf16, 7, 7>, std::remove_const_t<decltype(e)>>> scratch;
    tensor<bf16, 7, 7> grams;
    evaluate(grams, e, scratch);
    expect_near(grams, detail::constant_evaluate(cast<bf16>(e)), 0);
}

TEST(NarrowElements, DestinationsThatAreRead) {
    const auto first = numbers<bf16, 9, 9>(5);
    const auto x = numbers<float, 9, 9>(5);
    tensor<bf16, 9, 9> y;
    const auto check_read = [&](const auto& of, double tolerance) {
        y = first;
        y = of(y);
        expect_near(y, detail::constant_evaluate(cast<bf16>(of(x))), tolerance);
    };
    const auto square = [](const auto& e) { return matmul(e, e); };
    check_read([](const auto& e) { return e * 3.0f + 1.0f; }, 0);
    check_read([](const auto& e) { return softmax(e); }, 1e-2);
    check_read([](const auto& e) { return transpose(e); }, 0);
    check_read(square, 1e-2);
    const tensor<float, 9, 9> wide = detail::constant_evaluate(square(x));
    const auto e = square(y);
    workspace<workspace_bytes_into<decltype(y), std::remove_const_t<decltype(e)>>> scratch;
    y = first;
    evaluate(y, e, scratch);
    expect_near(y, wide, 1e-2);
    y = first;
    evaluate(y, e, scratch, rows_below(5));
    for (std::size_t i = 0; i < 5 * 9; ++i)
        EXPECT_NEAR(static_cast<float>(y.data()[i]), wide.data()[i], 1e-2 * (1 + std::abs(wide.data()[i])));
}

/// Products in a constant expression, with a workspace.
template <class Element>
constexpr bool has_constant_products() {
    tensor<float, 2, 2> x{{1, 2}, {3, 4}}, y;
    const auto e = matmul(x, x);
    workspace<workspace_bytes<decltype(e)>> scratch{};
    evaluate(y, e, scratch);
    tensor<Element, 2, 2> whole, rows;
    const auto squares = matmul(y, y);
    workspace<workspace_bytes_into<decltype(whole), decltype(squares)>> more{};
    evaluate(whole, squares, more);
    evaluate(rows, squares, more, rows_below(2));
    evaluate(x, e, scratch, rows_below(2));
    return y(1, 1) == 22.0f && x(0, 1) == 10.0f && static_cast<float>(whole(0, 0)) == 199.0f &&
           static_cast<float>(rows(0, 0)) == 199.0f;
}

static_assert(has_constant_products<bf16>() && has_constant_products<f16>() && has_constant_products<float>());

TEST(NarrowElement, IsPrintedAsANumber) {
    std::ostringstream out;
    out << tensor<bf16, 2, 2>{{1, 2.5f}, {0.25f, 4}};
    EXPECT_EQ(out.str(), "[[1.0000, 2.5000],\n [0.2500, 4.0000]]");
}

}  // namespace
