// SPDX-License-Identifier: BSL-1.0
// Facts about a machine that decisions depend on: registers, shuffles, caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd/instruction_sets.hpp>

namespace ashlar::inline v0_1::detail {

/// A machine as plans see it. Independent of the compiling machine: a plan for another machine takes another
/// description. Facts that depend on the element type take its size in bytes.
struct machine {
    std::size_t register_bytes;  ///< of a vector register; 0: there are none, elements are computed one by one
    std::size_t registers;       ///< architectural vector registers, or scalar ones where there are none
    std::size_t l1_bytes;        ///< of the first-level data cache
    std::size_t l2_bytes;        ///< of the second-level cache
    bool fused;                  ///< multiply-add is one instruction; otherwise each needs a temporary
    bool native;                 ///< lanes are a register or a scalar; otherwise an array in memory
    bool sized_by_option;        ///< the compiler's options say how large registers are: shuffles go through memory
    bool small_elements;         ///< elements of fewer than four bytes fill registers too
    bool doubles;                ///< floating-point elements of eight bytes fill registers too
    bool single_issue = false;   ///< instructions go one by one: a load costs what a multiply-add does, and none waits
    bool paired = false;         ///< an element of eight bytes takes two of the registers
    bool scalar_operands = false;     ///< multiply-adds take one factor for all lanes from a core register
    bool small_code = false;          ///< bytes of code count for more than speed
    bool dots_bytes = false;          ///< one instruction adds products of four bytes to a sum
    bool widens_bytes = false;        ///< rounded rows of bytes are stored in 16 bits: multiply-adds take pairs of them
    bool sums_across = false;         ///< one instruction adds products of two registers of bytes to one sum
    bool pairs_byte_rows = false;     ///< one instruction multiplies two rows of bytes by two columns
    bool bf16_pairs = false;          ///< a multiply-add takes two elements of bf16 of each operand
    std::size_t l3_bytes = 0;         ///< of the last cache before memory
    std::size_t stack_budget = 0;     ///< bytes of scratch that calls may put on the stack
    bool stores_past_caches = false;  ///< an instruction stores a whole register that takes no place in a cache
    /// Rows of the tallest tile if several workers share the iterations of the outermost loops; 0: one worker runs all
    /// of them.
    std::size_t worker_rows = 0;
    bool worker_columns = false;  ///< they share products by blocks of columns instead, where rows are few

    friend constexpr bool operator==(const machine&, const machine&) = default;

    /// Lanes of a register; at least 1.
    constexpr std::size_t lanes(std::size_t element_bytes) const {
        return register_bytes > element_bytes ? register_bytes / element_bytes : 1;
    }

    /// The same machine for elements of this size.
    constexpr machine for_elements_of(std::size_t element_bytes) const {
        machine m = *this;
        if (paired && element_bytes > 4) m.registers /= 2;
        return m;
    }

    /// Whether lanes of this size are one register.
    constexpr bool fills_register(std::size_t element_bytes, bool floating = true) const {
        if (!native || lanes(element_bytes) == 1 || element_bytes > 8) return false;
        // Registers for elements of four bytes only hold no integers of eight bytes either.
        if (element_bytes == 8) return doubles || (!floating && small_elements);
        return element_bytes >= 4 || small_elements;
    }

    /// Whether lanes are shuffled in registers, not through memory.
    constexpr bool shuffles(std::size_t element_bytes, bool floating = true) const {
        return fills_register(element_bytes, floating) && !sized_by_option;
    }

    /// Whether two loads of half registers are as fast as one load of a whole register.
    constexpr bool loads_halves(std::size_t element_bytes, bool floating = true) const {
        return shuffles(element_bytes, floating) && register_bytes > chunk_bytes && register_bytes <= 4 * chunk_bytes;
    }

    /// Registers of elements that are transposed together; 0 if that goes through memory.
    constexpr std::size_t transposed_together(std::size_t element_bytes, bool floating = true) const {
        if (!shuffles(element_bytes, floating)) return 0;
        if (loads_halves(element_bytes, floating)) return lanes(element_bytes) / 2;
        return register_bytes == chunk_bytes ? lanes(element_bytes) : 0;
    }

    /// Bytes that a stage reads and writes from which its result is stored past the caches; 0: never. From 1.5 times
    /// the last cache, chains of one and of two operands followed by the sum of the result take less time (Zen 4, 32
    /// MiB).
    constexpr std::size_t bytes_past_caches() const { return stores_past_caches ? l3_bytes / 2 * 3 : 0; }

    /// Parts of a register within which shuffles are cheapest.
    static constexpr std::size_t chunk_bytes = 16;
};

/// The machine of a configuration.
template <class Config>
inline constexpr machine machine_of = [] {
    constexpr std::uint64_t fma4 = std::uint64_t{1} << 24,
                            dots = std::uint64_t{1} << static_cast<unsigned>(isa::avx512vnni) |
                                   std::uint64_t{1} << static_cast<unsigned>(isa::avxvnni) |
                                   std::uint64_t{1} << static_cast<unsigned>(isa::dotprod);
    machine described{.register_bytes = Config::register_bits / 8,
                      .registers = Config::registers,
                      .l1_bytes = Config::l1_bytes,
                      .l2_bytes = Config::l2_bytes,
                      .fused = has<Config, isa::fma> || has<Config, isa::avx512f> || has<Config, isa::aarch64> ||
                               (Config::instruction_sets & fma4) != 0 || has<Config, isa::mve> ||
                               Config::registers == 32,
                      .native = Config::register_bits == 0 || in_register<float, Config::register_bits / 32, Config>(),
                      .sized_by_option = scalable_bits<Config> != 0 || has<Config, isa::mve>,
                      .small_elements = true,
                      .doubles = true,
                      .single_issue = has<Config, isa::m_profile>,
                      .paired = Config::register_bits == 0 && has<Config, isa::vfp_float>,
                      .scalar_operands = has<Config, isa::mve>,
                      .small_code = Config::optimize_size,
                      .dots_bytes = (Config::instruction_sets & dots) != 0,
                      .widens_bytes = Config::register_bits == 0 && has<Config, isa::simd32>,
                      .sums_across = has<Config, isa::mve>,
                      .pairs_byte_rows = Config::register_bits == 128 && scalable_bits<Config> == 0 &&
                                         emulated_bits<Config> == 0 && has<Config, isa::i8mm>,
                      .bf16_pairs = multiplies_pairs<Config::register_bits / 32, Config>,
                      .l3_bytes = Config::l3_bytes,
                      .stack_budget = Config::stack_budget};
    if (has<Config, isa::avx512f> && described.register_bytes == 64)
        described.small_elements = has<Config, isa::avx512bw>;
    if (has<Config, isa::neon> && described.register_bytes == 16) described.doubles = has<Config, isa::aarch64>;
    if (has<Config, isa::mve> && described.register_bytes == 16) described.small_elements = described.doubles = false;
    described.stores_past_caches = described.native && has<Config, isa::sse2> && described.register_bytes >= 16;
    if constexpr (requires { Config::worker_rows; }) described.worker_rows = Config::worker_rows;
    if constexpr (requires { Config::worker_columns; }) described.worker_columns = Config::worker_columns;
    return described;
}();

}  // namespace ashlar::detail
