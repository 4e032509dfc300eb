// SPDX-License-Identifier: BSL-1.0
// A list with a hook that does not exist.
//
// expect: end_blok
//
// expect g++: is not a member of
//
// expect clang: no member named
#include <ashlar/kernel/product/epilogue.hpp>

using namespace ashlar::detail;
struct epilogue {
#ifdef ASHLAR_EXPECT_ERROR
    static constexpr hook hooks = hook::vector | hook::end_blok;
#else
    static constexpr hook hooks = hook::vector | hook::end_block;
#endif
};
