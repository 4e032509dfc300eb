// SPDX-License-Identifier: BSL-1.0
// The name of a let evaluated inside the function.
//
// expect: ashlar: let: the name of a value is used outside its let;
//
// expect: let_names<2>::are_inside
#include <ashlar/ashlar.hpp>

struct twice {
    constexpr auto operator()(const auto& y) const { return y + y; }
};
ashlar::tensor<float, 3> x;
auto doubled = let(x * 2.0f, twice{});
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 3> z = doubled.operand<1>();
#else
ashlar::tensor<float, 3> z = doubled;
#endif
