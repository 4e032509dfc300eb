// SPDX-License-Identifier: BSL-1.0
// A right operand whose rows are so far apart that they compete for the same places in the caches: the columns of each
// register block are copied into scratch beside the multiply-adds of the first rows.
//
// Rows some power of two apart fall into few sets of the L1 and the L2, and the columns of a block are gone before the
// next row block wants them. The first row block reads them where they lie, asking for some rows ahead, and leaves a
// copy without gaps; all others read that, of a part of the depth that the L1 holds. Between parts the sums wait in the
// result.
//
// Columns that come from behind the L2 are asked for beside the multiply-adds of those other row blocks as well: the
// first one takes a line every six cycles, and of lines that take 200 and more a core awaits too few at a time for
// that.
#pragma once

#include <cstddef>

#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/depth_part.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows of the right operand that are asked for ahead of the one that is copied: at two multiply-adds a cycle a step
/// of 6 x 2 accumulators takes 6 cycles, and the L3 some 50 ns.
inline constexpr std::size_t copied_rows_ahead = 32;

/// The depth of a register block that copies its vectors of the right operand on the way.
template <class Element, class Config>
struct copying_depth : depth_range {
    Element* copy;

    template <product_shape Product, block_shape Block>
    ASHLAR_STAGE_INLINE void run(product_accumulators<Element, Config, Product, Block>& acc, const Element* s,
                                 const Element* v, std::size_t) const {
        constexpr std::size_t width = lane_width<Element, Config>, columns = Block.vectors * width;
        using vec = lanes<Element, width, Config>;
        Element* to = copy;
        for (std::size_t k = first; k < last; ++k, s += Product.sk, v += Product.vk, to += columns) {
            const auto* const ahead = reinterpret_cast<const char*>(v + copied_rows_ahead * Product.vk);
            ASHLAR_UNROLL
            for (std::size_t byte = 0; byte < columns * sizeof(Element); byte += cache_line_bytes)
                prefetch_to_l2(ahead + byte);
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < columns; c += width) vec::load(v + c).store(to + c);
            acc.template step<false>(s, v, 0);
        }
    }
};

/// The product of the columns of one register block, which lie without gaps.
constexpr product_shape copied_block(product_shape p, std::size_t columns) {
    p.j = p.vk = columns;
    p.cut.vector_blocks = 1;
    return p;
}

/// Asks for the columns after those of the current block.
template <class Inner, class Element, product_shape Product, std::size_t Columns>
using prefetching_columns =
    prefetching_epilogue<Inner, Columns * sizeof(Element),
                         (Product.cut.row_blocks > 1 ? Product.cut.row_blocks - 1 : 1),
                         prefetch_block<(Columns * sizeof(Element) + cache_line_bytes - 1) / cache_line_bytes,
                                        Product.vk * sizeof(Element), false>>;

/// The hooks that it calls.
inline constexpr hook served_by_copying_rhs = hook::vector | hook::column | hook::initial | hook::end_block;

/// The product over the whole depth, in so many parts of it, whose columns fill vectors, of the row blocks below
/// `last_block`, which is not 0. `scratch` is memory of copied_columns_bytes bytes, best at the start of a cache line.
/// In several parts the epilogue has a place for sums that wait, at(i, j). `Prefetches` tells whether the next columns
/// are asked for.
template <class Element, class Config, product_shape Product, std::size_t Parts, bool Prefetches, class Epilogue>
ASHLAR_STAGE_INLINE void product_copying_rhs(const Element* s, const Element* v, Epilogue& epilogue, Element* scratch,
                                             std::size_t last_block = Product.cut.row_blocks) {
    using walk = product_walk<Element, Config, Product, constant_depth<0, Product.k>, Epilogue>;
    constexpr std::size_t width = walk::width;
    static_assert(Product.j % width == 0 && Product.vw == 0);
    if constexpr (fits_kernel<Epilogue, lanes<Element, width, Config>, served_by_copying_rhs, Config::checks>())
        each_depth_part<Product.k, Parts>(
            epilogue, [&](auto& part, std::size_t k, auto steps, bool) ASHLAR_STAGE_LAMBDA {
                const Element* const left = s + k * Product.sk;
                const Element* const right = v + k * Product.vk;
                const Element* const following = k + steps.last < Product.k ? right + steps.last * Product.vk : nullptr;
                walk::each_column_block([&](auto vectors, auto last, std::size_t column) ASHLAR_STAGE_LAMBDA {
                    constexpr std::size_t columns = vectors * width;
                    constexpr product_shape copied = copied_block(Product, columns);
                    using inner = std::remove_reference_t<decltype(part)>;
                    panel_epilogue<inner> shifted{part, {column}};
                    product_block<Element, Config, Product, block_shape{walk::plan.rows.large, vectors, 1, last}>(
                        left, right + column, copying_depth<Element, Config>{{0, steps.last}, scratch}, shifted, 0, 0);
                    if constexpr (Prefetches) {
                        prefetching_columns<inner, Element, Product, columns> asking{shifted, {}};
                        const Element* const next = column + columns < Product.j ? right + column + columns : following;
                        if (next != nullptr) asking.ahead = {reinterpret_cast<const char*>(next), steps.last};
                        product<Element, Config, copied>(left, scratch, steps, asking, nullptr, 1, last_block);
                    } else {
                        product<Element, Config, copied>(left, scratch, steps, shifted, nullptr, 1, last_block);
                    }
                });
            });
}

}  // namespace ashlar::detail
