// SPDX-License-Identifier: BSL-1.0
// Work between the multiply-adds of a kernel that makes no room for it.
// expect: ashlar: epilogue: this kernel does not call all hooks in the list; use another kernel, or an epilogue without
// expect: unserved_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/packed_k.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::interleave;
    void interleave() {}
#else
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
void multiply(const float* s, const float* r, epilogue& e) {
    product_packed_k<float, ashlar::current_config, packed_k_shape{2, 5, 16, 16, 16}>(s, r, e, nullptr);
}
