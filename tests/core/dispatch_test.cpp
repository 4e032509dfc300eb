// SPDX-License-Identifier: BSL-1.0
// Functions for several instruction sets: the first call, choices, and threads; units of other flags are in consumer/.
#include <array>
#include <memory>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/core/dispatch.hpp>

namespace {

using ashlar::dispatched;
using ashlar::instruction_set;
using ashlar::detail::dispatch_first_call;
using ashlar::detail::dispatch_row;
using ashlar::detail::processor_has;

/// The set after the widest that this processor has; base if it has all.
instruction_set missing() {
    for (const auto set :
         {instruction_set::sse2, instruction_set::sse4_2, instruction_set::avx2, instruction_set::avx512})
        if (!processor_has(set)) return set;
    return instruction_set::base;
}

// Three variants as units of three sets leave them: the second one is the processor's best, the third it may not have.
using number = int(int) noexcept;
int least(int x) noexcept { return x + 100; }
int better(int x) noexcept { return x + 200; }
int widest(int x) noexcept { return x + 300; }
constexpr std::array<number*, 3> functions{least, better, widest};

// Beyond all sets that there are: no processor of another architecture has any, and x86-64 has base.
constexpr dispatch_row<number*> base_alone[] = {{instruction_set::base, &functions[0]}};
constexpr dispatch_row<number*> base_twice[] = {{instruction_set::base, &functions[0]},
                                                {instruction_set::base, &functions[1]}};
constexpr dispatch_row<number*> base_and_avx512[] = {{instruction_set::base, &functions[0]},
                                                     {instruction_set::avx512, &functions[2]}};

extern dispatched<number> once;
constinit dispatched<number> once{ashlar::detail::function_for<dispatched<number>>(least)};
extern dispatched<number> alone;
constinit dispatched<number> alone{dispatch_first_call<number, alone>::call, base_alone, 1};
extern dispatched<number> best;
constinit dispatched<number> best{dispatch_first_call<number, best>::call, base_twice, 2};
extern dispatched<number> raced;
constinit dispatched<number> raced{dispatch_first_call<number, raced>::call, base_and_avx512, 2};
extern dispatched<number> other;
constinit dispatched<number> other{dispatch_first_call<number, other>::call, base_and_avx512, 2};

/// What a constructor of another unit does.
const int before_main = best(1);

TEST(dispatch, is_no_more_than_a_pointer_and_its_table) {
    static_assert(sizeof(dispatched<number>) <= 3 * sizeof(void*));
    static_assert(std::is_trivially_destructible_v<dispatched<number>>);
    static_assert(!std::is_copy_constructible_v<dispatched<number>>);
    static_assert(noexcept(static_cast<number*>(once)));
    static_assert(std::is_nothrow_invocable_r_v<int, dispatched<number>&, int>);
    static_assert(std::is_nothrow_invocable_r_v<int, const dispatched<number>&, int>);
    static_assert(!std::is_invocable_v<dispatched<number>&, const char*>);
    static_assert(std::is_invocable_v<dispatched<int(int)>&, int> &&
                  !std::is_nothrow_invocable_v<dispatched<int(int)>&, int>);
    SUCCEED();
}

TEST(dispatch, calls_what_is_compiled_once) {
    EXPECT_EQ(once(1), 101);
    EXPECT_EQ(once.chosen(), instruction_set::base);
    EXPECT_TRUE(once.choose(instruction_set::base));
    EXPECT_FALSE(once.choose(instruction_set::avx2));
    EXPECT_EQ(once(2), 102);
}

TEST(dispatch, chooses_the_widest_that_the_processor_has) {
    EXPECT_EQ(before_main, 201);
    EXPECT_EQ(best(2), 202);
    EXPECT_EQ(alone(2), 102);
    const bool wide = processor_has(instruction_set::avx512);
    EXPECT_EQ(other(2), wide ? 302 : 102);
    EXPECT_EQ(other.chosen(), wide ? instruction_set::avx512 : instruction_set::base);
}

TEST(dispatch, can_be_told_what_to_call) {
    ASSERT_TRUE(other.choose(instruction_set::base));
    EXPECT_EQ(other(3), 103);
    EXPECT_EQ(other.chosen(), instruction_set::base);
    EXPECT_FALSE(other.choose(instruction_set::sse4_2));  // not compiled for it
    const bool wide = processor_has(instruction_set::avx512);
    EXPECT_EQ(other.choose(instruction_set::avx512), wide);
    EXPECT_EQ(other(3), wide ? 303 : 103);
}

TEST(dispatch, sets_are_levels) {
    const instruction_set first = missing();
    for (const auto set :
         {instruction_set::sse2, instruction_set::sse4_2, instruction_set::avx2, instruction_set::avx512})
        EXPECT_EQ(processor_has(set), first == instruction_set::base || set < first) << name_of(set);
    EXPECT_TRUE(processor_has(instruction_set::base));
    EXPECT_EQ(std::string_view(name_of(instruction_set::sse4_2)), "sse4_2");
    EXPECT_EQ(std::string_view(name_of(instruction_set::base)), "base");
}

TEST(dispatch, threads_may_call_first_together) {
    std::vector<std::thread> threads;
    std::array<int, 8> results{};
    for (std::size_t i = 0; i < results.size(); ++i)
        threads.emplace_back([&results, i] {
            for (int n = 0; n < 1000; ++n) results[i] = raced(static_cast<int>(i));
        });
    for (auto& thread : threads) thread.join();
    const int expected = processor_has(instruction_set::avx512) ? 300 : 100;
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], expected + static_cast<int>(i));
}

// Arguments and results by value, also those that only move.
using owner = std::unique_ptr<int>(std::unique_ptr<int>, const int&, int&&);
std::unique_ptr<int> add(std::unique_ptr<int> sum, const int& left, int&& right) {
    *sum += left + right;
    return sum;
}
constexpr owner* adding = add;
constexpr dispatch_row<owner*> adding_alone[] = {{instruction_set::base, &adding}};
extern dispatched<owner> moved;
constinit dispatched<owner> moved{dispatch_first_call<owner, moved>::call, adding_alone, 1};

TEST(dispatch, passes_arguments_on) {
    for (int call = 0; call < 2; ++call) EXPECT_EQ(*moved(std::make_unique<int>(1), 2, 3), 6);
}

TEST(dispatch, an_address_taken_early_stays_good) {
    static dispatched<number>* const early = &raced;
    number* const stub = dispatch_first_call<number, best>::call;
    EXPECT_EQ(stub(4), 204);
    EXPECT_EQ((*early)(4), raced(4));
}

}  // namespace
