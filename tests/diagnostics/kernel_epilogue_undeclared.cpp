// SPDX-License-Identifier: BSL-1.0
// An epilogue with a hook that its list does not have, and that would never be called.
//
// expect: ashlar: epilogue: a member that is named like a hook must be in its list; declare it, or name it otherwise
//
// expect: undeclared_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/packed_k.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector;
#else
    static constexpr hook hooks = hook::vector | hook::begin_block;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
    block_verdict begin_block(std::size_t, std::size_t, std::size_t, std::size_t) { return block_verdict::plain; }
};
void multiply(const float* s, const float* r, epilogue& e) {
    product_packed_k<float, ashlar::current_config, packed_k_shape{2, 5, 16, 16, 16}>(s, r, e, nullptr);
}
