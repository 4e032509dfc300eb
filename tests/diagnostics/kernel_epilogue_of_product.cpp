// SPDX-License-Identifier: BSL-1.0
// A hook of products of few columns in another product.
//
// expect: ashlar: epilogue: this kernel does not call all hooks in the list; use another kernel, or an epilogue without
//
// expect: unserved_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::group;
    template <class Lanes, std::size_t Count, class Verdict>
    void group(std::size_t, Lanes, lane_count<Count>, Verdict) {}
#else
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
constexpr product_shape shape{
    .i = 3, .j = 5, .k = 4, .si = 4, .sk = 1, .vk = 5, .cut = {.row_blocks = 1, .vector_blocks = 1}};
void multiply(const float* s, const float* v, epilogue& e) {
    product<float, ashlar::current_config, shape>(s, v, constant_depth<0, 4>{}, e, nullptr);
}
