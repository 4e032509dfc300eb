// SPDX-License-Identifier: BSL-1.0
// A softmax and the product of its numerators in one pass: the exponentials of some rows are computed beside the
// multiply-adds of the rows before them.
#pragma once

#include <ashlar/eval/stages/product_stage.hpp>
#include <ashlar/eval/stages/softmax_stage.hpp>

namespace ashlar::detail {

template <class Plan, class Element, stage_index Softmax, stage_index Product, std::size_t Rows>
struct softmax_into_product {
    using numerators = softmax_stage<Plan, Element, Softmax, Rows>;
    using weighing = product_stage<Plan, Element, Product, Rows>;
    static constexpr std::size_t width = numerators::width;
    static constexpr std::size_t registers = Rows / width;

    const frame<Plan, Element>& f;

    /// Its register blocks: a whole number of them for each register of rows.
    static constexpr product_shape shape{.i = Rows,
                                         .j = weighing::columns,
                                         .k = weighing::depth,
                                         .si = weighing::left_row,
                                         .sk = weighing::left_depth,
                                         .vk = weighing::depth == 1 ? 1 : weighing::right_depth,
                                         .rows_outer = true,
                                         .cut = weighing::how.cut};
    using exponentials = numerators_of_rows<numerators, width>;

    static constexpr bool in_blocks = numerators::in_blocks;
    using tile_epilogue =
        std::conditional_t<in_blocks, typename weighing::waiting_epilogue, typename weighing::plain_epilogue>;
    struct working_epilogue : forwarding_epilogue<const tile_epilogue> {
        static constexpr hook hooks = tile_epilogue::hooks | hook::interleave;
        static constexpr std::size_t interleave_period = weighing::how.period;
        static constexpr bool rolls = false;
        exponentials& work;
        ASHLAR_STAGE_INLINE void interleave() { work.step(); }
    };

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        using element = typename weighing::element;
        using config = typename weighing::config;
        constexpr std::size_t blocks = shape.cut.row_blocks / registers;
        static_assert(blocks * registers == shape.cut.row_blocks);
        // The exponentials of a second register of rows are what the product of the first one is computed beside.
        static_assert(registers >= 2);
        const numerators soft{{{f}}};
        const weighing behind{{{f}}};
        const std::size_t first = soft.first_row();
        if constexpr (numerators::hides_keys) soft.hide_keys();
        const auto tile = soft.column_range(first, Rows);
        const typename weighing::reader memory{f};
        const element* a = memory.template address<weighing::left>(behind.in_left(first));
        const auto* b = memory.template address<weighing::right>(behind.in_right());
        const tile_epilogue plain = [&]() ASHLAR_STAGE_LAMBDA {
            if constexpr (in_blocks)
                return behind.epilogue_of_block(first);
            else
                return tile_epilogue{behind, behind.written(), first, behind.row_factors(first)};
        }();
        const auto depth = behind.depth_of(first);
        for (std::size_t n = 0;; ++n) {
            const std::size_t row = first + (n < registers ? n : 0) * width;
            exponentials work(soft, row, soft.column_range_within(row, width, tile), tile);
            if (n == registers) work.stop();
            if (n != 0) {
                working_epilogue epilogue{{plain}, work};
                product<element, config, shape>(a, b, depth, epilogue, nullptr, (n - 1) * blocks, n * blocks);
            }
            if (n == registers) break;
            work.finish();
        }
    }
};

}  // namespace ashlar::detail
