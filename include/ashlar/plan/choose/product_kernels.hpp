// SPDX-License-Identifier: BSL-1.0
// The kernels of products, and when each serves.
//
// `product_kernels` lists descriptors. The plan, its scratch, `explain` and the stage ask nothing else:
//   serves(query, how)             whether it runs the product; then it decides what else it needs in `how`
//   cut(query, how)                its register blocks
//   table_bytes, table_text        scratch, and what `explain` says about it
//   has_text, put_text             what else `explain` says
//   run(stage, epilogue, first)    computes the rows of a tile from row `first`
// `plain_product` has all but the first and the last of them. `stage`, a product_stage, offers addresses of operands,
// scratch and the blocks that are needed; everything about the product is in its constants. Sums are in the order of
// `product`.
#pragma once

#include <numeric>
#include <tuple>
#include <type_traits>

#include <ashlar/kernel/product/copying_rhs.hpp>
#include <ashlar/kernel/product/int4_product.hpp>
#include <ashlar/kernel/product/packed_k.hpp>
#include <ashlar/kernel/product/product_dot.hpp>
#include <ashlar/kernel/product/quantized_product.hpp>
#include <ashlar/kernel/product/streamed_product.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>
#include <ashlar/plan/choose/panel_product.hpp>

namespace ashlar::inline v0_1::detail {

/// Packed weights in 8 bits: rows of the left operand are rounded into scratch first.
struct quantized_weights : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        if (q.product.right_is_quantized) how.form = product_form::integers;
        return q.product.right_is_quantized;
    }
    static constexpr void cut(const product_query& q, product_strategy& how) {
        how.cut = choose_quantized_cut(q.rows, shape_of_quantized(q.product, q.rows).right, q.c.target);
    }
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy&) {
        return rounded_rows_bytes(q.rows, q.product.depth, q.c.target);
    }
    static constexpr const char* table_text(const product_facts& product, const product_strategy&) {
        return product.right_spread > 1 ? " = the left rows, outliers spread, in 8 bits, and their scales"
                                        : " = the left rows in 8 bits, and their scales";
    }
    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr quantized_shape shape = shape_of_quantized(Stage::facts, Stage::tile_rows, Stage::how.cut);
        const auto& b = s.weights();
        quantized_product<Config, shape>(
            s.pieces_at(first), {b.data(), b.column_scales(), b.column_sums()}, epilogue,
            s.template table<rounded_rows_bytes(Stage::tile_rows, Stage::depth, machine_of<Config>)>(),
            s.requested_rows_of_tile());
    }
};

/// The same in int4.
struct int4_weights : quantized_weights {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        return q.product.right_is_int4 && quantized_weights::serves(q, how);
    }
    static constexpr void cut(const product_query& q, product_strategy& how) {
        how.cut = choose_int4_cut(q.rows, shape_of_int4(q.product, q.rows).right, q.c.target);
    }
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy&) {
        return int4_rows_bytes(q.rows, q.product.depth);
    }
    static constexpr const char* table_text(const product_facts&, const product_strategy&) {
        return " = the left rows in 8 bits, and a scale for every 32 entries";
    }
    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr int4_shape shape = shape_of_int4(Stage::facts, Stage::tile_rows, Stage::how.cut);
        int4_product<Config, shape>(s.left_at(first), s.weights().data(), epilogue,
                                    s.template table<int4_rows_bytes(Stage::tile_rows, Stage::depth)>(),
                                    s.requested_blocks(shape.cut));
    }
};

/// A right operand in memory, in blocks of columns that lie apart.
struct column_blocks : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy&) { return q.s.column_block != 0; }
    static constexpr void cut(const product_query& q, product_strategy& how) {
        how.cut = q.cut_of_columns(q.s.column_block, static_cast<std::size_t>(q.product.right_depth), how);
    }
    template <class Element, class Config, class Stage, class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, Epilogue& epilogue, std::size_t first) {
        constexpr std::size_t block = Stage::stage.column_block;
        constexpr product_shape shape =
            shape_of_columns(Stage::facts, Stage::tile_rows, block, Stage::right_depth, 1, Stage::how.cut);
        const Element* const a = s.left_at(first);
        for (std::size_t column = 0; column < Stage::columns; column += block) {
            panel_epilogue<Epilogue> shifted{epilogue, {column}};
            s.template multiply<shape>(a, s.right_at(column), shifted, first);
        }
    }
};

/// A right operand that lies transposed, and is copied between the multiply-adds.
struct transposing_product : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy&) { return q.s.transposed_copy != no_stage; }
    static constexpr void cut(const product_query& q, product_strategy& how) {
        how.cut = choose_transposing_cut(cut_of_columns(q.product, q.rows, {}), q.on);
    }
    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr product_shape shape = cut_of_columns(Stage::facts, Stage::tile_rows, Stage::how.cut);
        product_transposing_rhs<Element, Config, shape, Stage::copy::source_distance()>(
            s.left_at(first), const_cast<Element*>(s.right_at()), typename Stage::copy{{s.f}}.source(), epilogue,
            s.template table<product_scratch_bytes<Element, Config, after_transposing_rows(shape)>>());
    }
};

/// Few rows in lanes, and several depth steps of each of them side by side.
struct few_rows : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        const plan_stage& s = q.s;
        if (!packs_k(q.product, s.lanes, q.rows)) return false;
        how.form = product_form::packed_k;
        how.packed = choose_packed_k({q.rows, q.product.columns, q.product.depth, 0, 0}, q.on);
        how.writes_groups = s.left_factor == no_node && s.buffer != no_buffer && q.c.same_elements(s.top, s.core) &&
                            q.product.uniform && q.c.written_stride(s, s.row_axis) == 1 &&
                            q.c.written_stride(s, s.column_axis) == static_cast<std::ptrdiff_t>(packed_k_line(q.rows));
        return true;
    }
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy& how) {
        return packed_k_table_bytes({q.rows, q.product.columns, q.product.depth, 0, 0, how.packed}, q.on);
    }
    static constexpr bool has_text = true;
    static constexpr void put_text(auto& out, const product_facts& product, const product_strategy& how) {
        if (how.packed.steps > 1) {
            out.put(std::size_t{how.packed.steps}, " steps of the depth side by side, ");
        }
        out.put("few rows by ",
                product.columns < how.packed.together ? product.columns : std::size_t{how.packed.together}, " columns");
    }
    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr packed_k_shape shape{Stage::tile_rows, Stage::columns,      Stage::depth,
                                       Stage::left_row,  Stage::right_column, Stage::how.packed};
        product_packed_k<Element, Config, shape>(s.right_at(), s.left_at(first), epilogue,
                                                 s.template table<packed_k_scratch_bytes<Element, Config, shape>>());
    }
};

/// Depth in lanes: one row at a time against rows of the right operand.
struct dot_product : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        if (q.s.lanes == lane_axis::depth) how.form = product_form::dots;
        return q.s.lanes == lane_axis::depth;
    }
    template <class Element, class Config, class Stage, class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, Epilogue& epilogue, std::size_t first) {
        constexpr dot_shape shape{Stage::columns, Stage::depth, Stage::right_column};
        const auto* const a = s.left_at(first);
        const auto* const b = s.right_at();
        for (std::size_t r = 0; r < s.requested_rows_of_tile(); ++r) {
            row_epilogue<Epilogue> row{{epilogue, {r}}};
            dot_rows<Element, Config, shape>(a + r * Stage::left_row, b, row);
        }
    }

private:
    /// Dot products belong to one row, and get no verdict.
    struct row_place {
        std::size_t r;
        ASHLAR_STAGE_INLINE std::size_t row(std::size_t) const { return r; }
        ASHLAR_STAGE_INLINE static std::size_t column(std::size_t j) { return j; }
    };
    template <class Epilogue>
    struct row_epilogue : forwarding_epilogue<Epilogue, row_place> {
        static constexpr hook hooks = Epilogue::hooks - hook::begin_block, withheld = hook::begin_block;
    };
};

/// Depth steps from which a part of the depth does more than load and store sums.
inline constexpr std::size_t least_part_steps = 32;

/// Near-equal parts of a depth, each of which fits a cache if it can.
constexpr std::size_t fitting_parts(std::size_t depth, std::size_t step_bytes, std::size_t cache_bytes) {
    const std::size_t fitting = cache_bytes / step_bytes,
                      most = fitting < least_part_steps ? least_part_steps : fitting;
    return split_near_equal(depth, (depth + most - 1) / most).blocks;
}

/// Rows that suffice to hide prefetches of columns of a row-major right operand.
inline constexpr std::size_t least_streaming_rows = 6;

/// Rows from which copies of columns pay. 24 rows by 1,024 x 1,024 gain a sixth (Zen 5 with AVX2), 18 gain nothing, and
/// 12 lose a tenth.
inline constexpr std::size_t least_copying_rows = 24;

/// Distances in bytes of lines in the same cache set: of an L1 that is indexed within a page, and of an L2 with 1,024
/// sets.
inline constexpr std::size_t l1_way_bytes = 4 * 1024, l2_way_bytes = 64 * 1024;

/// Whether these rows compete for cache sets. Either L2 cannot hold a line of each row. Or all rows map to one set of
/// L1, each on another page, which also stops prefetchers. Or L1 cannot hold a line of each row, and they take more
/// than half of L2. 384 rows 4,608 bytes apart times 128 rows reach 97% of the peak instead of 87 (Zen 3). If most rows
/// stay in L2, copies cost what they save.
constexpr bool rows_compete(std::size_t rows, std::size_t distance_bytes, const machine& target) {
    const auto lines = [&](std::size_t cache_bytes, std::size_t way_bytes) {
        const std::size_t apart = std::gcd(distance_bytes, way_bytes);
        return cache_bytes / (apart < cache_line_bytes ? cache_line_bytes : apart);
    };
    return rows > lines(target.l2_bytes, l2_way_bytes) ||
           (distance_bytes % l1_way_bytes == 0 && rows > 2 * target.l1_bytes / l1_way_bytes) ||
           (rows > lines(target.l1_bytes, l1_way_bytes) && rows * distance_bytes > target.l2_bytes / 2);
}

/// A row-major right operand by a kernel that may cut the depth into parts. Kernel is a struct in kernel/product/ with
///   text(prefetches)                      what `explain` says
///   table_bytes(shape, k_parts, machine)  scratch
///   run<Element, Config, shape, k_parts, prefetches>(s, v, epilogue, scratch, last_block)
template <class Kernel>
struct product_in_parts : plain_product {
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy& how) {
        return Kernel::table_bytes(cut_of_columns(q.product, q.rows, how.cut), how.k_parts, q.on);
    }
    static constexpr bool has_text = true;
    static constexpr void put_text(auto& out, const product_facts&, const product_strategy& how) {
        if (how.k_parts > 1) {
            out.put("the depth in ", std::size_t{how.k_parts}, " parts, ");
        }
        out.put(Kernel::text(how.prefetches));
    }
    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr product_strategy how = Stage::how;
        constexpr product_shape shape = cut_of_columns(Stage::facts, Stage::tile_rows, how.cut);
        constexpr std::size_t bytes = Kernel::table_bytes(shape, how.k_parts, element_machine_of<Element, Config>);
        Kernel::template run<Element, Config, shape, how.k_parts, how.prefetches>(
            s.left_at(first), s.right_at(), epilogue, s.template table<bytes>(), s.requested_blocks(how.cut));
    }

protected:
    static constexpr bool serves_in(std::size_t parts, bool prefetches, const product_query& q, product_strategy& how) {
        // Sums may wait only where nothing else reads or writes.
        if (parts != 1 && !q.sums_wait()) return false;
        how.k_parts = static_cast<std::uint16_t>(parts);
        how.prefetches = prefetches;
        return true;
    }
};

/// Copies columns, if rows compete. A copy of a part of the depth takes three quarters of the L1.
struct copying_product : product_in_parts<copied_rows> {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        const product_facts& product = q.product;
        const machine& target = q.c.target;
        // 32 registers make larger blocks, which read less: copies gain nothing.
        if (!q.has_plain_columns() || product.right_is_narrow || q.masked || q.rows < least_copying_rows ||
            target.registers >= 32 || target.small_code || !target.fills_register(q.on.bytes, q.on.floating) ||
            product.right_depth <= 0 ||
            !rows_compete(product.depth, static_cast<std::size_t>(product.right_depth) * q.on.bytes, target))
            return false;
        const std::size_t columns = product.width * q.plain_block().vectors.large;
        return serves_in(fitting_parts(product.depth, columns * q.on.bytes, target.l1_bytes / 4 * 3), q.beyond_l2(), q,
                         how);
    }
};

/// Streams columns from beyond L2, if rows hide the requests, blocks are whole cache lines or narrow, and one follows
/// another. Two blocks of columns of a part of the depth take half of the L2.
struct streamed_product : product_in_parts<streamed_rows> {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        const product_facts& product = q.product;
        if (!q.has_plain_columns() || !q.beyond_l2() || q.rows < least_streaming_rows) return false;
        const register_block block = q.plain_block();
        const std::size_t block_bytes = block.vectors.large * product.width * product.right_bytes;
        // Several registers of narrow elements may end inside a line, which is then prefetched twice.
        return (product.right_is_narrow || block_bytes % cache_line_bytes == 0) && block.vectors.blocks != 1 &&
               serves_in(fitting_parts(product.depth, block_bytes, q.c.target.l2_bytes / 4), true, q, how);
    }
};

/// Kernels by number: the first one that serves, or 0, `plain_product`.
template <class... Kernels>
struct kernel_list {
    template <std::size_t Number>
    using at = std::tuple_element_t<Number, std::tuple<plain_product, Kernels...>>;
    static constexpr std::uint8_t choose(const product_query& q, product_strategy& how) {
        std::uint8_t n = 0;
        return ((++n, Kernels::serves(q, how)) || ...) ? n : std::uint8_t{0};
    }
    /// f(the kernel with this number).
    template <class Function>
    static constexpr void visit(std::size_t n, Function f) {
        if (n == 0) f(plain_product{});
        std::size_t number = 0;
        ((++number == n ? f(Kernels{}) : void()), ...);
    }
};
using product_kernels = kernel_list<int4_weights, quantized_weights, panel_product, column_blocks, transposing_product,
                                    few_rows, dot_product, copying_product, streamed_product>;

}  // namespace ashlar::detail
