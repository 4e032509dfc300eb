// SPDX-License-Identifier: BSL-1.0
// The name of a let evaluated inside the function.
// expect: ashlar: let: the name of a value is used outside its let;
// expect: let_names<2>::are_inside
#include <ashlar/ashlar.hpp>

using namespace ashlar;
struct twice {
    constexpr auto operator()(const auto& y) const { return y + y; }
};
tensor<float, 3> x;
auto doubled = let(x * 2.0f, twice{});
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 3> z = doubled.operand<1>();
#else
tensor<float, 3> z = doubled;
#endif
