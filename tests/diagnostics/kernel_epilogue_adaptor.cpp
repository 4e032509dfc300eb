// SPDX-License-Identifier: BSL-1.0
// An adaptor of epilogues that adds a hook without declaring it.
//
// expect: ashlar: epilogue: a member that is named like a hook must be in its list; declare it, or name it otherwise
//
// expect: undeclared_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

using namespace ashlar::detail;
constexpr product_shape shape{
    .i = 3, .j = 5, .k = 4, .si = 4, .sk = 1, .vk = 5, .cut = {.row_blocks = 1, .vector_blocks = 1}};
using store = store_product<float, ashlar::current_config, 5>;
struct epilogue : forwarding_epilogue<store> {
#ifndef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = store::hooks | hook::end_block;
#endif
    void end_block(std::size_t, std::size_t, std::size_t, std::size_t) {}
};
void multiply(const float* s, const float* v, epilogue& e) {
    product<float, ashlar::current_config, shape>(s, v, constant_depth<0, 4>{}, e, nullptr);
}
