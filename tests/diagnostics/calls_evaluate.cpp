// SPDX-License-Identifier: BSL-1.0
// evaluate into a vector.
//
// expect: ashlar: evaluate: takes a destination, which is a tensor or a view, and then an expression; write evaluate(tensor_view<float, 2, 3>{memory}, e)
#include <vector>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

void program() {
    std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
    evaluate(v, a * 2.0f);
#else
    evaluate(ashlar::tensor_view<float, 4, 8>{v}, a * 2.0f);
#endif
}
