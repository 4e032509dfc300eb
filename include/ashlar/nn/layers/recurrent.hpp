// SPDX-License-Identifier: BSL-1.0
// What `lstm`, `gru` and `rnn` share: their weights and the names of these, their state, and the checks of a call.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/recurrence.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// What a recurrent layer knows of the steps so far: h [layers * directions, Batch..., Out] and, of an `lstm`, c
/// [layers * directions, Batch..., Memory], as PyTorch's h_0 and c_0. The layer names it: `lstm<...>::state<Batch...>`.
///
///     static nn::lstm<{.in = 40, .hidden = 64}> listen{};
///     static decltype(listen)::state<> heard{};   // zeros
///     heard.reset();                              // zeros again
template <class Value, std::size_t Cells, std::size_t Out, std::size_t Memory, std::size_t... Batch>
struct recurrent_state {
    /// Bytes of h and c.
    static constexpr std::size_t bytes = Cells * (Out + Memory) * (std::size_t{1} * ... * Batch) * sizeof(Value);

    basic_tensor<Value, Cells, Batch..., Out> h;
    [[no_unique_address]] std::conditional_t<Memory != 0, basic_tensor<Value, Cells, Batch..., Memory>, no_array> c;

    /// Forgets all steps.
    constexpr void reset() noexcept {
        h = 0;
        if constexpr (Memory != 0) c = 0;
    }
};

namespace detail {

/// Whether the sizes among the options of a recurrent layer are possible.
template <std::size_t Inputs, std::size_t Width, std::size_t Layers>
struct recurrent_options {
    static constexpr bool valid = Inputs != 0 && Width != 0 && Layers != 0;
};
/// Whether a projection makes fewer entries than it gets, as PyTorch requires it.
template <std::size_t Projection, std::size_t Width>
struct recurrent_projection {
    static constexpr bool is_narrower = Projection < Width;
};

/// Whether an input has steps of the width that a layer wants.
template <class Input, std::size_t Inputs, bool IsStep>
struct recurrent_input {
    static consteval bool check() {
        if constexpr (Input::rank < (IsStep ? 1 : 2))
            return false;
        else
            return Input::extents[Input::rank - 1] == Inputs;
    }
    static constexpr bool fits = check();
};

/// The state for an input's batch axes: all but the last one and, of a sequence, but the steps.
template <class Layer, class Input, std::size_t First, class Axes>
struct state_of_axes;
template <class Layer, class Input, std::size_t First, std::size_t... Axis>
struct state_of_axes<Layer, Input, First, std::index_sequence<Axis...>> {
    using type = typename Layer::template state<Input::extents[First + Axis]...>;
};
template <class Layer, class Input, bool IsStep>
using state_for = typename state_of_axes<Layer, Input, IsStep || Layer::options.batch_first ? 0 : 1,
                                         std::make_index_sequence<Input::rank - (IsStep ? 1 : 2)>>::type;

/// Whether a state, if there is one, is that of a layer for the batch of an input.
template <class State, class Expected>
struct recurrent_state_of {
    static constexpr bool fits = std::is_void_v<State> || std::is_same_v<State, Expected>;
};

template <class State>
inline constexpr bool is_recurrent_state = false;
template <class Value, std::size_t Cells, std::size_t Out, std::size_t Memory, std::size_t... Batch>
inline constexpr bool is_recurrent_state<recurrent_state<Value, Cells, Out, Memory, Batch...>> = true;
template <class State>
concept any_recurrent_state = is_recurrent_state<State>;

/// `lstm`, `gru`, `rnn`: layers with the formulas of a step.
template <class Layer>
concept any_recurrent_layer = requires { typename Layer::formulas; };

/// Whether a layer can run step by step.
template <std::size_t Directions>
struct recurrent_step {
    static constexpr bool is_possible = Directions == 1;
};

/// The elements in which a layer computes: those of its biases, or floats where these have 16 bits.
template <class Element>
using recurrent_value = std::conditional_t<ashlar::detail::is_narrow<Element>, float, Element>;

/// A name of PyTorch's: a stem, the number of the layer and, of the way back, `_reverse`.
struct recurrent_name {
    std::array<char, 40> characters{};

    consteval recurrent_name(const char* stem, std::size_t layer, bool reverse) {
        std::size_t length = 0;
        const auto put = [&](const char* text) {
            while (*text != '\0') characters[length++] = *text++;
        };
        put(stem);
        std::size_t unit = 1;
        while (layer / unit >= 10) unit *= 10;
        for (; unit != 0; unit /= 10) characters[length++] = static_cast<char>('0' + layer / unit % 10);
        if (reverse) put("_reverse");
    }
};
template <std::size_t Layer, bool Reverse>
struct recurrent_names {
    static constexpr recurrent_name weight_ih{"weight_ih_l", Layer, Reverse}, weight_hh{"weight_hh_l", Layer, Reverse},
        bias_ih{"bias_ih_l", Layer, Reverse}, bias_hh{"bias_hh_l", Layer, Reverse},
        weight_hr{"weight_hr_l", Layer, Reverse};
};

/// What one layer in one direction multiplies h by. The columns of a matrix are the gates, each `width` wide.
template <class Element, class Weight, std::size_t Panel, bool Bias, std::size_t Gates, std::size_t Width,
          std::size_t Out>
struct recurrent_weights {
    static constexpr std::size_t gate_width = Gates * Width;
    static constexpr bool has_bias = Bias, has_projection = Out != Width;
    using element = Element;

    weight_matrix<Weight, Panel, Out, Gates * Width> weight_hh;
    [[no_unique_address]] optional_vector<Bias, Element, Gates * Width> bias_hh;
    [[no_unique_address]]
    typename std::conditional_t<has_projection,
                                weight_matrix_of<typename weights_by_use<Weight>::first, Panel, Width, Out>,
                                std::type_identity<no_array>>::type weight_hr;
};

/// One layer in one direction, whose input has In entries. All cells of a layer's width share the type `Recurrent`.
template <class Recurrent, class Weight, std::size_t Panel, std::size_t In>
struct recurrent_cell {
    using element = typename Recurrent::element;

    weight_matrix<Weight, Panel, In, Recurrent::gate_width> weight_ih;
    [[no_unique_address]] optional_vector<Recurrent::has_bias, element, Recurrent::gate_width> bias_ih;
    Recurrent recurrent;
};

template <std::size_t Layer, bool Reverse, class Cell, class Visitor>
constexpr void members_of_cell(Cell& cell, Visitor&& visit) {
    using names = recurrent_names<Layer, Reverse>;
    using recurrent = decltype(cell.recurrent);
    visit(names::weight_ih.characters.data(), transposed(cell.weight_ih));
    visit(names::weight_hh.characters.data(), transposed(cell.recurrent.weight_hh));
    if constexpr (recurrent::has_bias) {
        visit(names::bias_ih.characters.data(), cell.bias_ih);
        visit(names::bias_hh.characters.data(), cell.recurrent.bias_hh);
    }
    if constexpr (recurrent::has_projection)
        visit(names::weight_hr.characters.data(), transposed(cell.recurrent.weight_hr));
}

/// A cell of a layer: those of the first layer see the input, all others the layer before.
template <std::size_t Layer, std::size_t Direction, class Module>
ASHLAR_ALWAYS_INLINE constexpr auto& cell_of(Module& m) noexcept {
    // std::get, since nn::parameter_count visits members of an object whose lifetime has not begun.
    if constexpr (Layer == 0)
        return std::get<Direction>(m.first_cells);
    else
        return std::get<(Layer - 1) * Module::directions + Direction>(m.further_cells);
}

/// x as the left operand of products with weights of bf16 or of others.
template <class Element, any_expression Input>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto recurrent_rows(Input&& x) noexcept {
    if constexpr (ashlar::detail::is_bf16<Element>)
        return cast<bf16>(std::forward<Input>(x));
    else
        return ashlar::detail::hold(std::forward<Input>(x));
}

/// What the inputs add to all gates: one product for all steps. With BothBiases it includes the bias of h.
template <bool BothBiases, class Cell, any_expression Input>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto recurrent_inputs(const Cell& cell, Input&& x) noexcept {
    using recurrent = decltype(cell.recurrent);
    auto product = matmul(recurrent_rows<typename Cell::element>(std::forward<Input>(x)), cell.weight_ih);
    if constexpr (!recurrent::has_bias)
        return product;
    else if constexpr (BothBiases)
        return std::move(product) + cell.bias_ih + cell.recurrent.bias_hh;
    else
        return std::move(product) + cell.bias_ih;
}

/// What h adds to all gates, without a bias.
template <class Recurrent, any_expression State>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto recurrent_product(const Recurrent& weights, const State& h) noexcept {
    return matmul(recurrent_rows<typename Recurrent::element>(h), weights.weight_hh);
}

/// The same with the bias of h.
template <class Recurrent, any_expression State>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto recurrent_product_with_bias(const Recurrent& weights,
                                                                              const State& h) noexcept {
    if constexpr (Recurrent::has_bias)
        return recurrent_product(weights, h) + weights.bias_hh;
    else
        return recurrent_product(weights, h);
}

/// The entries of gate Index of all gates.
template <std::size_t Index, std::size_t Width, any_expression Gates>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gate(Gates&& all) noexcept {
    return slice<1, Index * Width, (Index + 1) * Width>(std::forward<Gates>(all));
}

/// The result of a step, which is also stored to y if that is an array.
template <class Result, any_expression Step>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto stored_step([[maybe_unused]] Result& y, Step&& step) noexcept {
    if constexpr (std::is_same_v<Result, no_array>)
        return std::forward<Step>(step);
    else
        return store(y, std::forward<Step>(step));
}

/// The call of a layer: of a sequence or of a step, from a state on, or from zeros.
template <bool IsStep, class State = void, class Layer, any_expression Input>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_recurrent(const Layer& layer, Input&& x,
                                                                 State* state = nullptr) noexcept {
    static_assert(
        recurrent_input<shape_of<Input>, Layer::in, IsStep>::fits,
        "ashlar: nn: the input of a recurrent layer must be [..., steps, in] with .in as the options say; for "
        "one step, [..., in], write layer.step(x, state)");
    if constexpr (!recurrent_input<shape_of<Input>, Layer::in, IsStep>::fits) {
        return refused_rows<shape_of<Input>, Layer::out * Layer::directions, element_of<Input>>();
    } else {
        using expected = state_for<Layer, shape_of<Input>, IsStep>;
        static_assert(recurrent_state_of<State, expected>::fits,
                      "ashlar: nn: the state must be the layer's own for the batch axes of the input; write "
                      "decltype(layer)::state<batch>");
        if constexpr (!recurrent_state_of<State, expected>::fits)
            return refused_rows<shape_of<Input>, Layer::out * Layer::directions, element_of<Input>>();
        else
            return recurrence_node<Layer, ashlar::detail::held<Input>, State, IsStep>{
                {}, ashlar::detail::hold(std::forward<Input>(x)), &layer, state};
    }
}

/// The members and the calls of a recurrent layer. Its Cell has the formulas: `gates`, the entries of h and of c
/// (`out`, `memory`), and the functions `inputs_of` and `step_of`.
template <auto Options, class Cell, class Element, class Weight, std::size_t Panel>
struct recurrent_layer {
    static constexpr auto options = Options;
    static constexpr auto initialization = detail::initialization::recurrent;
    static constexpr std::size_t in = Options.in, hidden = Options.hidden, layer_count = Options.layers,
                                 directions = Options.bidirectional ? 2 : 1, gates = Cell::gates, out = Cell::out,
                                 memory = Cell::memory;
    static_assert(recurrent_options<in, hidden, layer_count>::valid,
                  "ashlar: nn: a recurrent layer needs .in, .hidden and .layers that are not 0");

    using formulas = Cell;
    using value_type = recurrent_value<Element>;
    using recurrent = recurrent_weights<Element, Weight, Panel, Options.bias, gates, hidden, out>;
    using first_cell = recurrent_cell<recurrent, Weight, Panel, in>;
    using further_cell = recurrent_cell<recurrent, Weight, Panel, out * directions>;
    /// The state for inputs with these batch axes.
    template <std::size_t... Batch>
    using state = recurrent_state<value_type, layer_count * directions, out, memory, Batch...>;
    /// Bytes of the state for one input without batch axes.
    static constexpr std::size_t state_bytes = state<>::bytes;

    std::array<first_cell, directions> first_cells;
    [[no_unique_address]] std::conditional_t<layer_count != 1, std::array<further_cell, (layer_count - 1) * directions>,
                                             no_array> further_cells;

    /// The results of all steps from a state of zeros: [..., T, out * directions]. It borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        return call_recurrent<false>(*this, std::forward<Input>(x));
    }
    /// The same from a state on, which holds h and c after the last step when the expression has been evaluated. Each
    /// evaluation takes the state further. With a limit of rows the state is that after the last step of the longest
    /// entry.
    template <any_expression Input, any_recurrent_state State>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, State& s) const& noexcept {
        return call_recurrent<false>(*this, std::forward<Input>(x), &s);
    }
    /// One step: [..., in] to [..., out], and the state a step further.
    template <any_expression Input, any_recurrent_state State>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto step(Input&& x, State& s) const& noexcept {
        static_assert(recurrent_step<directions>::is_possible,
                      "ashlar: nn: a bidirectional layer has no single step, since its second direction begins at the "
                      "last one; call it with all steps");
        return call_recurrent<true>(*this, std::forward<Input>(x), &s);
    }
    template <any_expression Input, class... State>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, State&... s) const&& noexcept {
        return named(*this)(std::forward<Input>(x), s...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    /// All arrays in PyTorch's order: layer after layer, in each the way forth and the way back.
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (members_of_cell<Index / directions, (Index % directions != 0)>(
                 cell_of<Index / directions, Index % directions>(self), visit),
             ...);
        }(std::make_index_sequence<layer_count * directions>{});
    }
};

}  // namespace detail
}  // namespace ashlar::nn
