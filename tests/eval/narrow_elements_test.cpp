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

template <class Narrow>
class NarrowElements : public testing::Test {};
using formats = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(NarrowElements, formats);

TYPED_TEST(NarrowElements, OperandsOfFunctions) {
    const auto a = numbers<TypeParam, 5, 37>(1);
    const tensor<float, 5, 37> x = a, y = numbers<float, 5, 37>(2);
    const auto row = numbers<TypeParam, 37>(3);
    const tensor<float, 37> wide_row = row;
    expect_near(eval(exp(a) * y + row), eval(exp(x) * y + wide_row));
    expect_near(eval(where(a > row, a, 0.5f)), eval(where(x > wide_row, x, 0.5f)));
    expect_near(eval(map([](auto v) { return v * v; }, a)), eval(x * x));
    expect_near(eval(softmax(a)), eval(softmax(x)));
    expect_near(eval(layer_norm(a, row, row)), eval(layer_norm(x, wide_row, wide_row)), 1e-5);
    expect_near(eval(sum<0>(a)), eval(sum<0>(x)));
    expect_near(eval(max<1>(a)), eval(max<1>(x)));
    EXPECT_EQ(float(eval(argmax(row))()), float(eval(argmax(wide_row))()));
    expect_near(eval(concat<0>(a, y)), eval(concat<0>(x, y)));
    const tensor<int, 3> some{4, 0, 2};
    expect_near(eval(take<0>(a, some)), eval(take<0>(x, some)));
    expect_near(eval(flip<1>(a)), eval(flip<1>(x)));
    expect_near(eval(reshape<37, 5>(transpose(a))), eval(reshape<37, 5>(transpose(x))));
    EXPECT_NEAR(float(eval(dot(row, wide_row))()), float(eval(dot(wide_row, wide_row))()), 1e-4);
}

TYPED_TEST(NarrowElements, DestinationsRound) {
    const auto x = numbers<float, 7, 33>(4);
    tensor<TypeParam, 7, 33> y = x / 3.0f;
    const tensor<float, 7, 33> rounded = cast<TypeParam>(x / 3.0f);
    expect_near(y, rounded, 0);
    for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(static_cast<float>(y.data()[i]), static_cast<float>(TypeParam(x.data()[i] / 3)));
    tensor<TypeParam, 33, 7> turned;
    transpose(turned) = x / 3.0f;
    expect_near(eval(transpose(turned)), rounded, 0);
    turned = transpose(y);
    expect_near(eval(transpose(turned)), rounded, 0);
    y[2] = y[3];
    y[4] = 1.5f;
    slice<1, 0, 33, 2>(y)[0] = 2 * slice<1, 0, 33, 2>(x)[0];
    for (std::size_t j = 0; j < 33; ++j) {
        EXPECT_EQ(static_cast<float>(y(2, j)), rounded(3, j));
        EXPECT_EQ(static_cast<float>(y(4, j)), 1.5f);
        EXPECT_EQ(static_cast<float>(y(0, j)), j % 2 == 0 ? 2 * x(0, j) : rounded(0, j));
    }
    tensor<TypeParam, 7, 33> kept;
    const tensor<float, 7, 33> sums = store(kept, x / 3.0f) + 1.0f;
    expect_near(kept, rounded, 0);
    expect_near(sums, eval(x / 3.0f + 1.0f), 0);
    const auto e = matmul(x, transpose(x));
    workspace<workspace_bytes_into<tensor<TypeParam, 7, 7>, decltype(e)>> scratch;
    tensor<TypeParam, 7, 7> grams;
    evaluate(grams, e, scratch);
    expect_near(grams, eval(cast<TypeParam>(e)), 0);
}

TYPED_TEST(NarrowElements, DestinationsThatAreRead) {
    const auto first = numbers<TypeParam, 9, 9>(5);
    const tensor<float, 9, 9> x = first;
    tensor<TypeParam, 9, 9> y = first;
    y = y * 3.0f + 1.0f;
    expect_near(y, eval(cast<TypeParam>(x * 3.0f + 1.0f)), 0);
    y = first;
    y = softmax(y);
    expect_near(y, eval(cast<TypeParam>(softmax(x))), 1e-2);
    y = first;
    y = transpose(y);
    expect_near(y, eval(transpose(x)), 0);
    y = first;
    y = matmul(y, y);
    expect_near(y, eval(cast<TypeParam>(matmul(x, x))), 1e-2);
    const auto e = matmul(y, y);
    workspace<workspace_bytes_into<decltype(y), decltype(e)>> scratch;
    y = first;
    evaluate(y, e, scratch);
    expect_near(y, eval(cast<TypeParam>(matmul(x, x))), 1e-2);
    y = first;
    evaluate(y, e, scratch, rows_below(5));
    expect_near(slice<0, 0, 5>(y), eval(cast<TypeParam>(slice<0, 0, 5>(matmul(x, x)))), 1e-2);
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

TYPED_TEST(NarrowElements, ConstantsWithAWorkspace) {
    static_assert(has_constant_products<TypeParam>());
    static_assert(has_constant_products<float>());
}

TEST(NarrowElement, IsPrintedAsANumber) {
    std::ostringstream out;
    out << tensor<bf16, 2, 2>{{1, 2.5f}, {0.25f, 4}};
    EXPECT_EQ(out.str(), "[[1.0000, 2.5000],\n [0.2500, 4.0000]]");
}

}  // namespace
