// SPDX-License-Identifier: BSL-1.0
// A verdict on blocks in a product whose first block leaves a copy for all others.
// expect: ashlar: epilogue: this kernel does not call all hooks in the list; use another kernel, or an epilogue without
// expect: unserved_hooks<
#include <ashlar/kernel/product/copying_rhs.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::begin_block;
    block_verdict begin_block(std::size_t, std::size_t, std::size_t, std::size_t) { return block_verdict::skip; }
#else
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
constexpr product_shape shape{
    .i = 12, .j = 64, .k = 64, .si = 64, .sk = 1, .vk = 64, .cut = {.row_blocks = 4, .vector_blocks = 4}};
void multiply(const float* s, const float* v, epilogue& e, float* scratch) {
    copied_rows::run<float, ashlar::current_config, shape, 1, true>(s, v, e, scratch);
}
