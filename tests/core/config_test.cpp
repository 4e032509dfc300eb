// SPDX-License-Identifier: BSL-1.0
// The build settings as a type, and assertions that evaluate their condition once.
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/core/config.hpp>

namespace {

using namespace ashlar;

static_assert(current_config::stack_budget == ASHLAR_STACK_BUDGET && current_config::l1_bytes == ASHLAR_L1_BYTES);
static_assert(current_config::l2_bytes == ASHLAR_L2_BYTES && current_config::checks == (ASHLAR_CHECKS != 0));
static_assert(current_config::l3_bytes == ASHLAR_L3_BYTES);
static_assert(current_config::fast_math == (ASHLAR_FAST_MATH != 0));
static_assert(current_config::optimize_size == (ASHLAR_OPTIMIZE_SIZE != 0));
#ifdef __OPTIMIZE_SIZE__
static_assert(current_config::optimize_size);
#endif
static_assert(current_config::registers >= 8);
static_assert(current_config::register_bits % 32 == 0);
#if defined(__AVX512F__) && !defined(ASHLAR_EMULATED_WIDTH)
static_assert(current_config::register_bits == 512);
static_assert(current_config::registers == (ASHLAR_REGISTERS == 0 ? 32 : ASHLAR_REGISTERS));
#elif defined(__AVX2__) && !defined(ASHLAR_EMULATED_WIDTH)
static_assert(current_config::register_bits == 256);
#endif

using other = build_config<current_config::instruction_sets, current_config::register_bits, current_config::registers,
                           current_config::stack_budget, current_config::l1_bytes, current_config::l2_bytes,
                           !current_config::checks, current_config::fast_math>;
static_assert(!std::is_same_v<current_config, other>, "builds with and without checks share no function");

TEST(Config, AssertEvaluatesItsConditionOnce) {
    [[maybe_unused]] int count = 0;
    ASHLAR_ASSERT(++count == 1, "counts");
    EXPECT_EQ(count, current_config::checks ? 1 : 0);
    ASHLAR_ASSERT(true, "holds");
}

#if ASHLAR_CHECKS && GTEST_HAS_DEATH_TEST
TEST(ConfigDeathTest, AssertShowsItsMessage) { EXPECT_DEATH(ASHLAR_ASSERT(false, "the rule"), "the rule"); }
#endif

}  // namespace
