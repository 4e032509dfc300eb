// SPDX-License-Identifier: BSL-1.0
// Transposes a right operand into row-major scratch between the multiply-adds of the first rows.
//
// The first row block of each column block needs V in the order of the depth. The kernel transposes it a few steps
// ahead: a chunk of 16 bytes from each of W rows, loaded side by side so that exchanges within chunks suffice. Shuffles
// and stores have their own ports, and loads fit between the multiply-adds. All other row blocks read the scratch.
// Columns and steps that do not fill a vector or a chunk are transposed before.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/memory/transpose.hpp>
#include <ashlar/kernel/product/product.hpp>

namespace ashlar::inline v0_1::detail {

/// Depth steps that are transposed together; 0 if registers cannot be shuffled.
template <class Element, class Config>
inline constexpr std::size_t transposed_together = [] {
    constexpr std::size_t width = lane_width<Element, Config>, chunk = lane_patterns<Element, width>::chunk;
    if constexpr (!shuffles<Element, width, Config>())
        return std::size_t{0};
    else
        return loads_halves<Element, width, Config> ? width / 2 : width == chunk && chunk > 1 ? chunk : std::size_t{0};
}();

/// Whether transposing between the multiply-adds of Product pays: there are pairs of vectors, and the accumulators
/// leave registers for some steps.
template <class Element, class Config, product_shape Product>
inline constexpr bool fits_transposing_rhs =
    machine_of<Config>.registers >= 32 && transposed_together<Element, Config> != 0 &&
    Product.j >= 2 * lane_width<Element, Config> && Product.k >= 2 * transposed_together<Element, Config>;

/// V's next rows of W columns: source[c*From + d] for column c and step d goes to v[d*To + c].
template <class Element, class Config, std::size_t From, std::size_t To>
ASHLAR_STAGE_INLINE void transpose_steps(const Element* source, Element* v) {
    constexpr std::size_t width = lane_width<Element, Config>, steps = transposed_together<Element, Config>;
    using vec = lanes<Element, width, Config>;
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

/// The whole depth of a register block that fills V at the same time: V(k, j) is source[j*From + k].
template <class Element, class Config, product_shape Product, std::size_t From>
struct transposing_depth : constant_depth<0, Product.k> {
    static constexpr std::size_t width = lane_width<Element, Config>, chunk = transposed_together<Element, Config>,
                                 chunks = Product.k / chunk;
    const Element* source;
    Element* v;

    /// Vectors [First, Last) of the block at column j, from step k.
    template <std::size_t First, std::size_t Last>
    ASHLAR_STAGE_INLINE void transpose_ahead(std::size_t k, std::size_t j) const {
        ASHLAR_UNROLL
        for (std::size_t c = First; c < Last; ++c)
            transpose_steps<Element, Config, From, Product.vk>(source + (j + c * width) * From + k,
                                                               v + k * Product.vk + j + c * width);
    }

    template <block_shape Block>
    ASHLAR_STAGE_INLINE void run(product_accumulators<Element, Config, Product, Block>& acc, const Element* s,
                                 const Element* v_at, std::size_t j, auto& epilogue) const {
        constexpr std::size_t whole = Block.last_lanes == width ? Block.vectors : Block.vectors - 1;
        transpose_ahead<0, whole>(0, j);
        for (std::size_t k = chunk; k < chunks * chunk;
             k += chunk, s += chunk * Product.sk, v_at += chunk * Product.vk) {
            [&]<std::size_t... Step>(std::index_sequence<Step...>) ASHLAR_STAGE_LAMBDA {
                ((acc.template step<false>(s + Step * Product.sk, v_at + Step * Product.vk, Step % Block.chains),
                  acc.pin(), transpose_ahead<whole * Step / chunk, whole*(Step + 1) / chunk>(k, j), keep_load_order()),
                 ...);
            }(std::make_index_sequence<chunk>{});
        }
        acc.run(s, v_at, Product.k - (chunks - 1) * chunk, epilogue);
    }
};

/// The hooks that it calls.
inline constexpr hook served_by_transposing_rhs =
    hook::vector | hook::column | hook::initial | hook::begin_block | hook::end_block;

/// The whole product if V(k, j) is source[j*From + k]. v is scratch of Product.k rows, Product.vk apart, and holds V
/// afterwards; `scratch` has product_scratch_bytes bytes.
template <class Element, class Config, product_shape Product, std::size_t From, class Epilogue>
ASHLAR_STAGE_INLINE void product_transposing_rhs(const Element* s, Element* v, const Element* source,
                                                 Epilogue& epilogue, Element* scratch) {
    using transposing = transposing_depth<Element, Config, Product, From>;
    constexpr std::size_t width = transposing::width, rest = Product.j % width, columns = Product.j - rest,
                          steps = transposing::chunks * transposing::chunk;
    constexpr std::size_t first = Product.cut.transposing_rows;
    if constexpr (fits_kernel<Epilogue, lanes<Element, width, Config>, served_by_transposing_rhs, Config::checks>()) {
        if constexpr (rest != 0)
            transpose_tile<Element, Config, transpose_shape{rest, Product.k, From, Product.vk}>(source + columns * From,
                                                                                                v + columns);
        if constexpr (steps != Product.k)
            transpose_tile<Element, Config, transpose_shape{columns, Product.k - steps, From, Product.vk}>(
                source + steps, v + steps * Product.vk);
        constexpr product_shape others = after_transposing_rows(Product);
        using walk = product_walk<Element, Config, others, constant_depth<0, Product.k>, Epilogue>;
        const typename walk::packed packed(v, scratch);

        // An odd vector comes first, so that a vector of few columns is never alone.
        constexpr std::size_t vectors = columns / width + (rest != 0 && !walk::packs), odd = vectors % 2;
        const transposing depth{{}, source, v};
        const auto block = [&]<std::size_t Vectors, std::size_t Last>(std::size_t j) ASHLAR_STAGE_LAMBDA {
            constexpr std::size_t chains =
                Vectors == 1 ? Product.cut.split_chains.transposing : Product.cut.transposing_chains;
            product_block<Element, Config, Product, block_shape{first, Vectors, chains, Last}>(s, v, depth, epilogue, 0,
                                                                                               j);
        };
        constexpr bool partial = rest != 0 && !walk::packs;
        if constexpr (odd != 0) block.template operator()<1, width>(0);
        for (std::size_t c = odd; c + 2 * partial < vectors; c += 2) block.template operator()<2, width>(c * width);
        if constexpr (partial) block.template operator()<2, rest>((vectors - 2) * width);
        if constexpr (walk::packs)
            packed_block<Element, Config, others, first, Product.cut.packed_chains.transposing>(s, packed, epilogue, 0);

        if constexpr (first != Product.i)
            walk::each_column_block([&](auto wide, auto last, std::size_t j) ASHLAR_STAGE_LAMBDA {
                walk::each_row_block(0, walk::plan.rows.blocks, [&](auto rows, std::size_t i) ASHLAR_STAGE_LAMBDA {
                    if constexpr (wide == 0)
                        packed_block<Element, Config, others, rows, walk::template packed_chains<rows>>(
                            s, packed, epilogue, first + i);
                    else
                        product_block<Element, Config, others, block_shape{rows, wide, walk::plan.chains, last}>(
                            s, v, constant_depth<0, Product.k>{}, epilogue, first + i, j);
                });
            });
    }
}

}  // namespace ashlar::detail
