// SPDX-License-Identifier: BSL-1.0
// A right operand that lies transposed: it is brought into row-major scratch beside the multiply-adds of the first rows.
//
// The first row block of each column block needs V in the order of the depth, a few steps ahead of which it is
// transposed: a chunk of 16 bytes from each of W rows, loaded side by side so that exchanges within chunks are enough.
// Shuffles and stores have ports of their own, and the loads find room between the multiply-adds of a block. All other
// row blocks read scratch. What does not fill a vector or a chunk is transposed before.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product.hpp>
#include <ashlar/kernel/transpose.hpp>

#include <cstddef>
#include <utility>

namespace ashlar::detail {

/// Depth steps that are transposed together; 0 where registers cannot be shuffled.
template <class T, class Config>
inline constexpr std::size_t turned_together = [] {
    constexpr std::size_t width = lane_width<T, Config>, chunk = lane_patterns<T, width>::chunk;
    if constexpr (!shuffles<T, width, Config>())
        return std::size_t{0};
    else
        return loads_halves<T, width, Config> ? width / 2 : width == chunk && chunk > 1 ? chunk : std::size_t{0};
}();

/// Whether transposing beside the multiply-adds of product P pays: there are pairs of vectors, and registers for some
/// steps beside their accumulators.
template <class T, class Config, product_shape P>
inline constexpr bool turns_beside = Config::registers >= 32 && turned_together<T, Config> != 0 && P.j >= 2 * lane_width<T, Config> &&
                                     P.k >= 2 * turned_together<T, Config> && !P.rows_outer && P.granule == 0 && strip_depth<T, Config, P> == 1;

/// V's next rows of W columns: source[c*From + d] for column c and step d goes to v[d*To + c].
template <class T, class Config, std::size_t From, std::size_t To>
ASHLAR_ALWAYS_INLINE void turn_steps(const T* source, T* v) {
    constexpr std::size_t width = lane_width<T, Config>, steps = turned_together<T, Config>;
    using vec = lanes<T, width, Config>;
    vec rows[steps];
    if constexpr (steps == width) {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < steps; ++r) rows[r] = vec::load(source + r * From);
        transpose_chunks(rows);
    } else {
        load_half_transposed(source, From, rows, unchanged{});
    }
    ASHLAR_UNROLL
    for (std::size_t d = 0; d < steps; ++d) rows[d].store(v + d * To);
}

/// The whole depth of a register block, which fills V as it goes: V(k, j) is source[j*From + k].
template <class T, class Config, product_shape P, std::size_t From>
struct turning_depth : constant_depth<0, P.k> {
    static constexpr std::size_t width = lane_width<T, Config>, chunk = turned_together<T, Config>, chunks = P.k / chunk;
    const T* source;
    T* v;

    /// Vectors [First, Last) of the block at column j, steps from k on.
    template <std::size_t First, std::size_t Last>
    ASHLAR_ALWAYS_INLINE void turn(std::size_t k, std::size_t j) const {
        ASHLAR_UNROLL
        for (std::size_t c = First; c < Last; ++c)
            turn_steps<T, Config, From, P.vk>(source + (j + c * width) * From + k, v + k * P.vk + j + c * width);
    }

    template <block_shape B>
    ASHLAR_ALWAYS_INLINE void run(product_accumulators<T, Config, P, B>& acc, const T* s, const T* v_at, std::size_t j) const {
        constexpr std::size_t whole = B.last_lanes == width ? B.vectors : B.vectors - 1;
        turn<0, whole>(0, j);
        for (std::size_t k = chunk; k < chunks * chunk; k += chunk, s += chunk * P.sk, v_at += chunk * P.vk) {
            [&]<std::size_t... U>(std::index_sequence<U...>) ASHLAR_LAMBDA_INLINE {
                ((acc.template step<false>(s + U * P.sk, v_at + U * P.vk, U % B.chains), acc.pin(), turn<whole * U / chunk, whole * (U + 1) / chunk>(k, j), keep_load_order()), ...);
            }(std::make_index_sequence<chunk>{});
        }
        acc.run(s, v_at, P.k - (chunks - 1) * chunk);
    }
};

/// Rows of the blocks that transpose: many, as all columns' transposition is spread over these, and so many that the other
/// rows are whole blocks.
template <class T, class Config, product_shape P>
inline constexpr std::size_t turning_rows = [] {
    constexpr std::size_t most = 10, usual = product_plan<T, Config, P>.rows.large;
    if (P.i <= most) return P.i;
    for (std::size_t rows = most; rows > 5; --rows)
        if ((P.i - rows) % usual == 0) return rows;
    return most;
}();

/// The same product without its first rows.
constexpr product_shape without_rows(product_shape p, std::size_t rows) {
    p.i -= rows;
    return p;
}

/// The whole product where V(k, j) is source[j*From + k]; v is scratch of P.k rows, P.vk apart, which holds V afterwards.
template <class T, class Config, product_shape P, std::size_t From, class Epilogue>
ASHLAR_ALWAYS_INLINE void product_turned(const T* s, T* v, const T* source, Epilogue& epilogue) {
    using turning = turning_depth<T, Config, P, From>;
    constexpr std::size_t width = turning::width, rest = P.j % width, columns = P.j - rest, steps = turning::chunks * turning::chunk;
    constexpr std::size_t first = turning_rows<T, Config, P>;
    if constexpr (rest != 0)
        transpose_tile<T, Config, transpose_shape{rest, P.k, From, P.vk}>(source + columns * From, v + columns);
    if constexpr (steps != P.k)
        transpose_tile<T, Config, transpose_shape{columns, P.k - steps, From, P.vk}>(source + steps, v + steps * P.vk);
    constexpr product_shape others = first == P.i ? P : without_rows(P, first);
    using walk = product_walk<T, Config, others, constant_depth<0, P.k>, Epilogue>;
    const typename walk::packed packed(v);

    // An odd vector comes first, so that one of a few columns is never alone.
    constexpr std::size_t vectors = columns / width + (rest != 0 && !walk::packs), odd = vectors % 2;
    const turning depth{{}, source, v};
    const auto block = [&]<std::size_t Vectors, std::size_t Last>(std::size_t j) ASHLAR_LAMBDA_INLINE {
        constexpr std::size_t chains = depth_chains(first, Vectors, P.k, register_file_of<Config>());
        product_block<T, Config, P, block_shape{first, Vectors, chains, Last}>(s, v, depth, epilogue, 0, j);
    };
    constexpr bool partial = rest != 0 && !walk::packs;
    if constexpr (odd != 0) block.template operator()<1, width>(0);
    for (std::size_t c = odd; c + 2 * partial < vectors; c += 2) block.template operator()<2, width>(c * width);
    if constexpr (partial) block.template operator()<2, rest>((vectors - 2) * width);
    if constexpr (walk::packs) packed_block<T, Config, others, first>(s, packed, epilogue, 0);

    if constexpr (first != P.i)
        walk::each_column_block([&](auto wide, auto last, std::size_t j) ASHLAR_LAMBDA_INLINE {
            walk::each_row_block(0, walk::plan.rows.blocks, [&](auto rows, std::size_t i) ASHLAR_LAMBDA_INLINE {
                walk::template block<rows, wide, last>(s, v, constant_depth<0, P.k>{}, epilogue, packed, first + i, j);
            });
        });
}

}  // namespace ashlar::detail
