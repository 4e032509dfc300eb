// SPDX-License-Identifier: BSL-1.0
// Copies the columns of each register block of the right operand into scratch while the first rows are computed. For
// right operands whose rows compete for the same cache sets.
//
// Rows some power of two apart map to few sets of L1 and L2, so the columns of a block are evicted before the next row
// block reads them. The first row block reads them in place, prefetches some rows ahead, and leaves a dense copy. All
// other row blocks read the copy, of a part of the depth that fits L1. Between parts the sums wait in the result.
//
// If the columns come from beyond L2, the other row blocks prefetch the next columns too. The first row block takes a
// cache line every six cycles. Lines that take 200 cycles and more exceed what a core keeps in flight at that rate.
#pragma once

#include <cstddef>

#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/depth_part.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows of the right operand between the one that is copied and the one that is prefetched. At two multiply-adds a
/// cycle, a step of 6 x 2 accumulators takes 6 cycles, and L3 takes some 50 ns.
inline constexpr std::size_t copied_rows_prefetch_distance = 32;

/// The depth of a register block that copies its vectors of the right operand.
template <class Element, class Config>
struct copying_depth : depth_range {
    Element* copy;

    template <product_shape Product, block_shape Block>
    ASHLAR_STAGE_INLINE void run(product_accumulators<Element, Config, Product, Block>& acc, const Element* s,
                                 const Element* v, std::size_t, auto&) const {
        constexpr std::size_t width = lane_width<Element, Config>, columns = Block.vectors * width;
        using vec = lanes<Element, width, Config>;
        Element* to = copy;
        for (std::size_t k = first; k < last; ++k, s += Product.sk, v += Product.vk, to += columns) {
            const auto* const ahead = reinterpret_cast<const char*>(v + copied_rows_prefetch_distance * Product.vk);
            ASHLAR_UNROLL
            for (std::size_t byte = 0; byte < columns * sizeof(Element); byte += cache_line_bytes)
                prefetch_to_l2(ahead + byte);
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < columns; c += width) vec::load(v + c).store(to + c);
            acc.template step<false>(s, v, 0);
        }
    }
};

/// The product with the dense columns of one register block.
constexpr product_shape copied_block(product_shape p, std::size_t columns) {
    p.j = p.vk = columns;
    p.cut.vector_blocks = 1;
    return p;
}

/// Prefetches the columns after those of the current block.
template <class Inner, class Element, product_shape Product, std::size_t Columns>
using prefetching_columns =
    prefetching_epilogue<Inner, Columns * sizeof(Element),
                         (Product.cut.row_blocks > 1 ? Product.cut.row_blocks - 1 : 1),
                         prefetch_block<(Columns * sizeof(Element) + cache_line_bytes - 1) / cache_line_bytes,
                                        Product.vk * sizeof(Element), false>>;

/// The hooks that it calls.
inline constexpr hook served_by_copying_rhs = hook::vector | hook::column | hook::initial | hook::end_block;

/// The kernel that copies columns, which `product_in_parts` describes. They fill vectors. With several parts the
/// epilogue stores waiting sums at at(i, j). `Prefetches`: the next columns are prefetched.
struct copied_rows {
    static constexpr const char* text(bool prefetches) {
        return prefetches ? "columns copied by the first rows, prefetched" : "columns copied by the first rows";
    }
    /// Of the columns of a register block, one part of the depth at a time.
    static constexpr std::size_t table_bytes(const product_shape& p, std::size_t parts, const element_machine& on) {
        return split_near_equal(p.k, parts).large * blocks_of(p, on.lanes()).vectors.large * on.lanes() * on.bytes;
    }
    /// `last_block` is not 0. The start of a cache line is best for `scratch`.
    template <class Element, class Config, product_shape Product, std::size_t Parts, bool Prefetches, class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const Element* s, const Element* v, Epilogue& epilogue, Element* scratch,
                                        std::size_t last_block = Product.cut.row_blocks) {
        using walk = product_walk<Element, Config, Product, constant_depth<0, Product.k>, Epilogue>;
        constexpr std::size_t width = walk::width;
        static_assert(Product.j % width == 0 && Product.vw == 0);
        if constexpr (fits_kernel<Epilogue, lanes<Element, width, Config>, served_by_copying_rhs, Config::checks>())
            each_depth_part<Product.k, Parts>(epilogue, [&](auto& part, std::size_t k, auto steps,
                                                            bool) ASHLAR_STAGE_LAMBDA {
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
};

}  // namespace ashlar::detail
