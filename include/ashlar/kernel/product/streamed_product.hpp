// SPDX-License-Identifier: BSL-1.0
// Right operands that lie row by row behind the L2: asking for columns ahead, and cutting a deep product.
//
// The columns of a register block lie on another page in every row, which hardware does not follow: those after the
// current ones are asked for in small portions between the multiply-adds. Deep columns would not stay in the L2 until
// the next row block wants them: their product is summed up in parts of the depth, and between those the sums wait in
// the result.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

namespace ashlar::detail {

/// How the columns of a product's right operand are read.
template <class Element, class Config, product_shape Product, std::size_t Parts>
struct column_stream {
    static constexpr register_block plan = product_plan<Element, Config, Product>;
    static constexpr std::size_t block_bytes = plan.vectors.large * lane_width<Element, Config> * sizeof(Element);
    static constexpr std::size_t row_bytes = Product.vk * sizeof(Element);

    static constexpr axis_split depth = split_near_equal(Product.k, Parts);
    static_assert(block_bytes % cache_line_bytes == 0);

    using block = prefetch_block<block_bytes / cache_line_bytes, row_bytes>;
};

/// The epilogue of one part of the depth. Sums start from what the parts before left in the result.
template <class Inner, class Element, class Stream>
struct streamed_columns : forwarding_epilogue<Inner> {
    /// Whether sums are carried from part to part, as single vectors.
    static constexpr bool in_parts = Stream::depth.blocks > 1;
    static_assert(!in_parts || (Inner::hooks & (hook::column | hook::initial)) == hook::none);
    static constexpr hook hooks =
        Inner::hooks | hook::interleave | hook::begin_columns | (in_parts ? hook::initial : hook::none);
    static constexpr bool rolls = true;
    using forwarding_epilogue<Inner>::inner;
    const Element* right;      ///< the right operand's first row of the part
    std::size_t columns;       ///< of the right operand
    std::size_t steps;         ///< of the part
    const Element* following;  ///< the first row of the next part, or null
    bool first, last;
    typename Stream::block ahead{};

    ASHLAR_STAGE_INLINE void begin_columns(std::size_t next) {
        if (next < columns)
            ahead = {reinterpret_cast<const char*>(right + next), steps};
        else if (following != nullptr)
            ahead = {reinterpret_cast<const char*>(following), steps};
        if constexpr (has_hook<Inner, hook::begin_columns>) inner.begin_columns(next);
    }
    ASHLAR_STAGE_INLINE void interleave() {
        ahead.template advance<lines_at_once(interleave_period_of<Inner>, Stream::block_bytes,
                                             Stream::plan.rows.blocks)>();
        if constexpr (has_hook<Inner, hook::interleave>) inner.interleave();
    }
    ASHLAR_STAGE_INLINE void end_block(std::size_t i, std::size_t rows, std::size_t j, std::size_t vectors) const
        requires(has_hook<Inner, hook::end_block>)
    {
        if (last) inner.end_block(i, rows, j, vectors);
    }

    template <std::size_t Width>
        requires in_parts
    ASHLAR_STAGE_INLINE auto initial(std::size_t i, std::size_t j, lane_count<Width>) const {
        using vec = typename Inner::vec;
        return first ? vec(Element(0)) : vec::template load_partial<Width>(inner.at(i, j));
    }
    template <std::size_t Width, class Verdict>
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, auto acc, lane_count<Width> count,
                                    Verdict verdict) const {
        if constexpr (in_parts)
            if (!last) {
                acc.template store_partial<Width>(inner.at(i, j));
                return;
            }
        inner.vector(i, j, acc, count, verdict);
    }
};

/// The product over the whole depth, in so many parts of it. The epilogue has a place for sums that wait, at(i, j).
template <class Element, class Config, product_shape Product, std::size_t Parts, class Epilogue>
ASHLAR_STAGE_INLINE void product_streamed(const Element* s, const Element* v, Epilogue& epilogue) {
    using stream = column_stream<Element, Config, Product, Parts>;
    if constexpr (stream::depth.blocks == 1) {
        streamed_columns<Epilogue, Element, stream> part{{epilogue}, v, Product.j, Product.k, nullptr, true, true};
        product<Element, Config, Product>(s, v, constant_depth<0, Product.k>{}, part, nullptr);
    } else {
        for (std::size_t p = 0; p < stream::depth.blocks; ++p) {
            const std::size_t k = stream::depth.first(p), steps = stream::depth.size(p);
            const bool last = p + 1 == stream::depth.blocks;
            streamed_columns<Epilogue, Element, stream> part{
                {epilogue}, v + k * Product.vk, Product.j, steps, last ? nullptr : v + (k + steps) * Product.vk, p == 0,
                last};
            product<Element, Config, Product>(s, v, depth_range{k, k + steps}, part, nullptr);
        }
    }
}

}  // namespace ashlar::detail
