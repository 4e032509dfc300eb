// SPDX-License-Identifier: BSL-1.0
// A hook of column blocks in a product that visits its columns in another order.
// expect: ashlar: epilogue: this kernel does not call all hooks in the list; use another kernel, or an epilogue without
// expect: unserved_hooks<
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::begin_columns;
    void begin_columns(std::size_t) {}
#else
    static constexpr hook hooks = hook::vector;
#endif
    template <class Lanes, std::size_t Count, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<Count>, Verdict) {}
};
constexpr product_shape shape{.i = 12,
                              .j = 64,
                              .k = 64,
                              .si = 64,
                              .sk = 1,
                              .vk = 64,
                              .cut = {.row_blocks = 1, .vector_blocks = 1, .transposing_rows = 8}};
void multiply(const float* s, float* v, const float* source, epilogue& e) {
#if defined(__AVX512F__)
    product_transposing_rhs<float, ashlar::current_config, shape, 64>(s, v, source, e, nullptr);
#else
    static_assert(fits_kernel<epilogue, ashlar::lanes<float, 4>, served_by_transposing_rhs>());
    static_cast<void>(s), static_cast<void>(v), static_cast<void>(source), static_cast<void>(e);
#endif
}
