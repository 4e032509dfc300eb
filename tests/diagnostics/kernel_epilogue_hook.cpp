// SPDX-License-Identifier: BSL-1.0
// An epilogue with a hook whose name is misspelt.
//
// expect: ashlar: epilogue: a hook in its list must be a member with the parameters of
//
// expect: missing_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

using namespace ashlar::detail;
struct epilogue {
    static constexpr hook hooks = hook::vector | hook::end_block;
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
#ifdef ASHLAR_EXPECT_ERROR
    void end_blok(std::size_t, std::size_t, std::size_t, std::size_t) {}
#else
    void end_block(std::size_t, std::size_t, std::size_t, std::size_t) {}
#endif
};
constexpr product_shape shape{
    .i = 3, .j = 5, .k = 4, .si = 4, .sk = 1, .vk = 5, .cut = {.row_blocks = 1, .vector_blocks = 1}};
void multiply(const float* s, const float* v, epilogue& e) {
    product<float, ashlar::current_config, shape>(s, v, constant_depth<0, 4>{}, e, nullptr);
}
