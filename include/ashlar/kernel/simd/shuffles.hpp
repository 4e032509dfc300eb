// SPDX-License-Identifier: BSL-1.0
// Shuffles of two registers, and algorithms made of them: transposing W registers of W lanes, and sums across lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// The lanes whose register holds these bits.
template <class Lanes, class Register>
ASHLAR_ALWAYS_INLINE Lanes from_register(Register bits) {
    static_assert(sizeof(Register) == sizeof(Lanes));
    return Lanes(typename Lanes::storage(__builtin_bit_cast(decltype(Lanes::storage::data), bits)));
}

/// True if lanes are shuffled in registers. Otherwise they go through memory, as in registers whose size is a compiler
/// option.
template <class Element, std::size_t Width, class Config>
consteval bool shuffles() {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
    return in_register<Element, Width, Config>() && scalable_bits<Config> == 0 && !has<Config, isa::mve>;
#endif
#endif
    return false;
}

/// The lanes Index... of a (0 to Width-1) and b (Width to 2 * Width - 1).
template <std::size_t... Index, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> shuffle(lanes<Element, Width, Config> a,
                                                           lanes<Element, Width, Config> b) {
    static_assert(sizeof...(Index) == Width);
    if constexpr (shuffles<Element, Width, Config>()) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
        typedef Element vector __attribute__((vector_size(Width * sizeof(Element))));
        const vector mixed = __builtin_shufflevector(__builtin_bit_cast(vector, a.data.data),
                                                     __builtin_bit_cast(vector, b.data.data), Index...);
        return from_register<lanes<Element, Width, Config>>(mixed);
#endif
#endif
    } else {
        Element both[2 * Width];
        a.store(both);
        b.store(both + Width);
        const Element mixed[Width] = {both[Index]...};
        return lanes<Element, Width, Config>::load(mixed);
    }
}

/// Index patterns for `shuffle`, as functions of the destination lane. x86 shuffles work within a chunk.
template <class Element, std::size_t Width>
struct lane_patterns {
    static constexpr std::size_t chunk = 16 / sizeof(Element) < Width ? 16 / sizeof(Element) : Width;
    static constexpr std::size_t chunks = Width / chunk;

    /// a0 b0 a1 b1 ... of the lower or upper half of each chunk.
    template <bool Upper>
    struct zip {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t in = lane % chunk;
            return (in % 2) * Width + lane - in + in / 2 + (Upper ? chunk / 2 : 0);
        }
    };

    /// The even or odd lanes of each chunk of a, then those of b.
    template <bool Odd>
    struct unzip {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t in = lane % chunk, half = chunk / 2;
            return (in < half ? 0 : Width) + lane - in + in % half * 2 + Odd;
        }
    };

    /// The even or odd chunks of a, then those of b.
    template <bool Odd>
    struct unzip_chunks {
        static constexpr std::size_t from(std::size_t lane) { return (lane / chunk * 2 + Odd) * chunk + lane % chunk; }
    };

    /// The even or odd groups of `Size` lanes of a, then those of b.
    template <std::size_t Size, bool Odd>
    struct unzip_groups {
        static constexpr std::size_t from(std::size_t lane) { return (lane / Size * 2 + Odd) * Size + lane % Size; }
    };

    /// Alternates groups of `Size` lanes of the lower or upper half of a and of b.
    template <std::size_t Size, bool Upper>
    struct zip_groups {
        static constexpr std::size_t from(std::size_t lane) {
            return lane / Size % 2 * Width + lane / Size / 2 * Size + (Upper ? Width / 2 : 0) + lane % Size;
        }
    };

    /// Exchanges each group of `Size` lanes with its neighbour.
    template <std::size_t Size>
    struct exchange_groups {
        static constexpr std::size_t from(std::size_t lane) { return lane / Size % 2 == 0 ? lane + Size : lane - Size; }
    };
};

template <class Pattern, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> shuffle_as(lanes<Element, Width, Config> a,
                                                              lanes<Element, Width, Config> b) {
    return [&]<std::size_t... Lane>(std::index_sequence<Lane...>) ASHLAR_LAMBDA_INLINE {
        return shuffle<Pattern::from(Lane)...>(a, b);
    }(std::make_index_sequence<Width>{});
}

/// Loads Count values and repeats them in all lanes, by one load if the machine has such an instruction.
template <class Lanes, std::size_t Count, class Element>
ASHLAR_ALWAYS_INLINE Lanes load_repeated(const Element* source) {
    constexpr std::size_t bytes = Count * sizeof(Element), all = Lanes::size * sizeof(Element);
    static_assert(Lanes::size % Count == 0);
    if constexpr (Count == Lanes::size) {
        return Lanes::load(source);
    } else if constexpr (Count == 1) {
        return Lanes(*source);
    } else {
        if constexpr (!in_register<Element, Lanes::size, typename Lanes::config_type>()) {
            // Falls through to the copy.
        } else if constexpr (bytes == 8 && !has<typename Lanes::config_type, isa::mve>) {
            std::int64_t bits;
            __builtin_memcpy(&bits, source, sizeof(bits));
            return from_register<Lanes>(lanes<std::int64_t, all / 8, typename Lanes::config_type>(bits).data.data);
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX__)
        } else if constexpr (bytes == 16 && all == 32) {
            return from_register<Lanes>(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(source)));
#endif
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512F__)
        } else if constexpr (bytes == 16 && all == 64) {
            const auto once = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
            return from_register<Lanes>(_mm512_broadcast_i32x4(once));
        } else if constexpr (bytes == 32 && all == 64) {
            const auto once = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
            return from_register<Lanes>(_mm512_broadcast_i64x4(once));
#endif
        }
        Element repeated[Lanes::size];
        for (std::size_t n = 0; n < Lanes::size; ++n) repeated[n] = source[n % Count];
        return Lanes::load(repeated);
    }
}

/// Transposes the vectors a, b, c, ... of `chunk` rows chunk by chunk: level by level, as in `transpose_in_place`.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void transpose_chunks(lanes<Element, Width, Config>* rows) {
    using pattern = lane_patterns<Element, Width>;
    constexpr std::size_t chunk = pattern::chunk;
    ASHLAR_UNROLL
    for (std::size_t stage = 1; stage < chunk; stage *= 2) {
        lanes<Element, Width, Config> next[chunk];
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < chunk / 2; ++c) {
            next[2 * c] = shuffle_as<typename pattern::template zip<false>>(rows[c], rows[c + chunk / 2]);
            next[2 * c + 1] = shuffle_as<typename pattern::template zip<true>>(rows[c], rows[c + chunk / 2]);
        }
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < chunk; ++r) rows[r] = next[r];
    }
}

/// True if two halves of a register are loaded from different places at the cost of one load each.
template <class Element, std::size_t Width, class Config>
inline constexpr bool loads_halves = false;
template <class Element, std::size_t Width, class Config>
    requires(shuffles<Element, Width, Config>() && lane_patterns<Element, Width>::chunks > 1 &&
             lane_patterns<Element, Width>::chunks <= 4 &&
             requires(const Element* p) { lanes<Element, Width, Config>::ops::template load_groups<Width / 2>(p, 1); })
inline constexpr bool loads_halves<Element, Width, Config> = true;

/// f of Width rows of Width/2 elements, `from` apart, transposed. The loads do one level of exchanges: half a register
/// joins the half of the row one chunk further.
template <class Element, std::size_t Width, class Config, class Function>
ASHLAR_ALWAYS_INLINE void load_half_transposed(const Element* source, std::size_t from,
                                               lanes<Element, Width, Config>* out, Function f) {
    using vec = lanes<Element, Width, Config>;
    using pattern = lane_patterns<Element, Width>;
    constexpr std::size_t chunk = pattern::chunk, pairs = pattern::chunks / 2;
    vec rows[pairs][chunk];
    ASHLAR_UNROLL
    for (std::size_t g = 0; g < pairs; ++g) {
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < chunk; ++c)
            rows[g][c] = f(vec(vec::ops::template load_groups<Width / 2>(source + (2 * g * chunk + c) * from,
                                                                         static_cast<std::ptrdiff_t>(chunk * from))));
        transpose_chunks(rows[g]);
    }
    ASHLAR_UNROLL
    for (std::size_t c = 0; c < chunk; ++c) {
        if constexpr (pairs == 1) {
            out[c] = rows[0][c];
        } else {
            out[c] = shuffle_as<typename pattern::template unzip_chunks<false>>(rows[0][c], rows[1][c]);
            out[chunk + c] = shuffle_as<typename pattern::template unzip_chunks<true>>(rows[0][c], rows[1][c]);
        }
    }
}

/// f of the Width x Width elements with rows `from` apart, transposed.
template <class Element, std::size_t Width, class Config, class Function>
ASHLAR_ALWAYS_INLINE void load_transposed(const Element* source, std::size_t from,
                                          lanes<Element, Width, Config> (&tile)[Width], Function f) {
    ASHLAR_UNROLL
    for (std::size_t half = 0; half < 2; ++half)
        load_half_transposed(source + half * (Width / 2), from, tile + half * (Width / 2), f);
}

/// Transposes the Width x Width elements held by Width vectors. Width is a power of two.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void transpose_in_place(lanes<Element, Width, Config> (&rows)[Width]) {
    using vec = lanes<Element, Width, Config>;
    using pattern = lane_patterns<Element, Width>;
    using even_chunks = typename pattern::template unzip_chunks<false>;
    using odd_chunks = typename pattern::template unzip_chunks<true>;
    constexpr std::size_t chunk = pattern::chunk, chunks = pattern::chunks;
    if constexpr (!shuffles<Element, Width, Config>()) {
        Element in[Width][Width], out[Width][Width];
        for (std::size_t r = 0; r < Width; ++r) rows[r].store(in[r]);
        for (std::size_t r = 0; r < Width; ++r)
            for (std::size_t c = 0; c < Width; ++c) out[r][c] = in[c][r];
        for (std::size_t r = 0; r < Width; ++r) rows[r] = vec::load(out[r]);
    } else {
        ASHLAR_UNROLL
        for (std::size_t stage = 1; stage < chunk; stage *= 2) {
            vec next[Width];
            ASHLAR_UNROLL
            for (std::size_t g = 0; g < Width; g += chunk) {
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < chunk / 2; ++c) {
                    const vec a = rows[g + c], b = rows[g + c + chunk / 2];
                    next[g + 2 * c] = shuffle_as<typename pattern::template zip<false>>(a, b);
                    next[g + 2 * c + 1] = shuffle_as<typename pattern::template zip<true>>(a, b);
                }
            }
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Width; ++r) rows[r] = next[r];
        }
        ASHLAR_UNROLL
        for (std::size_t stage = 1; stage < chunks; stage *= 2) {
            vec next[Width];
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < chunk; ++c) {
                ASHLAR_UNROLL
                for (std::size_t g = 0; g < chunks / 2; ++g) {
                    const vec a = rows[2 * g * chunk + c], b = rows[(2 * g + 1) * chunk + c];
                    next[g * chunk + c] = shuffle_as<even_chunks>(a, b);
                    next[(g + chunks / 2) * chunk + c] = shuffle_as<odd_chunks>(a, b);
                }
            }
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Width; ++r) rows[r] = next[r];
        }
    }
}

/// Turns groups of `Size` lanes into vectors: of Count vectors, whose groups in order are rows of Count, vector c
/// becomes group c of all rows. Count is a power of two. If it is Width / Size, this transposes the n x n groups.
template <std::size_t Size, std::size_t Count, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void transpose_groups(lanes<Element, Width, Config>* rows) {
    using even = typename lane_patterns<Element, Width>::template unzip_groups<Size, false>;
    using odd = typename lane_patterns<Element, Width>::template unzip_groups<Size, true>;
    ASHLAR_UNROLL
    for (std::size_t stage = 1; stage < Count; stage *= 2) {
        lanes<Element, Width, Config> next[Count];
        ASHLAR_UNROLL
        for (std::size_t g = 0; g < Count / 2; ++g) {
            next[g] = shuffle_as<even>(rows[2 * g], rows[2 * g + 1]);
            next[g + Count / 2] = shuffle_as<odd>(rows[2 * g], rows[2 * g + 1]);
        }
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Count; ++r) rows[r] = next[r];
    }
}

/// The inverse.
template <std::size_t Size, std::size_t Count, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void transpose_groups_back(lanes<Element, Width, Config>* rows) {
    using lower = typename lane_patterns<Element, Width>::template zip_groups<Size, false>;
    using upper = typename lane_patterns<Element, Width>::template zip_groups<Size, true>;
    ASHLAR_UNROLL
    for (std::size_t stage = 1; stage < Count; stage *= 2) {
        lanes<Element, Width, Config> next[Count];
        ASHLAR_UNROLL
        for (std::size_t g = 0; g < Count / 2; ++g) {
            next[2 * g] = shuffle_as<lower>(rows[g], rows[g + Count / 2]);
            next[2 * g + 1] = shuffle_as<upper>(rows[g], rows[g + Count / 2]);
        }
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Count; ++r) rows[r] = next[r];
    }
}

/// Combines every lane with the lanes at the same place in all groups of `Size`, by steps f(a, b).
template <std::size_t Size, class Element, std::size_t Width, class Config, class Function>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> combine_groups(lanes<Element, Width, Config> x, Function f) {
    if constexpr (Size < Width)
        return combine_groups<Size * 2>(
            f(x, shuffle_as<typename lane_patterns<Element, Width>::template exchange_groups<Size>>(x, x)), f);
    else
        return x;
}

/// a + b, as a type that can be a default.
struct lane_sum {
    template <class Vector>
    ASHLAR_ALWAYS_INLINE constexpr Vector operator()(Vector a, Vector b) const {
        return a + b;
    }
};

/// Adds neighbours, or combines them by `combine`: levels [First, Last) of the tree that completes sums of Last
/// adjacent lanes. Each level folds two vectors into one, so `Count` vectors become Count / (Last / First), rounded up;
/// the others are overwritten. From level 1 to Depth, sum r of lanes q*Depth to (q + 1)*Depth moves to lane
/// `folded_lane` of vector r / Depth. Needs registers that can be shuffled.
template <std::size_t First, std::size_t Last, std::size_t Count, class Element, std::size_t Width, class Config,
          class Combine = lane_sum>
ASHLAR_ALWAYS_INLINE void fold_lanes(lanes<Element, Width, Config>* sums, Combine combine = {}) {
    if constexpr (First < Last) {
        using pattern = lane_patterns<Element, Width>;
        constexpr bool in_chunk = First < pattern::chunk;
        using even = std::conditional_t<in_chunk, typename pattern::template unzip<false>,
                                        typename pattern::template unzip_chunks<false>>;
        using odd = std::conditional_t<in_chunk, typename pattern::template unzip<true>,
                                       typename pattern::template unzip_chunks<true>>;
        ASHLAR_UNROLL
        for (std::size_t n = 0; n < Count; n += 2) {
            const auto a = sums[n], b = sums[n + 1 < Count ? n + 1 : n];
            sums[n / 2] = combine(shuffle_as<even>(a, b), shuffle_as<odd>(a, b));
        }
        fold_lanes<First * 2, Last, (Count + 1) / 2>(sums, combine);
    }
}

/// The lane of sum q of row `row` (below Depth) in a vector of Width lanes that was folded up to Depth.
template <class Element, std::size_t Width, std::size_t Depth>
constexpr std::size_t folded_lane(std::size_t row, std::size_t q) {
    constexpr std::size_t chunk = lane_patterns<Element, Width>::chunk;
    if constexpr (Depth <= chunk) {
        constexpr std::size_t per_chunk = chunk / Depth;
        return q / per_chunk * chunk + row * per_chunk + q % per_chunk;
    } else {
        return row / chunk * (Width / Depth) * chunk + q * chunk + row % chunk;
    }
}

}  // namespace ashlar::detail
