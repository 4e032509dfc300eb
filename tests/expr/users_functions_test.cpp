// SPDX-License-Identifier: BSL-1.0
// Operators of users' between tensors and types of their own: the errors of calls by mistake are no better match.
#include <span>
#include <sstream>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/memory_operands.hpp>
#include <ashlar/tensor/tensor.hpp>

using matrix = ashlar::tensor<float, 2, 2>;

// Members that only explain an error are no conversions and no assignments for type traits.
static_assert(!std::is_convertible_v<matrix, double> && !std::is_convertible_v<matrix, bool>);
static_assert(!std::is_assignable_v<matrix&, std::vector<float>> && !std::is_assignable_v<matrix&, const float*>);
static_assert(!std::is_assignable_v<ashlar::tensor_view<float, 2>, std::vector<float>>);
static_assert(!std::is_invocable_v<decltype(matrix::size), int> && std::is_invocable_v<decltype(matrix::size)>);
static_assert(std::is_convertible_v<ashlar::tensor<float>, double>, "one of rank 0 is a number");

namespace users {

struct numbers {
    float of[2];
    float* data() { return of; }
    float* begin() { return of; }
    float operator[](int i) const { return of[i]; }
    friend int operator-(ashlar::tensor_view<const float, 2, 2>, const numbers&) { return 2; }
};
int operator*(const matrix&, const numbers&) { return 1; }
int operator*(const numbers&, const matrix&) { return 3; }
bool operator==(const matrix&, const numbers&) { return true; }
template <class Other>
int operator+(const Other&, const numbers&) {
    return 4;
}
int operator+=(matrix&, const numbers&) { return 5; }

}  // namespace users

int operator*(const matrix&, const std::vector<float>&) { return 6; }
int operator/(const matrix&, std::span<const float>) { return 7; }
std::ostream& operator<<(std::ostream& stream, const matrix& m) { return stream << m(0, 0); }

namespace {

TEST(UsersFunctions, OperatorsBesideTensors) {
    matrix m{};
    users::numbers own{};
    std::vector<float> memory(2);
    EXPECT_EQ(m * own, 1);
    EXPECT_EQ(m - own, 2);
    EXPECT_EQ(own * m, 3);
    EXPECT_EQ(m + own, 4);
    EXPECT_EQ(m += own, 5);
    EXPECT_EQ(m * memory, 6);
    EXPECT_EQ(m / memory, 7);
    EXPECT_TRUE(m == own);
    EXPECT_FALSE(m != own);
}

TEST(UsersFunctions, Printing) {
    matrix m{};
    const matrix constant{};
    std::ostringstream text;
    text << m << ' ' << constant << ' ' << matrix{};
    std::ostream& any = text;
    any << ' ' << m;
    EXPECT_EQ(text.str(), "0 0 0 0");
}

}  // namespace
