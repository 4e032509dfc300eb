// SPDX-License-Identifier: BSL-1.0
// Reads values of nodes inside a stage, some lanes at a time: loads them from memory, or computes them.
#pragma once

#include <ashlar/eval/access/chosen_values.hpp>
#include <ashlar/eval/access/folded_entries.hpp>
#include <ashlar/eval/access/idle_lanes.hpp>
#include <ashlar/eval/access/lane_coordinates.hpp>
#include <ashlar/eval/access/lane_offsets.hpp>
#include <ashlar/eval/access/lane_steps.hpp>
#include <ashlar/eval/access/memory_reader.hpp>
#include <ashlar/eval/access/product_in_sum.hpp>
#include <ashlar/eval/access/register_factors.hpp>
#include <ashlar/eval/access/rows_beyond.hpp>
#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// Reads Width lanes, of which the first Wanted are needed. Functions that must not see the other lanes get the first
/// lane's element there. With Unmasked, masked nodes return their operand.
template <class Plan, class Element, stage_index Stage, std::size_t Width, std::size_t Wanted, bool Unmasked = false>
struct lane_reader : memory_reader<Plan, Element, Stage> {
    using config = typename Plan::configuration;
    using coordinates = lane_coordinates<Width, Wanted, config>;
    using truth = std::conditional_t<(Width * 8 * 8 <= config::register_bits), lane_mask<double, Width, config>,
                                     lane_mask<float, Width, config>>;
    template <class Other>
    using lanes_of = lanes<computed<Other>, Width, config>;

    using base = memory_reader<Plan, Element, Stage>;
    using base::f, base::stage;
    template <node_index Id>
    using node_of = typename Plan::template node<Id>;
    template <node_index Id>
    static constexpr buffer_index values = base::template values<Id>;
    template <node_index Id>
    static constexpr buffer_index factors = base::template factors<Id>;
    template <node_index Id>
    static constexpr bool is_name = base::template is_name<Id>;

    template <class Other>
    ASHLAR_STAGE_INLINE static auto load_picked(const Other* picked) {
        if constexpr (std::is_same_v<Other, bool>)
            return truth::load(picked);
        else
            return lanes_of<Other>::load(picked);
    }

    /// The needed elements, `Step` apart.
    template <std::ptrdiff_t Step, class Other>
    ASHLAR_STAGE_INLINE static auto load(const Other* p) {
        if constexpr (std::is_same_v<Other, bool>) {
            if constexpr (Step == 0) {
                return truth(*p);
            } else if constexpr (Step == 1) {
                if constexpr (Wanted == Width)
                    return truth::load(p);
                else
                    return truth::load_partial(p, Wanted);
            } else {
                bool picked[Width] = {};
                for (std::size_t i = 0; i < Wanted; ++i) picked[i] = p[static_cast<std::ptrdiff_t>(i) * Step];
                return load_picked(picked);
            }
        } else if constexpr (Step == 0) {
            return lanes_of<Other>(*p);
        } else if constexpr (Step == 1) {
            if constexpr (Wanted == Width)
                return lanes_of<Other>::load(p);
            else
                return lanes_of<Other>::template load_partial<Wanted>(p);
        } else if constexpr (Wanted == Width) {
            return lanes_of<Other>::gather_strided(p, Step);
        } else {
            Other picked[Width] = {};
            for (std::size_t i = 0; i < Wanted; ++i) picked[i] = p[static_cast<std::ptrdiff_t>(i) * Step];
            return load_picked(picked);
        }
    }

    template <auto Steps>
    static consteval std::ptrdiff_t lane_stride(const axis_list& strides) {
        std::ptrdiff_t s = 0;
        for (std::size_t a = 0; a < Steps.size(); ++a) s += Steps[a] * strides[a];
        return s;
    }

    template <buffer_index Buffer, class Other, auto Steps, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto read_buffer(const std::array<std::size_t, Rank>& at) const {
        return load<lane_stride<Steps>(Plan::code.buffers[Buffer].strides)>(
            const_cast<const Other*>(f.template buffer<Other, Buffer>()) + f.template buffer_offset<Buffer>(at));
    }

    // -------------------------------------------------------------- values

    /// The lanes of node Id from these coordinates; `hole` replaces the stage's core.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto value(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        using Node = node_of<Id>;
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (stage.kind == stage_kind::product && Id == stage.core) {
            return hole;
        } else if constexpr (Id == stage.scaling && stage.factor != score_factor::in_rows) {
            return operand_value<Id, 0, Steps>(at, hole);
        } else if constexpr (is_name<Id>) {
            return value<n.same_as, Steps>(at, hole);
        } else if constexpr (n.kind == node_kind::array && values<Id> == no_buffer) {
            return load<lane_stride<Steps>(n.strides)>(base::template address<Id>(at));
        } else if constexpr (n.kind == node_kind::softmax && factors<Id> != no_buffer) {
            return softmax_value<Id, Steps>(at, hole);
        } else if constexpr (n.kind == node_kind::standardize && factors<Id> != no_buffer) {
            return standardized_value<Id, Steps>(at, hole);
        } else if constexpr (values<Id> != no_buffer) {
            return read_buffer<values<Id>, stored<n.narrows(), Node>, Steps>(at);
        } else if constexpr (n.kind == node_kind::store) {
            return value<n.operands[0], Steps>(at, hole);
        } else if constexpr (n.kind == node_kind::packed) {
            return unpacked<Id, Steps>(at);
        } else if constexpr (n.kind == node_kind::scalar) {
            using Other = element_of<Node>;
            if constexpr (std::is_same_v<Other, bool>)
                return truth(node_at<Id>(f.expression).value);
            else
                return lanes_of<Other>(node_at<Id>(f.expression).value);
        } else if constexpr (product_in_sum<Plan, Stage, Id>() != no_product_in_sum) {
            return sum_with_product<Id, product_in_sum<Plan, Stage, Id>(), Steps>(at, hole);
        } else if constexpr (is_conditional_load<lane_reader, Id, 1> || is_conditional_load<lane_reader, Id, 2>) {
            return chosen_value<Id, Steps, Wanted>(*this, at, hole);
        } else if constexpr (n.kind == node_kind::map) {
            return [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
                using function = decltype(Plan::template node<Id>::function);
                if constexpr (Wanted == Width || takes_idle_lanes<function>)
                    return node_at<Id>(f.expression)
                        .function(harmless<Plan, function, Index>(operand_value<Id, Index, Steps>(at, hole))...);
                else
                    return applied(node_at<Id>(f.expression).function,
                                   harmless<Plan, function, Index>(argument<Id, Index, Steps>(at, hole))...);
            }(std::make_index_sequence<Node::operand_count>{});
        } else if constexpr (n.kind == node_kind::index) {
            return coordinates::template along<n.axis, Steps>(at);
        } else if constexpr (n.kind == node_kind::mask) {
            return coordinates::template kept<typename Node::shape_type, Steps>(node_at<Id>(f.expression).mask, at);
        } else if constexpr (n.kind == node_kind::masked) {
            if constexpr (Unmasked) {
                return operand_value<Id, 0, Steps>(at, hole);
            } else {
                using Other = element_of<Node>;
                const auto keep =
                    coordinates::template kept<typename Node::shape_type, Steps>(node_at<Id>(f.expression).mask, at);
                const auto x = value_if<Id, 0, Steps, Wanted>(*this, keep, at, hole);
                return select(convert_mask<Other>(keep), x, lanes_of<Other>(-infinity<Other>));
            }
        } else if constexpr (n.kind == node_kind::reduce) {
            return folded_entries<Id, Steps>(*this, at, hole);
        } else if constexpr (n.kind == node_kind::take) {
            return taken<Id, Steps>(at, hole);
        } else {
            return moved<Id, Steps>(at, hole);
        }
    }

    template <node_index Id, std::size_t Index, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto sum_with_product(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        constexpr auto product = Plan::nodes[Id].operands[Index];
        constexpr auto steps = operand_steps<node_of<Id>, Index>(Plan::nodes[Id], Plan::nodes[product], Steps);
        const auto in_product = operand_coordinates<Index>(node_at<Id>(f.expression), at);
        const auto a = operand_value<product, 0, steps>(in_product, hole);
        const auto b = operand_value<product, 1, steps>(in_product, hole);
        const auto c = operand_value<Id, 1 - Index, Steps>(at, hole);
        return computed_as_one(combined_with_product<function_of_node<Plan, Id>, Index>{}, a, b, c);
    }

    /// Operand Index of a function, with elements in all lanes if the function needs them.
    template <node_index Id, std::size_t Index, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto argument(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        if constexpr (holds_elements<Plan, Stage, Plan::nodes[Id].operands[Index]>())
            return operand_value<Id, Index, Steps>(at, hole);
        else
            return repeat_first<Wanted>(operand_value<Id, Index, Steps>(at, hole));
    }

    /// A function that is called element by element is called for elements only.
    template <class Function, class... Axis>
    ASHLAR_STAGE_INLINE static auto applied(const Function& function, const Axis&... arguments) {
        if constexpr (requires { function.template of_first<Wanted>(arguments...); })
            return function.template of_first<Wanted>(arguments...);
        else
            return function(arguments...);
    }

    template <node_index Id, std::size_t Index, auto Steps>
    static consteval auto steps_of_operand() {
        return operand_steps<node_of<Id>, Index>(Plan::nodes[Id], Plan::nodes[Plan::nodes[Id].operands[Index]], Steps);
    }
    template <node_index Id, std::size_t Index, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto operand_value(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        return value<Plan::nodes[Id].operands[Index], steps_of_operand<Id, Index, Steps>()>(
            operand_coordinates<Index>(node_at<Id>(f.expression), at), hole);
    }

    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto softmax_value(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        using Other = element_of<node_of<Id>>;
        const auto factor = factor_of<Id, Steps>(at, hole);
        if constexpr (Plan::nodes[Id].variant == static_cast<std::uint8_t>(softmax_kind::plain)) {
            const auto weight = read_buffer<values<Id>, Other, Steps>(at) * factor;
            if constexpr (Plan::nodes[Id].masked == no_node) {
                return weight;
            } else {
                constexpr auto mask = Plan::nodes[Id].masked;
                // If the kept scores of a row are NaN, only kept elements become NaN.
                const auto keep = coordinates::template kept<typename node_of<mask>::shape_type, Steps>(
                    node_at<mask>(f.expression).mask, at);
                return select(convert_mask<Other>(keep), weight, lanes_of<Other>(Other(0)));
            }
        } else {
            // Two subtractions: the sum of both would lose the logarithm if the maximum is large.
            return fence(operand_value<Id, 0, Steps>(at, hole) - shift_of<Id, Steps>(at, hole)) - factor;
        }
    }

    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto standardized_value(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        const auto x = operand_value<Id, 0, Steps>(at, hole), scale = factor_of<Id, Steps>(at, hole);
        if constexpr (values<Id> == no_buffer)
            return x * scale;
        else
            return (x - shift_of<Id, Steps>(at, hole)) * scale;
    }

    /// What is subtracted from the elements of a row: its mean or its maximum.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto shift_of(const std::array<std::size_t, Rank>& at,
                                      [[maybe_unused]] const Hole& hole) const {
        if constexpr (holds_factors<Id, Hole>)
            return hole.shift;
        else
            return read_buffer<values<Id>, element_of<node_of<Id>>, Steps>(at);
    }

    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto factor_of(const std::array<std::size_t, Rank>& at,
                                       [[maybe_unused]] const Hole& hole) const {
        if constexpr (holds_factors<Id, Hole>)
            return hole.scale;
        else
            return read_buffer<factors<Id>, element_of<node_of<Id>>, Steps>(at);
    }
    /// The values that are constant along the row of these coordinates.
    template <node_index Id, auto Steps, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto hold_factors(const std::array<std::size_t, Rank>& at) const {
        const auto scale = factor_of<Id, Steps>(at, 0);
        register_factors<Id, std::remove_const_t<decltype(scale)>> held{scale, scale};
        constexpr bool shifts = Plan::nodes[Id].kind == node_kind::standardize || Plan::nodes[Id].variant != 0;
        if constexpr (shifts && values<Id> != no_buffer) held.shift = shift_of<Id, Steps>(at, 0);
        return held;
    }

    /// An index map: a load if its elements have a constant stride in memory, otherwise lane by lane.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto moved(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        [[maybe_unused]] constexpr auto below = n.operands[0];
        constexpr lane_path path = path_of_lanes(n, Plan::nodes[below], Steps);
        constexpr node_index holder = base::memory.holder(Id);
        if constexpr (path == lane_path::around) {
            return around<Id, Steps>(at, hole);
        } else if constexpr (holder != no_node &&
                             base::memory.at(holder == no_node ? Id : holder).kind != node_kind::softmax) {
            constexpr auto fixed = [] {
                std::array<bool, max_rank> out{};
                for (std::size_t a = 0; a < Rank; ++a) out[a] = Steps[a] == 0;
                return out;
            }();
            constexpr stride_result m = base::memory.strides(Id, fixed);
            if constexpr (m.affine)
                return load<lane_stride<Steps>(m.strides)>(base::template address<Id>(at));
            else
                return scattered<Id, Steps>(at, hole);
        } else if constexpr (path == lane_path::apart) {
            return one_by_one<Id, Steps>(at, hole);
        } else {
            return operand_value<Id, 0, Steps>(at, hole);
        }
    }

    /// Lanes along an axis that wraps around: a load if they do not cross its end, otherwise lane by lane.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto around(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        constexpr auto below = Plan::nodes[Id].operands[0];
        constexpr index_piece piece = moving_piece(map_of(Plan::nodes[Id], Plan::nodes[below]));
        constexpr std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(Wanted - 1) * Steps[piece.first];
        constexpr auto extent = static_cast<std::ptrdiff_t>(piece.around);
        if constexpr (reach < extent && -reach < extent) {
            const auto last = static_cast<std::ptrdiff_t>(
                                  operand_coordinates<0>(node_at<Id>(f.expression), at)[piece.operand_first]) +
                              reach;
            if (last >= 0 && last < extent) return operand_value<Id, 0, Steps>(at, hole);
        }
        return one_by_one<Id, Steps>(at, hole);
    }

    /// Elements of a packed matrix: contiguous inside a panel, otherwise gathered.
    template <node_index Id, auto Steps>
    ASHLAR_STAGE_INLINE auto unpacked(const std::array<std::size_t, 2>& at) const {
        using Other = element_of<node_of<Id>>;
        const auto& matrix = node_at<Id>(f.expression);
        if constexpr (Plan::nodes[Id].quantized) {
            Other rounded[Width] = {};
            for (std::size_t i = 0; i < Wanted; ++i)
                rounded[i] = matrix(at[0] + i * static_cast<std::size_t>(Steps[0]),
                                    at[1] + i * static_cast<std::size_t>(Steps[1]));
            return load_picked(rounded);
        } else {
            const auto* data = matrix.data();
            if constexpr (Steps[0] == 0 && Steps[1] == 1 && Plan::nodes[Id].panel % Width == 0)
                if (at[1] % Width == 0) return load<1>(data + matrix.offset(at[0], at[1]));
            Other picked[Width] = {};
            for (std::size_t i = 0; i < Wanted; ++i)
                picked[i] = data[matrix.offset(at[0] + i * static_cast<std::size_t>(Steps[0]),
                                               at[1] + i * static_cast<std::size_t>(Steps[1]))];
            return load_picked(picked);
        }
    }

    /// Elements whose offsets in memory are constants without a common stride.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto scattered(std::array<std::size_t, Rank> at, const Hole& hole) const {
        using Other = element_of<node_of<Id>>;
        constexpr std::size_t axis = [] {
            std::size_t moving = Rank;
            for (std::size_t a = 0; a < Rank; ++a)
                if (Steps[a] != 0) moving = moving == Rank && Steps[a] == 1 ? a : Rank + 1;
            return moving;
        }();
        constexpr std::size_t extent = axis < Rank ? Plan::nodes[Id].extents[axis < Rank ? axis : 0] : 0;
        if constexpr (extent == 0 || extent > most_lane_offsets || std::is_same_v<Other, bool>) {
            return one_by_one<Id, Steps>(at, hole);
        } else {
            static constexpr auto offsets = offsets_along<Plan, Stage, extent>(Id, axis);
            if constexpr (!offsets.known) {
                return one_by_one<Id, Steps>(at, hole);
            } else {
                const std::int32_t* const distance = offsets.distance.data() + at[axis];
                at[axis] = 0;
                const auto* const row = base::template address<Id>(at);
                Other picked[Width] = {};
                ASHLAR_UNROLL
                for (std::size_t i = 0; i < Wanted; ++i) picked[i] = row[distance[i]];
                return load_picked(picked);
            }
        }
    }

    /// Reads lane by lane: an operand, or rows of a table.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto one_by_one(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        using Other = element_of<node_of<Id>>;
        constexpr lane_steps<Rank> still{};
        const lane_reader<Plan, Element, Stage, Width, 1, Unmasked> single{f};
        Other picked[Width] = {};
        for (std::size_t i = 0; i < Wanted; ++i) {
            auto here = at;
            for (std::size_t a = 0; a < Rank; ++a) here[a] += i * static_cast<std::size_t>(Steps[a]);
            if constexpr (Plan::nodes[Id].kind == node_kind::take)
                picked[i] = single.template taken<Id, still>(here, hole)[0];
            else
                picked[i] = single.template operand_value<Id, 0, still>(here, hole)[0];
        }
        return load_picked(picked);
    }

    /// Rows of a table: the index is read once if the lanes run along the table's own axes.
    template <node_index Id, auto Steps, class Hole, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto taken(const std::array<std::size_t, Rank>& at, const Hole& hole) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        constexpr auto table = n.operands[0], indices = n.operands[1];
        constexpr std::size_t table_rank = Plan::nodes[table].rank, index_rank = Plan::nodes[indices].rank;
        constexpr bool along_indices = [] {
            for (std::size_t a = 0; a < index_rank; ++a)
                if (Steps[Plan::nodes[Id].axis + a] != 0) return true;
            return false;
        }();
        if constexpr (along_indices) {
            return one_by_one<Id, Steps>(at, hole);
        } else {
            std::array<std::size_t, index_rank> where{};
            for (std::size_t a = 0; a < index_rank; ++a) where[a] = at[n.axis + a];
            constexpr lane_steps<index_rank> still{};
            const lane_reader<Plan, Element, Stage, Width, 1, Unmasked> single{f};
            constexpr std::size_t entries = Plan::nodes[table].extents[n.axis];
            const auto index = static_cast<std::size_t>(single.template value<indices, still>(where, hole)[0]);
            ASHLAR_ASSERT(index < entries || !is_requested<Id>(f, at), "ashlar: take: an index is outside the table");
            const std::size_t chosen = entry_of_table<entries, Plan>(index);
            std::array<std::size_t, table_rank> from{};
            constexpr auto steps = [] {
                lane_steps<table_rank> out{};
                for (std::size_t a = 0; a < table_rank; ++a)
                    if (a != Plan::nodes[Id].axis) out[a] = Steps[a < Plan::nodes[Id].axis ? a : a + Rank - table_rank];
                return spelled_out(out);
            }();
            for (std::size_t a = 0; a < table_rank; ++a)
                from[a] = a == n.axis ? chosen : at[a < n.axis ? a : a + Rank - table_rank];
            return value<table, steps>(from, hole);
        }
    }
};

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
