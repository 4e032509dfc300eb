// SPDX-License-Identifier: BSL-1.0
// Programs that use xsimd and ashlar: on x86 ashlar includes xsimd's registers alone.
// clang-format off
#include <ashlar/ashlar.hpp>
#if defined(__SSE2__) && defined(XSIMD_HPP)
#error "ashlar.hpp includes all of xsimd, which is half of a small unit's compile time"
#endif
#include <xsimd/xsimd.hpp>
// clang-format on

#include <gtest/gtest.h>

using namespace ashlar;

TEST(BesideXsimd, ItsHeaderMayFollow) {
    tensor<float, 32> x{};
    for (int i = 0; i < 32; ++i) x(i) = static_cast<float>(i);
    const tensor<float, 32> y = x * 2.0f;
    using batch = xsimd::batch<float>;
    batch sum(0.0f);
    for (std::size_t i = 0; i < 32; i += batch::size) sum += batch::load_unaligned(y.data() + i);
    EXPECT_EQ(xsimd::reduce_add(sum), 992.0f);
}
