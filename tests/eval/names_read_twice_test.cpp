// SPDX-License-Identifier: BSL-1.0
// A name whose uses read other parts of its value: a row of one use needs other rows of another one.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;

using square = tensor<float, 80, 80>;
const square& numbers() {
    static const square x = support::random_numbers(1).normal<float, 80, 80>();
    return x;
}

[[gnu::noinline]] void expect_near(const float* y, const float* expected, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], expected[i], 1e-4f) << i;
}
/// The same as of a tensor that holds the value.
template <class Value, class Function>
void expect_same(const Value& e, Function f) {
    static detail::value_tensor<Value> value, expected, y;
    value = e;
    expected = f(value);
    y = let(e, f);
    expect_near(y.data(), expected.data(), y.size());
}

TEST(names_read_twice, by_rows_and_by_columns) {
    const auto f = [](const auto& v) { return v + transpose(v); };
    expect_same(matmul(numbers(), numbers()) * 0.0125f, f);
    expect_same(softmax(numbers()), f);
    expect_same(layer_norm(numbers(), 1e-3), f);
}
TEST(names_read_twice, in_another_order) {
    expect_same(matmul(numbers(), numbers()) * 0.0125f, [](const auto& v) { return v - flip<0>(v); });
    expect_same(softmax(numbers()), [](const auto& v) { return v * roll<0, 3>(v); });
}
TEST(names_read_twice, one_row_of_all) {
    expect_same(softmax(numbers()), [](const auto& v) { return v - slice<0, 0, 1>(v); });
}
TEST(names_read_twice, by_a_product_and_behind_it) {
    expect_same(softmax(numbers()), [](const auto& v) { return matmul(v, transpose(v)) + v; });
}
/// The epilogue reads the same memory as the operands: a copy that was made for another product has another layout.
TEST(names_read_twice, moved_values_by_products_and_behind_them) {
    static const auto x = support::random_numbers(2).normal<float, 2, 3, 9, 33>();
    const auto f = [](const auto& v) { return v * matmul(matmul(v, transpose(v)), v); };
    expect_same(slice<1, 1, 3>(tanh(x)), f);
    expect_same(transpose(tanh(x)), f);
}

// It is made once, for all rows.
template <class Function>
constexpr auto plan_of(Function) {
    return plan<decltype(let(std::declval<const square&>() * 2.0f, Function{}))>;
}
TEST(names_read_twice, are_made_before) {
    constexpr auto turned = plan_of([](const auto& v) { return v + transpose(v); });
    static_assert(turned.step_count == 2 && turned.barrier_count == 1);
    constexpr auto aligned = plan_of([](const auto& v) { return v + relu(v); });
    static_assert(aligned.step_count == 1 && aligned.barrier_count == 0);
}

}  // namespace
