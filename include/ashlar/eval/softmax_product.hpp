// SPDX-License-Identifier: BSL-1.0
// A softmax and the product of its numerators in one pass: the exponentials of some rows are computed beside the
// multiply-adds of the rows before them.
#pragma once

#include <ashlar/eval/product_stage.hpp>
#include <ashlar/eval/row_stage.hpp>

namespace ashlar::detail {

/// The stage that multiplies by the numerators of softmax stage `Stage`, if it is the next thing to do; no_axis if not.
template <class P>
consteval std::size_t product_behind(std::size_t item) {
    const auto& here = P::code.items[item];
    if (here.is_loop) return no_axis;
    const auto& soft = P::code.stages[static_cast<std::size_t>(here.index)];
    if (soft.kind != stage_kind::softmax || soft.lanes != lane_axis::rows || soft.row_axis == no_axis || soft.maxima == -1) return no_axis;
    for (std::size_t i = item + 1; i < P::code.item_count; ++i) {
        const auto& next = P::code.items[i];
        if (next.parent != here.parent) continue;
        if (next.is_loop) return no_axis;
        const auto& product = P::code.stages[static_cast<std::size_t>(next.index)];
        const bool fits = product.kind == stage_kind::product && product.lanes == lane_axis::columns && product.left_factor == soft.core &&
                          product.maxima == -1 && product.row_axis != no_axis && product.bindings[product.row_axis] == soft.bindings[soft.row_axis];
        return fits ? static_cast<std::size_t>(next.index) : no_axis;
    }
    return no_axis;
}

template <class P, class T, std::size_t Softmax, std::size_t Product, std::size_t Rows>
struct softmax_product {
    using numerators = softmax_stage<P, T, Softmax, Rows>;
    using product = product_stage<P, T, Product, Rows>;
    static constexpr std::size_t width = numerators::width;
    static constexpr std::size_t registers = Rows / width;

    /// Whether there are rows to go before and rows to go beside them, in whole registers, room for both in the
    /// register file, and all of it takes long enough to matter.
    static constexpr bool pays = [] {
        if constexpr (Rows % width != 0 || registers < 2 || numerators::config::registers < 32 || width < 4 || numerators::in_groups || product::right_is_packed ||
                      product::masked_top() != no_axis || product::width != width || product::left_row != 1) {
            return false;
        } else {
            return Rows * numerators::columns >= 256;
        }
    }();

    const frame<P, T>& f;

    template <std::size_t Passes>
    struct exponentials : numerators::template numerators_of_rows<width> {
        /// As many steps as there are columns, spread over the passes of a register of rows over all depth.
        static constexpr std::size_t period = product::has_range && Passes > 1 ? Passes / 2 : Passes;
        using numerators::template numerators_of_rows<width>::numerators_of_rows;
    };

    ASHLAR_ALWAYS_INLINE void run() const {
        const numerators soft{{{f}}};
        const std::size_t first = soft.first_row();
        const auto tile = soft.column_range(first, Rows);
        const auto own = [&](std::size_t r) ASHLAR_LAMBDA_INLINE { return soft.column_range_within(first + r * width, width, tile); };
        product{f}.template run_beside<width>([&](auto passes, auto multiply) ASHLAR_LAMBDA_INLINE {
            for (std::size_t n = 0;; ++n) {
                const std::size_t r = n < registers ? n : 0;
                exponentials<passes> work(soft, first + r * width, own(r), tile);
                if (n == registers) work.stop();
                if (n != 0) multiply(n - 1, work);
                if (n == registers) break;
                work.finish();
            }
        });
    }
};

}  // namespace ashlar::detail
