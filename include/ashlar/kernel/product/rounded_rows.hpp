// SPDX-License-Identifier: BSL-1.0
// Rounds the rows of a left operand to 8 bits, each by its own scale, once for all columns of a tile's product.
// Outliers are spread first if those of the right operand are. Rows of integers are only converted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/core/smoothed.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether an instruction rounds a register of floats to integers; otherwise elements are rounded one by one.
template <std::size_t Width, class Config>
inline constexpr bool rounds_registers = in_register<float, Width, Config>() && scalable_bits<Config> == 0 &&
                                         (has<Config, isa::aarch64> || has<Config, isa::mve> ||
                                          (has<Config, isa::sse2> && (Width != 8 || has<Config, isa::avx2>)));

/// The integers nearest to Width floats as bytes, ties to even, with 128 added or not. For NaN any integer.
template <bool IsOffset, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void round_register(lanes<float, Width, Config> values, [[maybe_unused]] std::uint8_t* to) {
    [[maybe_unused]] const auto raw = decltype(values)::ops::raw(values.data);
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
    const auto placed = [](__m128i bytes) ASHLAR_LAMBDA_INLINE {
        return IsOffset ? _mm_xor_si128(bytes, _mm_set1_epi8(-128)) : bytes;
    };
    if constexpr (Width == 16) {
#if defined(__AVX512F__)
        const __m128i bytes = placed(_mm512_cvtepi32_epi8(_mm512_cvtps_epi32(__builtin_bit_cast(__m512, raw))));
        __builtin_memcpy(to, &bytes, 16);
#endif
    } else if constexpr (Width == 8) {
#if defined(__AVX2__)
        const __m256i whole = _mm256_cvtps_epi32(__builtin_bit_cast(__m256, raw));
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)),
                      bytes = placed(_mm_packs_epi16(words, words));
        __builtin_memcpy(to, &bytes, 8);
#endif
    } else {
        const __m128i whole = _mm_cvtps_epi32(__builtin_bit_cast(__m128, raw)), words = _mm_packs_epi32(whole, whole),
                      bytes = placed(_mm_packs_epi16(words, words));
        __builtin_memcpy(to, &bytes, 4);
    }
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
    const int16x4_t words = vqmovn_s32(vcvtnq_s32_f32(__builtin_bit_cast(float32x4_t, raw)));
    const int8x8_t bytes = vqmovn_s16(vcombine_s16(words, words));
    __builtin_memcpy(to, &bytes, 4);
#elif defined(ASHLAR_HAS_MVE)
    // g++ 12 takes the intrinsic for a store of sixteen bytes.
    __asm__("vstrb.32 %q1, [%2]" : "=m"(*reinterpret_cast<std::uint8_t(*)[4]>(to)) : "w"(vcvtnq_s32_f32(raw)), "l"(to));
#endif
}

/// The integer nearest to value * inverse, as rounded_to_byte has it.
template <class Config>
ASHLAR_ALWAYS_INLINE std::int32_t rounded_element(float value, float inverse) {
    if constexpr (has<Config, isa::vfp_float>) {
#if defined(__arm__) && defined(__ARM_FP)
        float nearest;
        __asm__("vcvtr.s32.f32 %0, %1" : "=t"(nearest) : "t"(value * inverse));
        return __builtin_bit_cast(std::int32_t, nearest);
#endif
    } else {
        return rounded_to_byte(value, inverse);
    }
}

/// Rounded rows in memory of rounded_rows_bytes bytes: lines of bytes, then the scales of rows and, if the kernel needs
/// them, the start values of their sums.
///
/// Where the cut pairs rows, two lines are one: eight bytes of the first row, eight of the second, and so on.
template <class Config, quantized_shape Product>
struct rounded_rows {
    static constexpr bool pairs = Product.cut.pairs_rows, scales_rows = Product.right.spread != 0;
    static constexpr std::size_t width = lane_width<float, Config>, depth = Product.right.rows,
                                 line = rounded_row_bytes(depth) * (byte_dots<width, Config>::widens ? 2 : 1),
                                 filled = Product.right.groups() * Product.right.group,
                                 spread = Product.right.spread > 1 ? Product.right.spread : 1, pieces = Product.pieces,
                                 piece = depth / pieces, step = Product.depth_distance;
    static_assert(pieces == 1 || (spread == 1 && depth % pieces == 0 && is_whole_piece(piece, width)));
    static_assert(step == 1 || (spread == 1 && width == 1));
    static constexpr spread_groups groups{depth};
    static constexpr std::size_t parts = groups.parts, apart = groups.apart;
    using values = lanes<float, width, Config>;
    using dots = byte_dots<width, Config>;
    static constexpr bool is_offset = dots::is_offset;

    std::uint8_t* bytes;

    ASHLAR_STAGE_INLINE std::uint8_t* row(std::size_t i) const {
        return pairs ? bytes + i / 2 * (2 * line) + i % 2 * 8 : bytes + i * line;
    }
    /// The distance from the first byte of a row to byte k.
    ASHLAR_STAGE_INLINE static constexpr std::size_t place(std::size_t k) { return pairs ? k / 8 * 16 + k % 8 : k; }
    /// Four bytes of one of `Rows` rows.
    template <std::size_t Rows>
    ASHLAR_STAGE_INLINE static typename dots::left four_bytes(const std::uint8_t* row, std::size_t k) {
        if constexpr (dots::widens)
            return dots::template spread_widened<(Rows > 1)>(row + 2 * k);
        else
            return dots::spread(row + k);
    }
    ASHLAR_STAGE_INLINE float scale(std::size_t i) const {
        float result;
        __builtin_memcpy(&result, __builtin_assume_aligned(scales() + i * sizeof result, 4), sizeof result);
        return result;
    }
    ASHLAR_STAGE_INLINE std::int32_t start(std::size_t i) const {
        std::int32_t result = 0;
        if constexpr (dots::starts_at_negatives) __builtin_memcpy(&result, starts() + i * sizeof result, sizeof result);
        return result;
    }

    /// Rounds the first `rows` rows.
    ASHLAR_STAGE_INLINE void fill(std::array<const float*, pieces> from, std::size_t rows) const {
        for (std::size_t i = 0; i < rows; ++i) {
            byte_scale by{1, 1};
            if constexpr (scales_rows) by = byte_scale_of(greatest_of(from));
            __builtin_memcpy(scales() + i * sizeof by.scale, &by.scale, sizeof by.scale);
            for (std::size_t p = 0; p < pieces; ++p) {
                round(from[p], by.inverse, row(i), p * piece);
                from[p] += Product.row_distance;
            }
            if constexpr (dots::widens && spread != 1) dots::template widen<filled>(bytes + i * line);
            if constexpr (dots::starts_at_negatives) {
                const std::int32_t negatives = sum_of_negatives<filled, Config>(bytes + i * line);
                __builtin_memcpy(starts() + i * sizeof negatives, &negatives, sizeof negatives);
            }
        }
    }

private:
    using bits = lanes<std::int32_t, width, Config>;

    ASHLAR_STAGE_INLINE std::uint8_t* scales() const {
        return bytes + (Product.rows + (pairs ? Product.rows % 2 : 0)) * line;
    }
    ASHLAR_STAGE_INLINE std::uint8_t* starts() const { return scales() + Product.rows * sizeof(float); }

    /// Elements or registers between two branches, which cost as much as the work on one element.
    static constexpr std::size_t together = machine_of<Config>.single_issue ? 4 : 1;
    static constexpr bool in_registers =
        rounds_registers<width, Config> && (spread == 1 || machine_of<Config>.shuffles(sizeof(float)));

    /// A register of each block of a row, with outliers spread.
    struct spread_lanes {
        values of[parts];

        template <std::size_t Half, std::size_t Part>
        ASHLAR_STAGE_INLINE void add_and_subtract() {
            if constexpr ((Part & Half) == 0) {
                const values a = of[Part], b = of[Part + Half];
                of[Part] = a + b;
                of[Part + Half] = a - b;
            }
        }
        template <std::size_t Half, std::size_t... Part>
        ASHLAR_STAGE_INLINE void step(std::index_sequence<Part...> all) {
            (add_and_subtract<Half, Part>(), ...);
            if constexpr (2 * Half < parts) step<2 * Half>(all);
        }
        template <std::size_t Count, std::size_t... Part>
        ASHLAR_STAGE_INLINE void load(const float* from, std::index_sequence<Part...> all) {
            ((of[Part] = beside<1>(values::template load_partial<Count>(from + Part * apart) * values(1.0f / spread))),
             ...);
            step<1>(all);
        }
    };
    /// 1 in the lower half of each 2 * `Half` lanes, -1 in the upper half.
    template <std::size_t Half>
    static constexpr auto signs = [] {
        std::array<float, width> all{};
        for (std::size_t n = 0; n < width; ++n) all[n] = n / Half % 2 == 0 ? 1.0f : -1.0f;
        return all;
    }();
    /// Adds and subtracts neighbours in a register.
    template <std::size_t Half>
    ASHLAR_STAGE_INLINE static values beside(values x) {
        if constexpr (Half >= groups.side) {
            return x;
        } else {
            using exchange = typename lane_patterns<float, width>::template exchange_groups<Half>;
            return beside<2 * Half>(fma(x, values::load(signs<Half>.data()), shuffle_as<exchange>(x, x)));
        }
    }
    static constexpr std::make_index_sequence<parts> all_parts{};

    /// Calls f with a register of each part, the index of its first element, and the number of valid lanes.
    template <class Function>
    ASHLAR_STAGE_INLINE static void each_spread(const float* from, Function f) {
        const auto at = [&]<std::size_t Count>(std::size_t j) ASHLAR_STAGE_LAMBDA {
            spread_lanes v;
            v.template load<Count>(from + j, all_parts);
            f.template operator()<Count>(v, j);
        };
        std::size_t j = 0;
        for (; j + width <= apart; j += width) at.template operator()<width>(j);
        if constexpr (apart % width != 0) at.template operator()<apart % width>(j);
    }

    ASHLAR_STAGE_INLINE static std::int32_t greatest_of(const std::array<const float*, pieces>& pieces_of_row) {
        bits greatest(0);
        [[maybe_unused]] const float* from = pieces_of_row[0];
        if constexpr (spread != 1 && !in_registers) {
            std::int32_t most = 0;
            for_each_spread(
                depth, spread, [&](std::size_t k) ASHLAR_LAMBDA_INLINE { return from[k]; },
                [&](std::size_t, float x) ASHLAR_LAMBDA_INLINE {
                    const std::int32_t magnitude = magnitude_bits(x);
                    most = magnitude > most ? magnitude : most;
                });
            return most;
        } else if constexpr (spread != 1) {
            each_spread(from, [&]<std::size_t Count>(const spread_lanes& v, std::size_t) ASHLAR_STAGE_LAMBDA {
                [&]<std::size_t... Part>(std::index_sequence<Part...>)
                    ASHLAR_STAGE_LAMBDA { ((greatest = larger(greatest, v.of[Part])), ...); }(all_parts);
            });
        } else {
            for (const float* const one : pieces_of_row) {
                std::size_t k = 0;
                for (; k + together * width <= piece; k += together * width) {
                    ASHLAR_UNROLL
                    for (std::size_t i = 0; i < together; ++i)
                        greatest = larger(greatest, values::load(one + (k + i * width) * step));
                }
                for (; k + width <= piece; k += width) greatest = larger(greatest, values::load(one + k * step));
                if constexpr (piece % width != 0)
                    greatest = larger(greatest, values::template load_partial<piece % width>(one + k));
            }
        }
        return reduce_max(greatest);
    }
    ASHLAR_STAGE_INLINE static bits larger(bits greatest, values x) {
        return (max)(greatest, bit_cast_lanes<std::int32_t>(x) & 0x7FFFFFFF);
    }

    /// Writes only the first Count bytes: other bytes are there already.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static void round_partial(values x, std::uint8_t* to) {
        if constexpr (Count == width) {
            round_register<is_offset>(x, to);
        } else {
            std::uint8_t all[width];
            round_register<is_offset>(x, all);
            __builtin_memcpy(to, all, Count);
        }
    }
    /// Writes bytes `first`, `first` + 1, ... of the row that begins at `to`.
    ASHLAR_STAGE_INLINE static void round(const float* from, float inverse, [[maybe_unused]] std::uint8_t* to,
                                          [[maybe_unused]] std::size_t first) {
        if constexpr (spread != 1 && in_registers) {
            each_spread(from, [&]<std::size_t Count>(const spread_lanes& v, std::size_t j) ASHLAR_STAGE_LAMBDA {
                [&]<std::size_t... Part>(std::index_sequence<Part...>) ASHLAR_STAGE_LAMBDA {
                    (round_partial<Count>(v.of[Part] * values(inverse), to + place(Part * apart + j)), ...);
                }(all_parts);
            });
            for (std::size_t k = depth; k < filled; ++k) to[place(k)] = is_offset ? 0x80 : 0;
        } else if constexpr (spread != 1) {
            for_each_spread(
                depth, spread, [&](std::size_t k) ASHLAR_LAMBDA_INLINE { return from[k]; },
                [&](std::size_t k, float x)
                    ASHLAR_LAMBDA_INLINE { to[k] = static_cast<std::uint8_t>(rounded_element<Config>(x, inverse)); });
            for (std::size_t k = depth; k < filled; ++k) to[k] = 0;
        } else if constexpr (in_registers) {
            std::size_t k = 0;
            if constexpr (pairs)
                for (; k + 2 * width <= piece; k += 2 * width) {
                    round_register<is_offset>(values::load(from + k) * values(inverse), to + place(first + k));
                    round_register<is_offset>(values::load(from + k + width) * values(inverse),
                                              to + place(first + k + width));
                }
            for (; k + width <= piece; k += width)
                round_register<is_offset>(values::load(from + k) * values(inverse), to + place(first + k));
            if constexpr (piece % width != 0)
                round_register<is_offset>(values::template load_partial<piece % width>(from + k) * values(inverse),
                                          to + place(first + k));
        } else {
            const auto put = [&](std::size_t k, std::size_t i, float x) ASHLAR_LAMBDA_INLINE {
                const std::int32_t byte =
                    scales_rows ? rounded_element<Config>(x, inverse) : static_cast<std::int32_t>(x);
                if constexpr (dots::widens)
                    dots::put_widened(to + 2 * (first + k), i, byte);
                else
                    to[first + k + i] = static_cast<std::uint8_t>(byte);
            };
            constexpr std::size_t group = Product.right.group;
            std::size_t k = 0;
            for (; k + group <= piece; k += group) {
                ASHLAR_UNROLL
                for (std::size_t i = 0; i < group; ++i) put(k, i, from[(k + i) * step]);
            }
            if constexpr (piece % group != 0) {
                ASHLAR_UNROLL
                for (std::size_t i = 0; i < group; ++i) put(k, i, i < piece % group ? from[(k + i) * step] : 0.0f);
            }
        }
    }
};

}  // namespace ashlar::detail
