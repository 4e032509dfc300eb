// SPDX-License-Identifier: BSL-1.0
// A name for a temporary tensor.
//
// expect: ashlar: io: named borrows its array, and a temporary one would dangle; name it first
#include <ashlar/io/model/named.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
tensor<float, 3> make();

#ifdef ASHLAR_EXPECT_ERROR
auto one = io::named("w", make());
#else
tensor<float, 3> w = make();
auto one = io::named("w", w);
#endif
