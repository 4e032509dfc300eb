// SPDX-License-Identifier: BSL-1.0
// An epilogue without a list of its hooks.
//
// expect: ashlar: epilogue: it must list its hooks; add static constexpr hook hooks = hook::vector
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_dot.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifndef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
void multiply(const float* a, const float* b, epilogue& e) {
    dot_row_blocks<float, ashlar::current_config, dot_shape{5, 4, 4}>(a, b, e, 0, 1);
}
