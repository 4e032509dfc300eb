// SPDX-License-Identifier: BSL-1.0
// The product kernel: C[i][j..j+W) = epilogue(sum over k of S(i,k) * V(k, j..j+W)), one axis scalar, one in lanes.
//
// Dispatch, decided by the types and, for 1, 2, 5, 6 and 7, by the cut that the product is given (product_cut.hpp):
//   1. columns: near-equal blocks of vectors; the last vector of a ragged j is loaded partially unless Product.padded
//   2. rows:    near-equal blocks of scalars; a block is the unit that `product` can start and stop at
//   3. verdict: epilogues with `begin_block` may skip a block, or have its tile masked; others pay nothing
//   4. depth:   constant (an exact trip count), a run-time range, or a range per block; zeros may exclude
//   5. chains:  blocks of few accumulators split the depth into independent sums to hide latency
//   6. strips:  a right operand of at most W/2 columns without gaps is read several depth steps at a time
//   7. packing: at most W/2 last columns are computed with several depth steps side by side
//   8. halves:  epilogues with `kept_halves` may need a part of a block: halves of registers then hold two depth steps
//               side by side
// The last three are packed_k.hpp.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/packed_k.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// The register blocks of a product. The vectors are all vectors, or only the full ones if the last columns are
/// separate.
template <class Element, class Config, product_shape Product>
inline constexpr register_block product_plan = blocks_of(Product, lane_width<Element, Config>);

/// The order of a product's blocks: loops at run time over at most two block sizes per axis.
template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
struct product_walk {
    static constexpr register_block plan = product_plan<Element, Config, Product>;
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t last_lanes = (Product.j + width - 1) % width + 1;
    static constexpr bool strips = Product.cut.strip_steps != 1, packs = Product.cut.packs;
    static_assert(!packs ||
                  (std::is_same_v<Depth, constant_depth<0, Product.k>> && !has_hook<Epilogue, hook::interleave>));
    using packed = std::conditional_t<packs, packed_columns<Element, Config, Product>, no_packed_columns>;

    template <std::size_t Value>
    using constant = std::integral_constant<std::size_t, Value>;

    /// Calls f(rows of the block, its first row) for the row blocks [first_block, last_block).
    template <class Function>
    ASHLAR_STAGE_INLINE static void each_row_block(std::size_t first_block, std::size_t last_block, Function f) {
        constexpr std::size_t turn = plan.rows.large_blocks;
        std::size_t b = first_block;
        if constexpr (turn != 0)
            for (; b < last_block && b < turn; ++b) f(constant<plan.rows.large>{}, b * plan.rows.large);
        if constexpr (turn != plan.rows.blocks)
            for (; b < last_block; ++b) f(constant<plan.rows.large - 1>{}, plan.rows.first(b));
    }

    /// Calls f(vectors of the block, valid lanes of the last one, first column) for all column blocks. Packed columns
    /// are a block of no vectors, or of one if they cannot be packed.
    template <class Function>
    ASHLAR_STAGE_INLINE static void each_column_block(Function f) {
        constexpr axis_split across = plan.vectors;
        constexpr bool apart = Product.cut.last_steps != 1;
        constexpr std::size_t whole = across.blocks - (last_lanes != width && !apart);
        constexpr std::size_t turn = across.large_blocks < whole ? across.large_blocks : whole;
        std::size_t b = 0;
        if constexpr (turn != 0)
            for (; b < turn; ++b) f(constant<across.large>{}, constant<width>{}, b * across.large * width);
        if constexpr (turn != whole)
            for (; b < whole; ++b) f(constant<across.large - 1>{}, constant<width>{}, across.first(b) * width);
        if constexpr (apart)
            f(constant<!packs>{}, constant<last_lanes>{}, Product.j - last_lanes);
        else if constexpr (whole != across.blocks)
            f(constant<across.size(whole)>{}, constant<last_lanes>{}, across.first(whole) * width);
    }

    template <std::size_t Rows>
    static constexpr std::size_t packed_chains = Product.cut.packed_chains.of(Rows, plan.rows.large);
};

/// The hooks that a product calls. For an epilogue with `kept_halves` it computes halves of registers if the product
/// has them, never single vectors, and does not interleave.
template <class Element, class Config, product_shape Product, bool Halves>
inline constexpr hook served_by_product = [] {
    const hook all =
        hook::vector | hook::column | hook::initial | hook::begin_block | hook::end_block | hook::begin_columns;
    const hook blocks = Halves ? has_half_registers<Element, Config, Product> ? hook::kept_halves : hook::none
                               : hook::splits_block | hook::interleave;
    return all | blocks;
}();

/// Bytes of scratch that a product needs.
template <class Element, class Config, product_shape Product>
inline constexpr std::size_t product_scratch_bytes =
    table_bytes_of(Product.cut, Product.k, element_machine_of<Element, Config>);

/// A product over the given depth: the row blocks [first_block, last_block) and all columns.
///
/// `depth` is a constant_depth, a depth_range, a k_range, or a function object of (i0, i1, j0, j1) that returns one of
/// them for that block. It may also have per_row(i0, i1): a depth_range or per_row_k_range of those rows.
///
/// Elements of V may be f16 or bf16 if those of S are float: loads convert them. `epilogue` has the hooks of
/// kernel/product/epilogue.hpp that `served_by_product` lists. `scratch` has product_scratch_bytes bytes for what the
/// kernel packs; the start of a cache line is best. Sums are in order of k (per chain), so results repeat bit for bit
/// for a given shape and architecture.
template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
ASHLAR_STAGE_INLINE void product(const Element* s, const auto* v, Depth depth, Epilogue& epilogue, Element* scratch,
                                 std::size_t first_block = 0, std::size_t last_block = Product.cut.row_blocks) {
    using walk = product_walk<Element, Config, Product, Depth, Epilogue>;
    if constexpr (fits_kernel<Epilogue, lanes<Element, walk::width, Config>,
                              served_by_product<Element, Config, Product, has_hook<Epilogue, hook::kept_halves>>,
                              Config::checks>()) {
        const typename walk::packed packed(v, scratch);
        walk::each_column_block([&](auto vectors, auto last, std::size_t j) ASHLAR_STAGE_LAMBDA {
            if constexpr (has_hook<Epilogue, hook::begin_columns>)
                epilogue.begin_columns(vectors == 0 ? Product.j : j + vectors * walk::width);
            walk::each_row_block(first_block, last_block, [&](auto rows, std::size_t i) ASHLAR_STAGE_LAMBDA {
                constexpr std::size_t packed_chains = walk::template packed_chains<rows>, width = walk::width,
                                      columns = (vectors - 1) * width + last;
                if constexpr (has_hook<Epilogue, hook::kept_halves>) {
                    if constexpr (vectors != 0)
                        if (does_half_registers<Element, Config, Product, rows, columns>(s, v, epilogue, i, j)) return;
                } else if constexpr (has_hook<Epilogue, hook::splits_block>) {
                    if constexpr (vectors > 1)
                        if (epilogue.splits_block(i, i + rows, j, j + columns)) {
                            constexpr std::size_t chains = Product.cut.split_chains.of(rows, walk::plan.rows.large);
                            static_assert(chains != 0);
                            for (std::size_t c = 0; c + 1 < vectors; ++c)
                                product_block<Element, Config, Product, block_shape{rows, 1, chains, width}>(
                                    s, v, depth, epilogue, i, j + c * width);
                            product_block<Element, Config, Product, block_shape{rows, 1, chains, last}>(
                                s, v, depth, epilogue, i, j + (vectors - 1) * width);
                            return;
                        }
                }
                if constexpr (walk::strips && requires { depth(i, i, j, j); })
                    strip_block<Element, Config, Product, rows, packed_chains>(s, v, depth(i, i + rows, 0, Product.j),
                                                                               epilogue, i);
                else if constexpr (walk::strips)
                    strip_block<Element, Config, Product, rows, packed_chains>(s, v, depth, epilogue, i);
                else if constexpr (vectors == 0)
                    packed_block<Element, Config, Product, rows, packed_chains>(s, packed, epilogue, i);
                else
                    product_block<Element, Config, Product, block_shape{rows, vectors, walk::plan.chains, last}>(
                        s, v, depth, epilogue, i, j);
            });
        });
    }
}

/// The simplest epilogue: stores C row-major, rows `Stride` apart. With Accumulate it adds to the memory.
template <class Element, class Config, std::size_t Stride, bool Accumulate = false>
struct store_product {
    static constexpr hook hooks = Accumulate ? hook::vector | hook::initial : hook::vector;
    static constexpr hook withheld = Accumulate ? hook::none : hook::initial;
    Element* c;

    template <class Lanes, std::size_t Count, class Verdict>
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, Lanes acc, lane_count<Count>, Verdict) const {
        acc.template store_partial<Count>(c + i * Stride + j);
    }

    template <std::size_t Count>
        requires Accumulate
    ASHLAR_STAGE_INLINE auto initial(std::size_t i, std::size_t j, lane_count<Count>) const {
        return lanes<Element, lane_width<Element, Config>, Config>::template load_partial<Count>(c + i * Stride + j);
    }
};

}  // namespace ashlar::detail
