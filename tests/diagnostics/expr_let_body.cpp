// SPDX-License-Identifier: BSL-1.0
// A let whose function returns nothing.
//
// expect: ashlar: let: the function must take one expression and return one
//
// expect: let_body<
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>

struct nothing {
    void operator()(const auto&) const {}
};
struct square {
    auto operator()(const auto& y) const { return y * y; }
};
ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = let(x, nothing{});
#else
auto z = let(x, square{});
#endif
