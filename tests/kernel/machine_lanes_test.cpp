// SPDX-License-Identifier: BSL-1.0
// Descriptions of machines: of the one that compiles it says what lanes do, of others what their sets have.
#include <cstdint>

#include <gtest/gtest.h>

#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::machine_of;

template <class T>
constexpr bool agrees() {
    constexpr detail::machine here = machine_of<current_config>;
    constexpr std::size_t width = lane_width<T>;
    constexpr bool floating = std::is_floating_point_v<T>;
    return here.lanes(sizeof(T)) == width &&
           here.fills_register(sizeof(T), floating) == detail::in_register<T, width, current_config>() &&
           here.shuffles(sizeof(T), floating) == detail::shuffles<T, width, current_config>() &&
           here.loads_halves(sizeof(T), floating) == detail::loads_halves<T, width, current_config> &&
           here.transposed_together(sizeof(T), floating) == detail::transposed_together<T, current_config>;
}

TEST(machine_lanes, agree_with_the_lanes_of_this_build) {
    static_assert(agrees<float>() && agrees<double>());
    static_assert(agrees<std::int8_t>() && agrees<std::int16_t>() && agrees<std::int32_t>() && agrees<std::int64_t>());
    static_assert(agrees<std::uint8_t>() && agrees<std::uint32_t>() && agrees<std::uint64_t>());
}

#if defined(ASHLAR_TEST_LANES)
TEST(machine_lanes, are_as_many_as_the_target_has) { static_assert(lane_width<float> == ASHLAR_TEST_LANES); }
#endif

TEST(machine_lanes, are_those_of_the_instruction_sets) {
    static_assert(machine_of<avx512>.shuffles(4) && machine_of<avx512>.shuffles(1, false));
    static_assert(machine_of<avx512f>.shuffles(4) && !machine_of<avx512f>.shuffles(2, false));
    static_assert(machine_of<aarch64>.shuffles(8) && !machine_of<armv7>.shuffles(8));
    static_assert(machine_of<armv7>.shuffles(4) && machine_of<armv7>.shuffles(8, false));
    static_assert(machine_of<sve256>.fills_register(4) && !machine_of<sve256>.shuffles(4));
    static_assert(machine_of<aarch64_i8mm>.shuffles(4) && detail::shuffles<float, 4, aarch64_i8mm>());
    static_assert(!machine_of<emulated256>.fills_register(4) && machine_of<emulated256>.lanes(4) == 8);
    static_assert(!machine_of<wasm_arrays>.fills_register(4) && machine_of<wasm_arrays>.lanes(4) == 4);
    static_assert(!machine_of<scalar>.fills_register(4) && machine_of<scalar>.native);
    static_assert(!machine_of<avx512>.fills_register(16));
}

TEST(machine_lanes, load_halves_of_more_than_16_bytes) {
    static_assert(machine_of<avx512>.loads_halves(4) && machine_of<avx2>.loads_halves(8));
    static_assert(!machine_of<sse2>.loads_halves(4) && !machine_of<sve256>.loads_halves(4));
    static_assert(machine_of<avx512>.transposed_together(4) == 8 && machine_of<sse2>.transposed_together(4) == 4);
    static_assert(machine_of<scalar>.transposed_together(4) == 0);
}

TEST(machine_lanes, multiply_and_add_at_once) {
    static_assert(machine_of<avx512>.fused && machine_of<avx2>.fused && machine_of<aarch64>.fused);
    static_assert(!machine_of<sse2>.fused && !machine_of<i386>.fused && !machine_of<armv7>.fused);
    static_assert(machine_of<avx512>.registers == 32 && machine_of<i386>.registers == 8);
}

}  // namespace
