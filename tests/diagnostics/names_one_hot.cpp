// SPDX-License-Identifier: BSL-1.0
// Rows of one 1 by a name of another library.
//
// expect: ashlar: names: a comparison makes rows of one 1; write cast<float>(unsqueeze<-1>(x) == iota<int, 10>())
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<int, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = one_hot(a, 10);
#else
auto y = eval(cast<float>(unsqueeze<-1>(a) == iota<int, 10>()));
#endif
