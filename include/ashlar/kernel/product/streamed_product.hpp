// SPDX-License-Identifier: BSL-1.0
// Row-major right operands larger than L2: prefetches columns, and cuts a deep product into parts.
//
// In every row the columns of a register block are on another page, which hardware prefetchers do not follow. So the
// kernel prefetches the next columns in small portions between the multiply-adds. Deep columns would not stay in L2
// until the next row block reads them: the product is summed in parts of the depth, and between parts the sums wait in
// the result.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/depth_part.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>

namespace ashlar::inline v0_1::detail {

/// How the columns of a product's right operand are read.
template <class Element, class Stored, class Config, product_shape Product>
struct column_stream {
    static constexpr register_block plan = product_plan<Element, Config, Product>;
    /// In whole cache lines.
    static constexpr std::size_t block_bytes =
        (plan.vectors.large * lane_width<Element, Config> * sizeof(Stored) + cache_line_bytes - 1) / cache_line_bytes *
        cache_line_bytes;
    static constexpr std::size_t row_bytes = Product.vk * sizeof(Stored);

    using block = prefetch_block<block_bytes / cache_line_bytes, row_bytes>;
};

/// Prefetches the columns after the current ones, in the part of the right operand from `right`.
template <class Inner, class Stored, class Stream>
struct streamed_columns : forwarding_epilogue<Inner> {
    static constexpr hook hooks = Inner::hooks | hook::interleave | hook::begin_columns;
    using forwarding_epilogue<Inner>::inner;
    const Stored* right;      ///< the right operand's first row of the part
    std::size_t columns;      ///< of the right operand
    std::size_t steps;        ///< of the part
    const Stored* following;  ///< the first row of the next part, or null
    typename Stream::block ahead{};

    ASHLAR_STAGE_INLINE void begin_columns(std::size_t next) {
        if (next < columns)
            ahead = {reinterpret_cast<const char*>(right + next), steps};
        else if (following != nullptr)
            ahead = {reinterpret_cast<const char*>(following), steps};
        if constexpr (has_hook<Inner, hook::begin_columns>) inner.begin_columns(next);
    }
    ASHLAR_STAGE_INLINE void interleave() {
        ahead.template advance<lines_at_once(Stream::block_bytes, Stream::plan.rows.blocks)>();
    }
};

/// The kernel that streams columns, which `product_in_parts` describes. The epilogue stores waiting sums at at(i, j).
struct streamed_rows {
    static constexpr const char* text(bool) { return "the next columns prefetched"; }
    static constexpr std::size_t table_bytes(const product_shape&, std::size_t, const element_machine&) { return 0; }
    template <class Element, class Config, product_shape Product, std::size_t Parts, bool Prefetches, class Stored,
              class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const Element* s, const Stored* v, Epilogue& epilogue, Element*,
                                        std::size_t last_block = Product.cut.row_blocks) {
        using stream = column_stream<Element, Stored, Config, Product>;
        each_depth_part<Product.k, Parts>(
            epilogue, [&](auto& part, std::size_t k, auto steps, bool last) ASHLAR_STAGE_LAMBDA {
                const Stored* const right = v + k * Product.vk;
                streamed_columns<std::remove_reference_t<decltype(part)>, Stored, stream> streamed{
                    {part}, right, Product.j, steps.last, last ? nullptr : right + steps.last * Product.vk};
                product<Element, Config, Product>(s + k * Product.sk, right, steps, streamed, nullptr, 0, last_block);
            });
    }
};

}  // namespace ashlar::detail
