// SPDX-License-Identifier: BSL-1.0
// A tensor whose dimensions are arguments of its constructor.
//
// expect: ashlar: tensor: the element type and the dimensions are template arguments; write tensor<float, 4, 8> t, or auto t = eval(e)
//
// expect: ::tell_dimensions
#include <ashlar/ashlar.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor t(4, 8);
#else
tensor<float, 4, 8> t;
#endif
