// SPDX-License-Identifier: BSL-1.0
// The kernel of packed depth: registers that hold several depth steps of few columns, for what does not fill a register
// with one step.
//
// A packed register of p steps of V is multiplied by S(i, k) to S(i, k + p), one load repeated in all lanes. So a row
// takes K/p multiply-adds instead of K, and log2 p levels of shuffled additions at the end. Four products share it:
//   1. last columns of a ragged product, packed into scratch beforehand
//   2. strips: a right operand of at most W/2 columns without gaps, whose rows lie packed in memory
//   3. half registers: blocks of which a mask keeps a part, packed as they are loaded
//   4. few rows in lanes, both operands contiguous along the depth: C(i, j) = sum over k of S(i, k) * R(j, k)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/packed_k_operand.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// The order in which sums are joined. It follows the layout of lanes in a packed register and decides the last bits of
/// results.
enum class packed_k_join : std::uint8_t {
    neighbours,  // lane q*p + d: chains one after the other, then neighbouring lanes, rows folded into one register
    halves,      // lane d*W/p + q: chains and then groups of lanes in pairs, each row alone
};

/// A block of packed depth: its sums, and how they are loaded and joined.
struct packed_k_block {
    std::size_t rows;      ///< of S, `distance` elements apart, each of which meets all vectors
    std::size_t vectors;   ///< packed registers of one pack of steps
    std::size_t steps;     ///< side by side in a register
    std::size_t chains;    ///< independent sums
    std::size_t distance;  ///< from row to row of S, which is contiguous along the depth
    packed_k_join join = packed_k_join::neighbours;
    bool unrolled = false;  ///< packs are straight code
};

template <class Element, class Config, packed_k_block Block>
struct packed_k_sums {
    static constexpr std::size_t width = lane_width<Element, Config>, steps = Block.steps, line = width / steps,
                                 rows = Block.rows, chains = Block.chains;
    using vec = lanes<Element, width, Config>;

    vec sum[chains][Block.vectors][rows];

    ASHLAR_STAGE_INLINE packed_k_sums() {
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < chains; ++u) {
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < Block.vectors; ++c) {
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < rows; ++r) sum[u][c][r] = vec(Element(0));
            }
        }
    }

    /// S(i, k + d) in the lanes of V(k + d, .). Picked from the same 16 bytes if these hold it.
    struct spread {
        static constexpr std::size_t chunk = lane_patterns<Element, width>::chunk;
        static constexpr std::size_t from(std::size_t lane) {
            return (steps <= chunk ? lane / chunk * chunk : 0) + lane / line;
        }
    };
    ASHLAR_STAGE_INLINE static vec scalars(const Element* s) {
        const vec some = load_repeated<vec, steps>(s);
        if constexpr (Block.join == packed_k_join::halves)
            return shuffle_as<spread>(some, some);
        else
            return some;
    }

    struct as_loaded {
        ASHLAR_STAGE_INLINE vec operator()(vec x) const { return x; }
    };
    /// Adds one pack of steps to the sums of a chain; s and v point to its first step.
    template <class Packs, class Change = as_loaded>
    ASHLAR_STAGE_INLINE void step(const Element* s, const Packs& v, std::size_t chain, Change change = {}) {
        vec b[Block.vectors];
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Block.vectors; ++c) b[c] = v.load(c);
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < rows; ++r) {
            const vec a = change(scalars(s + r * Block.distance));
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < Block.vectors; ++c) sum[chain][c][r] = fma(a, b[c], sum[chain][c][r]);
        }
    }
    /// Adds `count` packs from s and v, and moves both pointers past them. Packs beyond a multiple of the chains go
    /// to the chains in turn if their number is a constant, otherwise to the first chain.
    template <class Packs, class Count>
    ASHLAR_STAGE_INLINE void run(const Element*& s, Packs& v, Count count) {
        const auto next = [&](std::size_t chain) ASHLAR_STAGE_LAMBDA {
            step(s, v, chain);
            s += steps;
            v.advance();
        };
        if constexpr (Block.unrolled) {
            ASHLAR_UNROLL
            for (std::size_t t = 0; t < Count::value; ++t) next(0);
        } else {
            for (std::size_t left = count / chains; left != 0; --left) {
                ASHLAR_UNROLL
                for (std::size_t u = 0; u < chains; ++u) next(u);
            }
            if constexpr (requires { Count::value; }) {
                ASHLAR_UNROLL
                for (std::size_t u = 0; u < Count::value % chains; ++u) next(u);
            } else {
                for (std::size_t left = count % chains; left != 0; --left) next(0);
            }
        }
    }

    /// Adds all chains to the first.
    ASHLAR_STAGE_INLINE void join_chains() {
        if constexpr (Block.join == packed_k_join::halves) {
            join_in_pairs<chains / 2>(sum);
        } else {
            static_assert(chains == 1 || Block.vectors == 1);
            ASHLAR_UNROLL
            for (std::size_t u = 1; u < chains; ++u) {
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < rows; ++r) sum[0][0][r] = sum[0][0][r] + sum[u][0][r];
            }
        }
    }

    /// The lane of sum `Sum` among those folded into a register, in lines of `line` lanes, and its lane in order.
    template <std::size_t Sum>
    struct repeated {
        static constexpr std::size_t from(std::size_t lane) {
            return folded_lane<Element, width, steps>(Sum, lane % line);
        }
    };
    struct in_order {
        static constexpr std::size_t from(std::size_t lane) {
            return folded_lane<Element, width, steps>(lane / line, lane % line);
        }
    };

    /// The columns of each row, from several of its vectors.
    template <std::size_t Vectors = 1>
    ASHLAR_STAGE_INLINE void join(vec (&out)[rows], std::size_t first = 0) {
        static_assert(Vectors == 1 || Vectors == steps);
        join_chains();
        if constexpr (Block.join == packed_k_join::halves) {
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < rows; ++r) out[r] = combine_groups<line>(sum[0][first][r], lane_sum{});
        } else {
            vec folded[rows * Vectors];
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < rows; ++r) {
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < Vectors; ++c) folded[r * Vectors + c] = sum[0][first + c][r];
            }
            fold_lanes<1, steps, rows * Vectors>(folded);
            [&]<std::size_t... Row>(std::index_sequence<Row...>) ASHLAR_STAGE_LAMBDA {
                ((out[Row] = shuffle_as<std::conditional_t<Vectors == 1, repeated<Row % steps>, in_order>>(
                      folded[Row * Vectors / steps], folded[Row * Vectors / steps])),
                 ...);
            }(std::make_index_sequence<rows>{});
        }
    }
};

// -------------------------------------------------------------- few columns

/// Hands the columns from j of the rows [i, i + Rows) to the epilogue, and ends the block.
template <class Epilogue, class Lanes, std::size_t Rows, std::size_t Count>
ASHLAR_STAGE_INLINE void finish_packed(Epilogue& epilogue, std::size_t i, std::size_t j, Lanes (&rows)[Rows],
                                       lane_count<Count> count, block_verdict verdict) {
    static_assert(!has_hook<Epilogue, hook::interleave> && !has_hook<Epilogue, hook::group>);
    add_initial(epilogue, i, j, rows, count);
    with_verdict<Epilogue>(verdict,
                           [&](auto tag) ASHLAR_STAGE_LAMBDA { finish_column(epilogue, i, j, rows, count, tag); });
    finish_block(epilogue, i, Rows, j, 1);
}

/// The last columns of the rows [i, i + Rows).
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Chains, class Epilogue>
ASHLAR_STAGE_INLINE void packed_block(const Element* s, const packed_columns<Element, Config, Product>& packed,
                                      Epilogue& epilogue, std::size_t i) {
    using columns = packed_columns<Element, Config, Product>;
    constexpr std::size_t j = Product.j - columns::columns, whole = Product.k / columns::depth;
    const block_verdict verdict = verdict_on(epilogue, i, i + Rows, j, Product.j);
    if (verdict == block_verdict::skip) return;

    packed_k_sums<Element, Config, packed_k_block{Rows, 1, columns::depth, Chains, Product.si}> sums;
    const Element* s_at = s + i * Product.si;
    packs_in_memory<typename columns::vec, Element> v_at{packed.values};
    sums.run(s_at, v_at, std::integral_constant<std::size_t, whole>{});
    if constexpr (columns::repeats != 0)
        sums.step(s_at - columns::repeats, v_at, whole % Chains, typename columns::without_repeats{});
    typename columns::vec rows[Rows];
    sums.join(rows);
    finish_packed(epilogue, i, j, rows, lane_count<columns::columns>{}, verdict);
}

/// All columns of the rows [i, i + Rows) if V is a strip; `depth` as in `product_block`.
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Chains, class Depth,
          class Epilogue>
ASHLAR_STAGE_INLINE void strip_block(const Element* s, const Element* v, Depth depth, Epilogue& epilogue,
                                     std::size_t i) {
    constexpr std::size_t steps = Product.cut.strip_steps;
    using packed =
        packed_k_sums<Element, Config, packed_k_block{Rows, 1, steps, Chains, Product.si, packed_k_join::halves}>;
    using vec = typename packed::vec;
    const block_verdict verdict = verdict_on(epilogue, i, i + Rows, 0, Product.j);
    if (verdict == block_verdict::skip) return;

    packed sums;
    const std::size_t count = depth.last - depth.first;
    const Element* s_at = s + i * Product.si + depth.first;
    packs_in_memory<vec, Element> v_at{v + depth.first * Product.vk};
    sums.run(s_at, v_at, count / steps);
    vec rows[Rows];
    sums.join(rows);
    for (std::size_t left = count % steps; left != 0; --left, ++s_at, v_at.at += Product.j) {
        const vec b = vec::template load_partial<Product.j>(v_at.at);
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) rows[r] = fma(vec(s_at[r * Product.si]), b, rows[r]);
    }
    if constexpr (requires { depth.plain_first; }) {
        // Repeats, step by step, what excluded pairs may have spoilt.
        if ((depth.first != depth.plain_first || depth.plain_last != depth.last) && any_nan(total(rows))) [[unlikely]] {
            product_block<Element, Config, Product, block_shape{Rows, 1, Chains, Product.j}>(s, v, depth, epilogue, i,
                                                                                             0);
            return;
        }
    }
    finish_packed(epilogue, i, 0, rows, lane_count<Product.j>{}, verdict);
}

// -------------------------------------------------------------- half registers

/// Whether the accumulators of these rows and halves leave registers for the operands of a step.
template <class Config>
constexpr bool fits_half_registers(std::size_t rows, std::size_t halves) {
    return rows * halves + halves + 3 <= machine_of<Config>.registers;
}

/// The rows [i, i + Rows) of the halves [First, First + Halves) of the `Columns` columns from j. The epilogue gets
/// whole registers, to be masked; the contents of the other halves are unspecified.
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Columns, std::size_t First,
          std::size_t Halves, class Epilogue>
ASHLAR_STAGE_INLINE void product_half_registers(const Element* s, const Element* v, Epilogue& epilogue, std::size_t i,
                                                std::size_t j) {
    static_assert(!has_hook<Epilogue, hook::interleave> && !has_hook<Epilogue, hook::group>);
    constexpr std::size_t width = lane_width<Element, Config>, end = First + Halves,
                          registers = (end + 1) / 2 - First / 2;
    using vec = lanes<Element, width, Config>;
    packed_k_sums<Element, Config, packed_k_block{Rows, Halves, 2, 1, Product.si}> sums;
    const Element* s_at = s + i * Product.si;
    packed_halves<vec, Element, Product.vk> v_at{v + j + First * (width / 2)};
    sums.run(s_at, v_at, Product.k / 2);
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
        const auto column = [&]<std::size_t Register>() ASHLAR_STAGE_LAMBDA {
            constexpr std::size_t low = 2 * Register < First ? 0 : 2 * Register - First,
                                  rest = Columns - Register * width;
            constexpr bool both = 2 * Register >= First && 2 * Register + 1 < end;
            vec rows[Rows];
            sums.template join<both ? 2 : 1>(rows, low);
            constexpr lane_count<(rest < width ? rest : width)> count;
            add_initial(epilogue, i, j + Register * width, rows, count);
            finish_column(epilogue, i, j + Register * width, rows, count, masked_block{});
        };
        (column.template operator()<First / 2 + Index>(), ...);
    }(std::make_index_sequence<registers>{});
    finish_block(epilogue, i, Rows, j + First / 2 * width, registers);
}

/// Computes the block if the needed halves begin or end inside it. Returns whether nothing is left to do.
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Columns, class Epilogue>
ASHLAR_STAGE_INLINE bool does_half_registers(const Element* s, const Element* v, Epilogue& epilogue, std::size_t i,
                                             std::size_t j) {
    constexpr std::size_t half = lane_width<Element, Config> / 2, count = (Columns + half - 1) / half;
    const half_range kept = epilogue.kept_halves(i, i + Rows, j, j + Columns);
    const auto among = [&]<std::size_t Half, bool Upper>() ASHLAR_STAGE_LAMBDA {
        if constexpr (fits_half_registers<Config>(Rows, Half)) {
            if (Upper ? kept.first + Half == count : kept.first == 0 && kept.last == Half) {
                product_half_registers<Element, Config, Product, Rows, Columns, Upper ? count - Half : 0, Half>(
                    s, v, epilogue, i, j);
                return true;
            }
        }
        return false;
    };
    return kept.first == kept.last || [&]<std::size_t... Half>(std::index_sequence<Half...>) ASHLAR_STAGE_LAMBDA {
        if (kept.first != 0) return (among.template operator()<Half + 1, true>() || ...);
        if constexpr (Epilogue::ends_within)
            if (kept.last != count) return (among.template operator()<Half + 1, false>() || ...);
        return false;
    }(std::make_index_sequence<count - 1>{});
}

// -------------------------------------------------------------- few rows

/// The sums of some columns of few rows.
template <class Element, class Config, packed_k_shape Product, std::size_t Columns, bool Unrolled>
using packed_row_sums = packed_k_sums<Element, Config,
                                      packed_k_block{Columns, 1, packed_rows<Element, Config, Product>::packs, 1,
                                                     Product.column_distance, packed_k_join::neighbours, Unrolled}>;

/// Multiplies the rows by all columns, which are few, piece by piece. No piece leaves the registers.
template <class Element, class Config, packed_k_shape Product>
ASHLAR_STAGE_INLINE auto packed_sums_of_all(const Element* s, const Element* r) {
    using rows = packed_rows<Element, Config, Product>;
    constexpr std::size_t width = rows::width, rest = Product.depth % width, whole = Product.depth - rest;
    packed_row_sums<Element, Config, Product, Product.columns, true> sums;
    const auto piece = [&]<std::size_t Depth>(std::size_t k) ASHLAR_STAGE_LAMBDA {
        typename rows::vec packed[Depth / rows::packs];
        rows::template pack<Depth>(r + k, packed);
        const Element* s_at = s + k;
        packs_in_registers<typename rows::vec> r_at{packed};
        sums.run(s_at, r_at, std::integral_constant<std::size_t, Depth / rows::packs>{});
    };
    if constexpr (whole <= 2 * width) {
        ASHLAR_UNROLL
        for (std::size_t k = 0; k < whole; k += width) piece.template operator()<width>(k);
    } else {
        for (std::size_t k = 0; k < whole; k += width) piece.template operator()<width>(k);
    }
    if constexpr (rest != 0) piece.template operator()<rest>(whole);
    return sums;
}

/// Hands the columns [i, i + Columns) of few rows to the epilogue, one by one or as many as fill a register.
template <packed_k_shape Product, class Sums, class Epilogue>
ASHLAR_STAGE_INLINE void finish_packed_rows(Sums& sums, Epilogue& epilogue, std::size_t i, block_verdict verdict) {
    constexpr std::size_t columns = Sums::rows, packs = Sums::steps;
    with_verdict<Epilogue>(verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA {
        if constexpr (has_hook<Epilogue, hook::group>) {
            auto& folded = sums.sum[0][0];
            fold_lanes<1, packs, columns>(folded);
            [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
                (epilogue.group(i + Index * packs, shuffle_as<typename Sums::in_order>(folded[Index], folded[Index]),
                                lane_count<((Index + 1) * packs <= columns ? packs : columns - Index * packs)>{}, tag),
                 ...);
            }(std::make_index_sequence<(columns + packs - 1) / packs>{});
        } else {
            typename Sums::vec rows[columns];
            sums.join(rows);
            finish_column(epilogue, i, 0, rows, lane_count<Product.rows>{}, tag);
        }
    });
    finish_block(epilogue, i, columns, 0, 1);
}

/// The columns [i, i + Columns) of few rows that are packed.
template <std::size_t Columns, class Element, class Config, packed_k_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void packed_rows_block(const packed_rows<Element, Config, Product>& rows, const Element* s,
                                           Epilogue& epilogue, std::size_t i) {
    constexpr std::size_t steps = packed_rows<Element, Config, Product>::steps;
    const block_verdict verdict = verdict_on(epilogue, i, i + Columns, 0, Product.rows);
    if (verdict == block_verdict::skip) return;
    packed_row_sums<Element, Config, Product, Columns, steps * Columns <= most_unrolled> sums;
    const Element* s_at = s + i * Product.column_distance;
    auto r_at = rows.first_pack();
    sums.run(s_at, r_at, std::integral_constant<std::size_t, steps>{});
    finish_packed_rows<Product>(sums, epilogue, i, verdict);
}

/// The hooks that it calls. Columns of this product are i; its rows are in lanes.
inline constexpr hook served_by_packed_k =
    hook::vector | hook::column | hook::group | hook::begin_block | hook::end_block;

/// Bytes of scratch that it needs.
template <class Element, class Config, packed_k_shape Product>
inline constexpr std::size_t packed_k_scratch_bytes =
    packed_k_table_bytes(Product, element_machine_of<Element, Config>);

/// Computes all columns of few rows; `scratch` has packed_k_scratch_bytes bytes.
template <class Element, class Config, packed_k_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void product_packed_k(const Element* s, const Element* r, Epilogue& epilogue, Element* scratch) {
    using packed = packed_rows<Element, Config, Product>;
    constexpr std::size_t together = Product.cut.together, rest = Product.columns % together;
    if constexpr (!fits_kernel<Epilogue, typename packed::vec, served_by_packed_k, Config::checks>()) {
        // An error has been reported.
    } else if constexpr (Product.columns <= together) {
        const block_verdict verdict = verdict_on(epilogue, 0, Product.columns, 0, Product.rows);
        if (verdict == block_verdict::skip) return;
        auto sums = packed_sums_of_all<Element, Config, Product>(s, r);
        finish_packed_rows<Product>(sums, epilogue, 0, verdict);
    } else {
        const packed rows(r, scratch);
        for (std::size_t i = 0; i + together <= Product.columns; i += together)
            packed_rows_block<together>(rows, s, epilogue, i);
        if constexpr (rest != 0) packed_rows_block<rest>(rows, s, epilogue, Product.columns - rest);
    }
}

}  // namespace ashlar::detail
