// SPDX-License-Identifier: BSL-1.0
// The call of a recurrent layer: a sequence of products for all steps and of what each step adds to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/eval/stack_bytes.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/sequence_node.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/tensor/explained_members.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {
namespace nn::detail {

/// A Layer called with an input, from a State on, or from zeros where that is void. It is evaluated as a sequence.
template <class Layer, class Input, class State, bool IsStep>
struct recurrence_node : ashlar::detail::explained_members<recurrence_node<Layer, Input, State, IsStep>> {
    using shape_type = decltype(ashlar::detail::with_dimension<shape_of<Input>, shape_of<Input>::rank - 1,
                                                               Layer::out * Layer::directions>());
    using value_type = typename Layer::value_type;
    using expression_category = sequence_category;

    [[no_unique_address]] Input input;
    const Layer* layer;
    State* state;
};

/// Where the steps of a sequence lie among the rows of an array: entries [batch, steps], or [steps, batch].
template <class Shape, bool IsStep, bool BatchFirst>
struct recurrent_steps {
    static constexpr std::size_t width = Shape::extents[Shape::rank - 1];
    static constexpr bool batch_first = IsStep || BatchFirst;
    static constexpr std::size_t count = IsStep ? 1 : Shape::extents[BatchFirst ? Shape::rank - 2 : 0];
    static constexpr std::size_t batch = Shape::size / width / count;
    /// Rows from a step to the next, and from an entry of the batch to the next.
    static constexpr std::size_t step_rows = batch_first ? 1 : batch,
                                 batch_rows = batch_first && batch != 1 ? count : 1;
};

/// Columns entries of each row of one step, from `first` on, in an array whose rows are Width wide.
template <class Steps, std::size_t Width, std::size_t Columns, class Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto step_view(Element* first, std::size_t step) noexcept {
    constexpr auto strides = ashlar::detail::spelled_out(std::array{
        static_cast<std::ptrdiff_t>(Steps::batch == 1 ? Columns : Steps::batch_rows * Width), std::ptrdiff_t{1}});
    return ashlar::detail::make_view<Element, shape<Steps::batch, Columns>, strides>(first +
                                                                                     step * Steps::step_rows * Width);
}

/// The expressions of a recurrence, by their types.
template <class Layer, class Input, bool IsStep>
struct recurrence_types {
    using value_type = typename Layer::value_type;
    static constexpr std::size_t directions = Layer::directions, layers = Layer::layer_count, out = Layer::out,
                                 memory = Layer::memory, gate_width = Layer::gates * Layer::hidden;
    using input_shape = shape_of<Input>;
    using steps = recurrent_steps<input_shape, IsStep, Layer::options.batch_first>;
    template <std::size_t Width>
    using with_width = decltype(ashlar::detail::with_dimension<input_shape, input_shape::rank - 1, Width>());
    using result_shape = with_width<out * directions>;

    /// Two directions read the input twice: it waits in scratch then, unless it lies in memory.
    static constexpr bool input_waits = directions == 2 && !array_expression<Input>;
    using waiting = ashlar::detail::dense_view<value_type, input_shape>;
    using first_rows =
        std::conditional_t<input_waits, ashlar::detail::dense_view<const value_type, input_shape>, Input>;
    using further_rows = ashlar::detail::dense_view<const value_type, result_shape>;
    using gates = ashlar::detail::dense_view<value_type, with_width<gate_width>>;
    using h_view = ashlar::detail::dense_view<value_type, shape<steps::batch, out>>;
    using read_h_view = ashlar::detail::dense_view<const value_type, shape<steps::batch, out>>;
    using c_view = ashlar::detail::dense_view<value_type, shape<steps::batch, memory == 0 ? 1 : memory>>;
    using read_c_view = ashlar::detail::dense_view<const value_type, shape<steps::batch, memory == 0 ? 1 : memory>>;
    using gates_of_step =
        decltype(step_view<steps, gate_width, gate_width>(std::declval<const value_type*>(), std::size_t{}));
    /// Without a batch the next step reads h from the result's row. With a batch each step also stores h.
    static constexpr bool reads_results = steps::batch == 1;
    using result_of_step = std::conditional_t<reads_results, no_array,
                                              decltype(step_view<steps, out * directions, out>(
                                                  std::declval<value_type*>(), std::size_t{}))>;

    template <class Cell, class Rows>
    using product = decltype(Layer::formulas::inputs_of(std::declval<const Cell&>(), std::declval<const Rows&>()));
    using first_product = product<typename Layer::first_cell, first_rows>;
    using further_product = product<typename Layer::further_cell, further_rows>;
    /// The same type for all layers and directions: a step does not read the weights of the input.
    using step = decltype(Layer::formulas::step_of(
        std::declval<const typename Layer::recurrent&>(), std::declval<const gates_of_step&>(),
        std::declval<const read_h_view&>(), std::declval<const read_c_view&>(), std::declval<c_view&>(),
        std::declval<result_of_step&>()));
    static auto waiting_input(const Input& x) noexcept {
        if constexpr (ashlar::detail::is_narrow<element_of<Input>>)
            return cast<value_type>(x);
        else
            return ashlar::detail::hold(x);
    }
};

/// Elements of scratch: the gates of each direction, h and c of two steps, and an input that waits. Where a step reads
/// the previous result as h, h has one place.
template <class Types>
struct recurrence_layout {
    using value_type = typename Types::value_type;
    static constexpr std::size_t unit = ashlar::detail::scratch_alignment / sizeof(value_type);
    static constexpr std::size_t rounded(std::size_t n) { return (n + unit - 1) / unit * unit; }

    static constexpr std::size_t gates = rounded(Types::gates::shape_type::size),
                                 h = rounded(Types::steps::batch * Types::out),
                                 c = rounded(Types::steps::batch * Types::memory),
                                 input = Types::input_waits ? rounded(Types::input_shape::size) : 0;
    static constexpr std::size_t first_h = Types::directions * gates,
                                 first_c = first_h + (Types::reads_results ? 1 : 2) * h, first_input = first_c + 2 * c,
                                 size = first_input + input;
};

/// The scratch, limit and workers of an evaluation at run time.
template <class Config, class Rows, class Workers>
struct recurrence_evaluation {
    std::byte* scratch;
    [[no_unique_address]] ashlar::detail::limit_reference<Rows> limit;
    [[no_unique_address]] Workers workers;

    /// Rows of all steps.
    template <class Destination, class Expression>
    ASHLAR_ALWAYS_INLINE void rows(Destination to, const Expression& e) const {
        workers.template run<Config>(to, e, scratch, limit);
    }
    /// One step. It is too little to share.
    template <class Destination, class Expression>
    ASHLAR_ALWAYS_INLINE void step(Destination to, const Expression& e) const {
        ashlar::detail::run_with_scratch<Config, ashlar::detail::destination_memory::fresh>(
            to, e, ashlar::detail::workspace_scratch{scratch});
    }
};
/// The same in a constant expression.
template <class Config>
struct constant_recurrence_evaluation {
    template <class Destination, class Expression>
    constexpr void rows(Destination to, const Expression& e) const {
        ashlar::detail::assign_constant<Config>(to, e);
    }
    template <class Destination, class Expression>
    constexpr void step(Destination to, const Expression& e) const {
        ashlar::detail::assign_constant<Config>(to, e);
    }
};

/// Runs all layers. A layer makes the gates of both directions before it writes a result, so that results of all layers
/// lie in the destination, which may overlap the input.
template <class Node>
struct recurrence_run;
template <class Layer, class Input, class State, bool IsStep>
struct recurrence_run<recurrence_node<Layer, Input, State, IsStep>> {
    using node = recurrence_node<Layer, Input, State, IsStep>;
    using types = recurrence_types<Layer, Input, IsStep>;
    using layout = recurrence_layout<types>;
    using value_type = typename types::value_type;
    using steps = typename types::steps;
    static constexpr std::size_t directions = types::directions, row = types::out * directions;

    /// The first `count` steps; memory is scratch by `layout`.
    template <class Evaluation>
    static constexpr void run(const node& e, value_type* destination, value_type* memory, std::size_t count,
                              const Evaluation& evaluation) {
        if constexpr (types::input_waits) {
            value_type* const waiting = memory + layout::first_input;
            evaluation.rows(typename types::waiting(waiting), types::waiting_input(e.input));
            run_layer(e, e.layer->first_cells.data(), 0, typename types::first_rows(waiting), destination, memory,
                      count, evaluation);
        } else {
            run_layer(e, e.layer->first_cells.data(), 0, e.input, destination, memory, count, evaluation);
        }
        if constexpr (types::layers > 1)
            for (std::size_t i = 1; i < types::layers; ++i)
                run_layer(e, e.layer->further_cells.data() + (i - 1) * directions, i,
                          typename types::further_rows(destination), destination, memory, count, evaluation);
    }

private:
    template <class Cell, class Rows, class Evaluation>
    static constexpr void run_layer(const node& e, const Cell* cells, std::size_t layer, const Rows& x,
                                    value_type* destination, value_type* memory, std::size_t count,
                                    const Evaluation& evaluation) {
        for (std::size_t d = 0; d < directions; ++d)
            evaluation.rows(typename types::gates(memory + d * layout::gates), Layer::formulas::inputs_of(cells[d], x));
        for (std::size_t d = 0; d < directions; ++d)
            run_direction(e, cells[d].recurrent, layer * directions + d, d != 0, destination + d * types::out,
                          memory + d * layout::gates, memory, count, evaluation);
    }

    /// The steps of one layer in one direction. c alternates between two places, and so does h unless steps read it
    /// from the results.
    template <class Evaluation>
    static constexpr void run_direction(const node& e, const typename Layer::recurrent& weights, std::size_t index,
                                        bool reverse, value_type* result, const value_type* gates, value_type* memory,
                                        std::size_t count, const Evaluation& evaluation) {
        value_type* h = memory + layout::first_h;
        value_type* c = memory + layout::first_c;
        value_type* next_h = h + layout::h;
        value_type* next_c = c + layout::c;
        begin(e, index, h, c);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t t = reverse ? count - 1 - i : i;
            const auto x = step_view<steps, types::gate_width, types::gate_width>(gates, t);
            typename types::c_view kept(next_c);
            typename types::result_of_step y = [&] {
                if constexpr (types::reads_results)
                    return no_array{};
                else
                    return step_view<steps, row, types::out>(result, t);
            }();
            if constexpr (types::reads_results) next_h = result + t * row;
            evaluation.step(typename types::h_view(next_h),
                            Layer::formulas::step_of(weights, x, typename types::read_h_view(h),
                                                     typename types::read_c_view(c), kept, y));
            std::swap(h, next_h);
            std::swap(c, next_c);
        }
        end(e, index, h, c);
    }

    static constexpr std::size_t h_size = steps::batch * types::out, c_size = steps::batch * types::memory;

    static constexpr void begin([[maybe_unused]] const node& e, [[maybe_unused]] std::size_t index, value_type* h,
                                [[maybe_unused]] value_type* c) {
        if constexpr (std::is_void_v<State>) {
            for (std::size_t i = 0; i < h_size; ++i) h[i] = 0;
            if constexpr (types::memory != 0)
                for (std::size_t i = 0; i < c_size; ++i) c[i] = 0;
        } else {
            for (std::size_t i = 0; i < h_size; ++i) h[i] = e.state->h.data()[index * h_size + i];
            if constexpr (types::memory != 0)
                for (std::size_t i = 0; i < c_size; ++i) c[i] = e.state->c.data()[index * c_size + i];
        }
    }
    static constexpr void end([[maybe_unused]] const node& e, [[maybe_unused]] std::size_t index,
                              [[maybe_unused]] const value_type* h, [[maybe_unused]] const value_type* c) {
        if constexpr (!std::is_void_v<State>) {
            for (std::size_t i = 0; i < h_size; ++i) e.state->h.data()[index * h_size + i] = h[i];
            if constexpr (types::memory != 0)
                for (std::size_t i = 0; i < c_size; ++i) e.state->c.data()[index * c_size + i] = c[i];
        }
    }
};

}  // namespace nn::detail

namespace detail {

/// The plans of a recurrence: the product of all inputs and a step, of the first layer and of each further one.
template <class Layer, class Input, class State, bool IsStep>
struct sequence_plan<nn::detail::recurrence_node<Layer, Input, State, IsStep>> {
    using sequence_type = nn::detail::recurrence_node<Layer, Input, State, IsStep>;
    using types = nn::detail::recurrence_types<Layer, Input, IsStep>;
    using shape_type = typename sequence_type::shape_type;
    using value_type = typename sequence_type::value_type;
    using source = dense_view<const value_type, shape_type>;

    static constexpr std::size_t buffer_bytes = nn::detail::recurrence_layout<types>::size * sizeof(value_type);
    /// Gates, h and c, followed by the scratch of the largest part.
    template <class Config, std::size_t Workers = 1>
    static constexpr std::size_t scratch_bytes = [] {
        std::size_t bytes = expression_scratch<typename types::step, Config>;
        const auto raise = [&](std::size_t other) { bytes = other > bytes ? other : bytes; };
        raise(shared_scratch<typename types::first_product, Workers, Config>);
        if constexpr (types::layers > 1) raise(shared_scratch<typename types::further_product, Workers, Config>);
        if constexpr (types::input_waits)
            raise(shared_scratch<decltype(types::waiting_input(std::declval<const Input&>())), Workers, Config>);
        return buffer_bytes + bytes;
    }();

    static consteval auto parts() {
        constexpr std::size_t first = types::directions, further = types::directions * (types::layers - 1),
                              count = types::steps::count;
        const auto with_input = [] {
            if constexpr (types::input_waits)
                return plan_parts<plan_part<1, decltype(types::waiting_input(std::declval<const Input&>()))>>{};
            else
                return plan_parts<>{};
        };
        const auto of_first = with_input() + plan_parts<plan_part<first, typename types::first_product>,
                                                        plan_part<first * count, typename types::step>>{};
        if constexpr (further == 0)
            return of_first;
        else
            return of_first + plan_parts<plan_part<further, typename types::further_product>,
                                         plan_part<further * count, typename types::step>>{};
    }
    using parts_type = decltype(parts());
};

/// Runs a recurrence into dense memory.
template <class Layer, class Input, class State, bool IsStep, class Config, bool CopyFits, class Rows, class Workers>
struct sequence_run<nn::detail::recurrence_node<Layer, Input, State, IsStep>, Config, CopyFits, Rows, Workers> {
    using node = nn::detail::recurrence_node<Layer, Input, State, IsStep>;
    using types = nn::detail::recurrence_types<Layer, Input, IsStep>;
    using value_type = typename types::value_type;

    template <destination_memory Memory>
    ASHLAR_NOINLINE static void run(const node& e, value_type* destination, std::byte* scratch,
                                    [[maybe_unused]] const limit_reference<Rows>& limit = {},
                                    const Workers& workers = {}) noexcept {
        using steps = typename types::steps;
        ASHLAR_ASSERT(!overlaps_state(e, destination),
                      "ashlar: nn: the destination of a recurrent layer overlaps its state");
        std::byte* const behind = scratch + sequence_plan<node>::buffer_bytes;
        auto* const memory = reinterpret_cast<value_type*>(scratch);
        using plain = nn::detail::recurrence_evaluation<Config, all_rows, Workers>;
        // The way back begins at the last step. Rows are steps only where they are the second to last axis.
        if constexpr (!Rows::are_limited || types::directions == 2 || IsStep ||
                      (!Layer::options.batch_first && node::shape_type::rank != 2))
            nn::detail::recurrence_run<node>::run(e, destination, memory, steps::count, plain{behind, {}, workers});
        else
            nn::detail::recurrence_run<node>::run(
                e, destination, memory, most_steps(limit),
                nn::detail::recurrence_evaluation<Config, Rows, Workers>{behind, limit, workers});
    }

private:
    /// The steps of the longest entry.
    static std::size_t most_steps(const limit_reference<Rows>& limit) noexcept {
        using result = typename node::shape_type;
        std::array<std::size_t, result::rank - 2> any{};
        any.fill(any_entry);
        return limit.template most<result>(any);
    }
    static bool overlaps_state([[maybe_unused]] const node& e, [[maybe_unused]] const value_type* destination) {
        if constexpr (std::is_void_v<State>) {
            return false;
        } else {
            const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
            return address(destination) < address(e.state + 1) &&
                   address(e.state) < address(destination + node::shape_type::size);
        }
    }
};

/// In a constant expression.
template <class Sequence, class Config>
    requires requires { typename nn::detail::recurrence_run<Sequence>::layout; }
constexpr void run_constant_sequence(const Sequence& e, typename Sequence::value_type* destination) {
    using run = nn::detail::recurrence_run<Sequence>;
    using value_type = typename Sequence::value_type;
    basic_tensor<value_type, run::layout::size> memory{};
    value_tensor<Sequence> result{};
    run::run(e, result.data(), memory.data(), run::steps::count, nn::detail::constant_recurrence_evaluation<Config>{});
    copy_apart<Config, value_tensor<Sequence>, value_tensor<Sequence>>(destination,
                                                                       static_cast<const value_type*>(result.data()));
}

/// An input may own values that were computed when the call was built.
template <class Config, class Layer, class Input, class State, bool IsStep>
consteval bytes_of_values values_in_steps(
    std::type_identity<nn::detail::recurrence_node<Layer, Input, State, IsStep>>) {
    return {};
}

}  // namespace detail
}  // namespace ashlar
