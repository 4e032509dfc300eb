// SPDX-License-Identifier: BSL-1.0
// A hook of register blocks in dot products, which have none.
//
// expect: ashlar: epilogue: this kernel does not call all hooks in the list; use another kernel, or an epilogue without
//
// expect: unserved_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_dot.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::begin_block;
    block_verdict begin_block(std::size_t, std::size_t, std::size_t, std::size_t) { return block_verdict::plain; }
#else
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
void multiply(const float* a, const float* b, epilogue& e) {
    dot_row_blocks<float, ashlar::current_config, dot_shape{5, 4, 4}>(a, b, e, 0, 1);
}
