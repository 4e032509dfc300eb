// SPDX-License-Identifier: BSL-1.0
// The accumulators of one register block, which never leave registers, and the depth steps that add to them.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/element_groups.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// What decides the code of a register block: accumulators, independent sums of each, valid lanes of the last vector.
struct block_shape {
    std::size_t rows, vectors, chains, last_lanes;
};

/// Hides a number from the optimiser. A loop that counts with it is not unrolled: caches deliver at full rate to one
/// stream that few instructions read.
ASHLAR_STAGE_INLINE std::size_t opaque_count(std::size_t count) {
#if defined(__GNUC__)
    __asm__("" : "+r"(count));
#endif
    return count;
}

/// Keeps clang from moving later loads before earlier ones, which would read several rows of a stream side by side. g++
/// does not move them.
ASHLAR_STAGE_INLINE void keep_load_order() {
#if defined(__clang__)
    __asm__ volatile("" ::: "memory");
#endif
}

/// Keeps g++ from loading the operands of a step during the previous one. 16 registers are too few for that, and g++
/// spills sums. clang does not, and loses time by this barrier.
ASHLAR_STAGE_INLINE void keep_steps_apart() {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    __asm__ volatile("" ::: "memory");
#endif
}

/// True if a lane is NaN. Tests bits, because -ffast-math assumes that there is no NaN.
template <class Element, std::size_t Valid, class Config>
ASHLAR_STAGE_INLINE bool any_nan(lanes<Element, Valid, Config> x) {
    using bits = signed_of_size<sizeof(Element)>;
    using of_t = std::numeric_limits<Element>;
    constexpr bits infinity = (bits{2} * of_t::max_exponent - 1) << (of_t::digits - 1);
    return any_of((bit_cast_lanes<bits>(x) & (std::numeric_limits<bits>::max)()) > infinity);
}

/// The sum of some registers.
template <class Lanes, std::size_t Count>
ASHLAR_STAGE_INLINE Lanes total(const Lanes (&x)[Count]) {
    Lanes sum = x[0];
    ASHLAR_UNROLL
    for (std::size_t n = 1; n < Count; ++n) sum = sum + x[n];
    return sum;
}

/// Adds independent sums pairwise into the first. The halves are constants, because g++ unrolls a loop over them too
/// late to keep the sums in registers.
template <std::size_t Half, class Lanes, std::size_t Chains, std::size_t Vectors, std::size_t Rows>
ASHLAR_STAGE_INLINE void join_in_pairs(Lanes (&sum)[Chains][Vectors][Rows]) {
    if constexpr (Half != 0) {
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < Half; ++u) {
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < Vectors; ++c) {
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < Rows; ++r) sum[u][c][r] = sum[u][c][r] + sum[u + Half][c][r];
            }
        }
        join_in_pairs<Half / 2>(sum);
    }
}

/// The accumulators of one block and its depth steps.
template <class Element, class Config, product_shape Product, block_shape Block>
struct product_accumulators {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr bool partial = Block.last_lanes != width && !Product.padded;
    using vec = lanes<Element, width, Config>;

    vec sum[Block.chains][Block.vectors][Block.rows];

    /// Whether a multiply-add takes a scalar without a broadcast.
    static constexpr bool by_scalar =
        Product.group == 1 && requires(Element a, vec b) { vec::ops::fma_by_scalar(a, b.data, b.data); };
    ASHLAR_STAGE_INLINE void add_row(Element a, const vec (&b)[Block.vectors], std::size_t r, std::size_t chain) {
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) sum[chain][c][r] = fma(b[c], a, sum[chain][c][r]);
    }

    /// Keeps g++ from folding a vector that several rows use into each of their multiply-adds as a memory operand.
    ASHLAR_STAGE_INLINE static vec kept(vec x) {
        if constexpr (Block.rows > 1)
            return opaque(x);
        else
            return x;
    }

    /// Vector c of a depth step; a step of groups reads several rows.
    template <std::size_t GroupRows = Product.group>
    ASHLAR_STAGE_INLINE static vec loaded(const auto* v, std::size_t c) {
        const auto* const from = v + Product.column_offset(c * width, width);
        const bool is_last = partial && c + 1 == Block.vectors;
        if constexpr (Product.group == 1) {
            return kept(is_last ? vec::template load_partial<Block.last_lanes>(from) : vec::load(from));
        } else {
            using groups = element_groups<std::remove_cvref_t<decltype(*v)>, vec>;
            return kept(is_last ? groups::template load<Block.last_lanes, GroupRows>(from, Product.group_rows)
                                : groups::template load<width, GroupRows>(from, Product.group_rows));
        }
    }

    /// Adds one depth step to the sums of `chain`; s and v point to that step. With ZerosExclude, zero scalars do not
    /// change their sums, unless the step is plain.
    template <bool ZerosExclude, std::size_t GroupRows = Product.group>
    ASHLAR_STAGE_INLINE void step(const Element* s, const auto* v, std::size_t chain, bool plain = true) {
        vec b[Block.vectors];
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) b[c] = loaded<GroupRows>(v, c);
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Block.rows; ++r) {
            if constexpr (!ZerosExclude && by_scalar) {
                add_row(s[r * Product.si], b, r, chain);
                continue;
            }
            if constexpr (Product.group != 1) {
                static_assert(!ZerosExclude);
                using groups = element_groups<std::remove_cvref_t<decltype(*v)>, vec>;
                const typename groups::left a(s[r * Product.si]);
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < Block.vectors; ++c)
                    sum[chain][c][r] = groups::multiply_add(a, b[c], sum[chain][c][r]);
                continue;
            }
            const vec a(s[r * Product.si]);
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < Block.vectors; ++c) {
                vec& to = sum[chain][c][r];
                const vec next = fma(a, b[c], to);
                if constexpr (ZerosExclude)
                    to = select((a != vec(Element(0))) | lane_mask<Element, width, Config>(plain), next, to);
                else
                    to = next;
            }
        }
    }

    /// One row whose scalars are loaded a register at a time and broadcast from there.
    static constexpr bool spreads = Product.cut.spreads && Block.rows == 1 && Block.vectors > 1;
    static_assert(!spreads || Product.group == 1);
    static constexpr std::size_t chunk = lane_patterns<Element, width>::chunk;
    template <std::size_t Chunk>
    struct one_chunk {
        static constexpr std::size_t from(std::size_t lane) { return Chunk * chunk + lane % chunk; }
    };
    template <std::size_t Lane>
    struct one_lane {
        static constexpr std::size_t from(std::size_t lane) { return lane / chunk * chunk + Lane; }
    };
    template <std::size_t Step>
    ASHLAR_STAGE_INLINE void spread_step(vec some, const auto* v) {
        const vec a = shuffle_as<one_lane<Step % chunk>>(some, some);
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) {
            vec& to = sum[Step % Block.chains][c][0];
            const auto* from = v + Product.column_offset(c * width, width);
            to = fma(a,
                     partial && c + 1 == Block.vectors ? vec::template load_partial<Block.last_lanes>(from)
                                                       : vec::load(from),
                     to);
        }
    }
    template <std::size_t Chunk>
    ASHLAR_STAGE_INLINE void spread_chunk(vec all, const auto* v) {
        const vec some = shuffle_as<one_chunk<Chunk>>(all, all);
        [&]<std::size_t... Lane>(std::index_sequence<Lane...>) ASHLAR_STAGE_LAMBDA {
            (spread_step<Chunk * chunk + Lane>(some, v + (Chunk * chunk + Lane) * Product.vk), ...);
        }(std::make_index_sequence<chunk>{});
    }
    ASHLAR_STAGE_INLINE void run_spread(const Element*& s, const auto*& v, std::size_t& steps) {
        for (; steps >= width; steps -= width, s += width, v += width * Product.vk) {
            const vec all = vec::load(s);
            [&]<std::size_t... Chunk>(std::index_sequence<Chunk...>)
                ASHLAR_STAGE_LAMBDA { (spread_chunk<Chunk>(all, v), ...); }(std::make_index_sequence<width / chunk>{});
        }
    }

    /// Depth steps between two branches.
    static constexpr std::size_t together = Block.chains == 1 ? std::size_t{Product.cut.steps_together} : Block.chains;

    /// The first steps from s and v: the first step of each chain multiplies and has no sum to add to.
    ASHLAR_STAGE_INLINE void begin(const Element* s, const auto* v) {
        static_assert(Product.group == 1 && !spreads);
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < together; ++u, s += Product.sk, v += Product.vk) {
            if (u >= Block.chains) {
                step<false>(s, v, 0);
            } else {
                vec b[Block.vectors];
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < Block.vectors; ++c) b[c] = loaded(v, c);
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < Block.rows; ++r) {
                    const vec a(s[r * Product.si]);
                    ASHLAR_UNROLL
                    for (std::size_t c = 0; c < Block.vectors; ++c) sum[u][c][r] = a * b[c];
                }
            }
            if constexpr (together > Block.chains) keep_steps_apart();
        }
    }

    /// `steps` depth steps from s and v. Calls the epilogue's `interleave` every `interleave_period` steps; `Taken`
    /// steps of the first period are done already.
    template <std::size_t Taken = 0, class Epilogue>
    ASHLAR_STAGE_INLINE void run(const Element* s, const auto* v, std::size_t steps, Epilogue& epilogue) {
        if constexpr (has_hook<Epilogue, hook::interleave>) {
            static_assert(Taken <= interleave_period && interleave_period % Block.chains == 0);
            std::size_t taken = Taken;
            for (; steps + taken >= interleave_period; steps -= interleave_period - taken, taken = 0) {
                // A loop, because compilers load the operands of unrolled steps early and run out of registers.
                for (std::size_t left = opaque_count((interleave_period - taken) / Block.chains); left != 0;
                     --left, s += Block.chains * Product.sk, v += Block.chains * Product.vk) {
                    ASHLAR_UNROLL
                    for (std::size_t u = 0; u < Block.chains; ++u)
                        step<false>(s + u * Product.sk, v + u * Product.vk, u);
                }
                epilogue.interleave();
            }
        }
        if constexpr (spreads) run_spread(s, v, steps);
        if constexpr (together > Block.chains && !spreads) {
            for (; steps >= together; steps -= together, s += together * Product.sk, v += together * Product.vk) {
                ASHLAR_UNROLL
                for (std::size_t u = 0; u < together; ++u) {
                    step<false>(s + u * Product.sk, v + u * Product.vk, 0);
                    keep_steps_apart();
                }
            }
        }
        for (std::size_t left = steps / Block.chains; left != 0;
             s += Block.chains * Product.sk, v += Block.chains * Product.vk) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < Block.chains; ++u) step<false>(s + u * Product.sk, v + u * Product.vk, u);
            left = Block.rows == 1 ? opaque_count(left - 1) : left - 1;
        }
        if constexpr (Block.chains > 1)
            for (steps %= Block.chains; steps != 0; --steps, s += Product.sk, v += Product.vk) step<false>(s, v, 0);
    }

    /// One depth step of the rows r with takes_part(r).
    template <class Choice>
    ASHLAR_STAGE_INLINE void step_of_some(const Element* s, const auto* v, Choice takes_part) {
        vec b[Block.vectors];
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) b[c] = loaded(v, c);
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Block.rows; ++r)
            if (takes_part(static_cast<std::ptrdiff_t>(r))) {
                if constexpr (by_scalar) {
                    add_row(s[r * Product.si], b, r, 0);
                    continue;
                }
                const vec a(s[r * Product.si]);
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < Block.vectors; ++c) sum[0][c][r] = fma(a, b[c], sum[0][c][r]);
            }
    }
    /// The steps of `depth` in which only some rows take part; s and v point to step 0. If all rows begin together, the
    /// rows that remain after the end of the first one are known in each step.
    template <bool Lower>
    ASHLAR_STAGE_INLINE void run_uneven(const Element* s, const auto* v, const per_row_k_range<Lower>& depth,
                                        const depth_range& even) {
        constexpr auto rows = static_cast<std::ptrdiff_t>(Block.rows), sk = static_cast<std::ptrdiff_t>(Product.sk),
                       vk = static_cast<std::ptrdiff_t>(Product.vk);
        if constexpr (!Lower && rows <= 8) {
            ASHLAR_UNROLL
            for (std::ptrdiff_t ended = 1; ended < rows; ++ended) {
                const std::ptrdiff_t k = depth.full_last + ended - 1;
                if (k >= depth.first && k < depth.last)
                    step_of_some(s + k * sk, v + k * vk,
                                 [&](std::ptrdiff_t r) ASHLAR_STAGE_LAMBDA { return r >= ended; });
            }
        } else {
            const auto begin = static_cast<std::ptrdiff_t>(even.first), end = static_cast<std::ptrdiff_t>(even.last);
            const auto next = [&](std::ptrdiff_t k) ASHLAR_STAGE_LAMBDA { return k == begin ? end : k; };
            for (std::ptrdiff_t k = next(depth.first); k < depth.last; k = next(k + 1))
                step_of_some(s + k * sk, v + k * vk,
                             [&](std::ptrdiff_t r) ASHLAR_STAGE_LAMBDA { return depth.has(r, rows, k); });
        }
    }

    /// The depth steps of `depth`; outside its plain part zeros exclude. The sums are those of `run` if no excluded
    /// value is NaN or infinite.
    ASHLAR_STAGE_INLINE void run_excluding(const Element* s, const auto* v, const k_range& depth) {
        const std::size_t whole = depth.last - (depth.last - depth.first) % Block.chains;
        for (std::size_t k = depth.first; k < depth.last; k += k < whole ? Block.chains : 1) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < Block.chains; ++u)
                if (u == 0 || k < whole)
                    step<true>(s + u * Product.sk, v + u * Product.vk, u,
                               depth.plain_first <= k + u && k + u < depth.plain_last);
            s += (k < whole ? Block.chains : 1) * Product.sk;
            v += (k < whole ? Block.chains : 1) * Product.vk;
        }
    }

    /// Keeps clang from delaying these multiply-adds behind other work, for which it would hold all their operands.
    ASHLAR_STAGE_INLINE void pin() {
#if defined(__clang__)
        if constexpr (in_register<Element, width, Config>()) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < Block.chains; ++u) {
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < Block.vectors; ++c) {
                    ASHLAR_UNROLL
                    for (std::size_t r = 0; r < Block.rows; ++r) sum[u][c][r] = opaque(sum[u][c][r]);
                }
            }
        }
#endif
    }

    /// True if a joined sum is NaN.
    ASHLAR_STAGE_INLINE bool has_nan() const {
        vec probe(Element(0));
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) probe = probe + total(sum[0][c]);
        return any_nan(probe);
    }

    /// Adds all chains to the first.
    ASHLAR_STAGE_INLINE void join() { join_in_pairs<Block.chains / 2>(sum); }
};

}  // namespace ashlar::detail
