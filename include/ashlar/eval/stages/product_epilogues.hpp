// SPDX-License-Identifier: BSL-1.0
// Epilogues of product stages: factors of rows, the rest of the expression, masks, maxima.
#pragma once

#include <ashlar/eval/access/product_operands.hpp>
#include <ashlar/eval/access/score_blocks.hpp>
#include <ashlar/kernel/product/packed_k.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct product_epilogues : product_operands<Plan, Element, Stage, Rows> {
    using base = product_operands<Plan, Element, Stage, Rows>;
    using base::core, base::left, base::depth, base::facts;
    using base::f, base::stage, base::columns, base::width, base::row_stride, base::column_stride, base::rows_in_lanes;
    using base::left_depth, base::right_depth, base::right_column, base::in_left;
    using typename base::config;
    using typename base::element;
    using typename base::output;
    using typename base::reader;
    using typename base::vec;

    /// If the left operand's rows are softmax numerators, finished vectors are multiplied by the reciprocals of their
    /// sums: the address of the first row's factor, and the stride from row to row.
    ASHLAR_STAGE_INLINE const element* row_factors(std::size_t first) const {
        if constexpr (stage.left_factor == no_node)
            return nullptr;
        else
            return factor_address<left, Plan::code.read_of(stage, stage.left_factor).factors>(in_left(first));
    }
    static constexpr std::ptrdiff_t factor_stride = [] {
        if constexpr (stage.left_factor == no_node)
            return std::ptrdiff_t{0};
        else
            return Plan::code.buffers[Plan::code.read_of(stage, stage.left_factor).factors]
                .strides[Plan::nodes[stage.left_factor].rank - 2u];
    }();
    /// The address of the first row's number in Buffer, which has the layout of the factors.
    template <node_index Id, buffer_index Buffer, std::size_t Rank>
    ASHLAR_STAGE_INLINE const element* factor_address(const std::array<std::size_t, Rank>& at) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (Id == stage.left_factor) {
            return f.template buffer<element, Buffer>() + f.template buffer_offset<Buffer>(at);
        } else if constexpr (n.kind == node_kind::let || n.kind == node_kind::let_value) {
            return factor_address<n.same_as, Buffer>(at);
        } else {
            return factor_address<n.operands[0], Buffer>(operand_coordinates<0>(node_at<Id>(f.expression), at));
        }
    }

    static constexpr bool needs_valid_lanes = detail::needs_valid_lanes<Plan, Stage, base::top>();

    static constexpr product_strategy how = base::strategy.product;
    static constexpr bool packs_k = how.form == product_form::packed_k;
    /// Lanes of each column of few rows; a vector holds several columns.
    static constexpr std::size_t line = packed_k_line(Rows);
    /// Whether such a vector can be finished and stored whole: no operation depends on the lane.
    static constexpr bool writes_groups = how.writes_groups;
    /// Copies the first element to lanes that hold no element of the first Count columns.
    template <std::size_t Count>
    struct elements_of_groups {
        static constexpr std::size_t from(std::size_t lane) {
            return lane % line < Rows && lane / line < Count ? lane : 0;
        }
    };
    template <bool HasFactors>
    struct finishing_epilogue {
        static constexpr hook hooks = writes_groups ? hook::vector | hook::group : hook::vector;
        static constexpr hook withheld = writes_groups ? hook::none : hook::group;
        const product_epilogues& s;
        output* out;
        std::size_t first;
        const element* factors;
        using lane_values = reader;
        using vec = typename base::vec;

        /// The address of the element of row i and column j.
        ASHLAR_STAGE_INLINE output* at(std::size_t i, std::size_t j) const {
            const std::size_t r = rows_in_lanes ? j : i, c = rows_in_lanes ? i : j;
            return out + static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c) * column_stride;
        }
        /// Applies the rest of the expression to a finished vector.
        template <std::size_t Width, bool Unmasked>
        ASHLAR_STAGE_INLINE auto finished(std::size_t r, std::size_t c, vec acc) const {
            if constexpr (stage.factor == score_factor::in_scores) acc = acc * s.scale.value;
            if constexpr (base::top == core && !base::scales_rows)
                return acc;
            else
                return s.template value<Width, Unmasked>(first + r, c, acc);
        }
        template <std::size_t Width, class Verdict>
        ASHLAR_STAGE_INLINE auto vector(std::size_t i, std::size_t j, vec acc, lane_count<Width>, Verdict) const {
            const std::size_t r = rows_in_lanes ? j : i, c = rows_in_lanes ? i : j;
            if constexpr (HasFactors)
                acc = acc * lane_values::template load<rows_in_lanes ? factor_stride : 0>(
                                factors + static_cast<std::ptrdiff_t>(r) * factor_stride);
            const auto x = finished < Width, Verdict::value == block_verdict::plain > (r, c, acc);
            // Idle lanes of a line are written too: softmax reads whole lines, and their values never exceed the
            // maximum.
            constexpr bool in_lines =
                stage.buffer != no_buffer && rows_in_lanes && row_stride == 1 && !std::is_same_v<output, bool>;
            constexpr std::size_t stored = !in_lines                                         ? Width
                                           : Plan::code.buffers[base::written_buffer].padded ? width
                                           : packs_k && column_stride == line                ? line
                                                                                             : Width;
            store_lanes<rows_in_lanes ? row_stride : column_stride, stored>(x, at(i, j));
            return x;
        }
        /// Some columns of few rows side by side.
        template <std::size_t Width, class Verdict>
            requires writes_groups
        ASHLAR_STAGE_INLINE vec group(std::size_t i, vec acc, lane_count<Width>, Verdict) const {
            constexpr bool repeats = (Rows != line || Width * line != width) && needs_valid_lanes;
            if constexpr (repeats) acc = shuffle_as<elements_of_groups<Width>>(acc, acc);
            const vec x = finished<width, false>(0, i, acc);
            x.store(out + static_cast<std::ptrdiff_t>(i) * column_stride);
            return x;
        }
    };

    using plain_epilogue = finishing_epilogue<stage.left_factor != no_node>;

    /// The mask of a node, and whether it states as a span which keys a range of queries keeps.
    template <node_index Id>
    using mask_at = std::remove_cvref_t<decltype(std::declval<typename Plan::template node<Id>>().mask)>;
    template <node_index Id>
    static constexpr bool spans = spanning_mask<mask_at<Id>, typename Plan::template node<Id>::shape_type>;

    /// The verdict of the mask on blocks of this tile's scores.
    template <node_index Node>
    ASHLAR_STAGE_INLINE auto score_blocks(std::size_t first) const {
        using scores = typename Plan::template node<Node>;
        using mask = mask_at<Node>;
        constexpr bool skips = facts.skips;
        constexpr loop_index blocks = base::key_loop;
        const auto at = this->in_top(first, 0);
        if constexpr (blocks != no_loop && (how.edge == mask_edge::keys || how.edge == mask_edge::halves)) {
            using block = scores_of_block<typename scores::shape_type, columns>;
            using shifted = mask_of_block<mask, typename scores::shape_type>;
            const shifted here{node_at<Node>(f.expression).mask, f.index[blocks]};
            if constexpr (how.edge == mask_edge::keys)
                return exact_scores<block, shifted, shifted>{here, mask_batch(at), first};
            else
                return sloping_scores<block, shifted, width, shifted>{here, mask_batch(at), first};
        } else if constexpr (how.edge == mask_edge::keys) {
            return exact_scores<typename scores::shape_type, mask>{node_at<Node>(f.expression).mask, mask_batch(at),
                                                                   first};
        } else if constexpr (how.edge == mask_edge::halves) {
            return sloping_scores<typename scores::shape_type, mask, width>{node_at<Node>(f.expression).mask,
                                                                            mask_batch(at), first};
        } else {
            const k_range all = supported_keys<Node, blocks>(f, at, Rows);
            if constexpr (how.edge == mask_edge::registers) {
                constexpr std::size_t registers = (Rows + width - 1) / width;
                listed_scores<skips, width, registers> listed;
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < registers; ++r) {
                    const std::size_t before = r * width;
                    listed.keys[r] = registers == 1 ? all
                                                    : supported_keys_within<Node, key_group, blocks>(
                                                          f, this->in_top(first + before, 0),
                                                          before + width < Rows ? width : Rows - before, all);
                }
                return listed;
            } else {
                return tile_scores<skips>{all};
            }
        }
    }

    /// For masked scores: blocks that the mask keeps whole are not masked, and blocks outside the rows' range of keys
    /// are skipped if no stage reads them.
    template <class Blocks>
    struct masked_epilogue : plain_epilogue, Blocks {
        static constexpr hook hooks = plain_epilogue::hooks | Blocks::hooks;
        static constexpr hook withheld = plain_epilogue::withheld | Blocks::withheld;
    };

    /// The epilogue of the tile that begins at this row.
    ASHLAR_STAGE_INLINE auto epilogue(std::size_t first) const {
        const plain_epilogue plain{*this, this->written(), first, row_factors(first)};
        if constexpr (facts.masked == no_node) {
            return plain;
        } else {
            const auto blocks = score_blocks<facts.masked>(first);
            return masked_epilogue<std::remove_const_t<decltype(blocks)>>{plain, blocks};
        }
    }

    /// For blocks of keys: sums start from the waiting sums of the last block, rescaled if the maximum has grown, and
    /// wait again. Lines of them end at a full register.
    static constexpr std::size_t waiting_line = ((rows_in_lanes ? Rows : columns) + width - 1) / width * width;
    struct waiting_epilogue {
        static constexpr hook hooks = hook::vector | hook::initial;
        element* sums;
        const element* corrections;

        template <std::size_t Width>
        ASHLAR_STAGE_INLINE vec initial(std::size_t i, std::size_t j, lane_count<Width>) const {
            return vec::load(sums + i * waiting_line + j) *
                   reader::template load<rows_in_lanes ? factor_stride : 0>(
                       corrections + static_cast<std::ptrdiff_t>(rows_in_lanes ? j : i) * factor_stride);
        }
        template <std::size_t Width, class Verdict>
        ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, vec acc, lane_count<Width>, Verdict) const {
            acc.store(sums + i * waiting_line + j);
        }
    };
    ASHLAR_STAGE_INLINE element* waiting_sums() const { return f.template buffer<element, stage.waiting>(); }
    /// The epilogue of the current block.
    ASHLAR_STAGE_INLINE waiting_epilogue epilogue_of_block(std::size_t first) const {
        return {waiting_sums(), factor_address<left, stage.corrections>(in_left(first))};
    }

    /// For the operand of a softmax with rows in lanes: tracks the maximum of each row.
    template <class Inner>
    struct greatest_epilogue : forwarding_epilogue<Inner> {
        static constexpr hook hooks = Inner::hooks | hook::column;
        vec* greatest;

        template <std::size_t Width, class Verdict>
            requires writes_groups
        ASHLAR_STAGE_INLINE void group(std::size_t i, vec acc, lane_count<Width> count, Verdict verdict) const {
            const vec x = this->inner.group(i, acc, count, verdict);
            greatest[0] = max<>(
                greatest[0],
                Width * line < width ? select(vec::mask_type::first(Width * line), x, vec(lowest_value<element>)) : x);
        }
        template <std::size_t Keys, std::size_t Width, class Verdict>
        ASHLAR_STAGE_INLINE void column(std::size_t i, std::size_t j, const vec (&column)[Keys],
                                        lane_count<Width> count, Verdict verdict) const {
            vec most = greatest[j / width];
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < Keys; ++k)
                most = max<>(most, this->inner.vector(i + k, j, column[k], count, verdict));
            greatest[j / width] = most;
        }
    };
};

}  // namespace ashlar::detail
