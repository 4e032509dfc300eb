// SPDX-License-Identifier: BSL-1.0
// An epilogue with a hook that has other parameters.
// expect: ashlar: epilogue: a hook in its list must be a member with the parameters of
// expect: missing_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_dot.hpp>

using namespace ashlar::detail;
struct epilogue {
    static constexpr hook hooks = hook::vector;
#ifdef ASHLAR_EXPECT_ERROR
    template <class Lanes, std::size_t Count>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>) {}
#else
    template <class Lanes, std::size_t Count>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, masked_block) {}
#endif
};
void multiply(const float* a, const float* b, epilogue& e) {
    dot_row_blocks<float, ashlar::current_config, dot_shape{5, 4, 4}>(a, b, e, 0, 1);
}
