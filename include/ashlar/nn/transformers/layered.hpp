// SPDX-License-Identifier: BSL-1.0
// Stacks of layers, evaluated one after the other: one plan for all of them, and memory for one.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/workspace.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/nn/transformers/scratch.hpp>

namespace ashlar::nn {

/// Marks (as expression_category) the calls of stacks of layers.
struct layered_category {};

namespace detail {

/// A stack's layers applied to an input: `step(layer, x, i)` is the expression of layer i, `stack->last_step(x)` what
/// follows the last one. All layers have one type, and their results the input's shape.
template <class Stack, class Input, class Step>
struct layered_call {
    using shape_type = shape_of<Input>;
    using value_type = element_of<Input>;
    using expression_category = layered_category;

    const Stack* stack;
    Input input;
    [[no_unique_address]] Step step;
};

}  // namespace detail

/// The call of a stack of layers, such as an `encoder`. It is evaluated, layer by layer, when it is assigned or given
/// to `eval` or `evaluate`; where it is an operand, when the expression around it is built, which then owns the values
/// (and whose `flops` do not have it). Of a call itself, `flops` and `workspace_bytes` are those of everything, and
/// `explain` shows the plan of a layer, which is the same for all of them, and how often it runs; `plan` is empty.
template <class Expression>
concept layered_expression =
    any_expression<Expression> &&
    std::same_as<typename std::remove_cvref_t<Expression>::expression_category, layered_category>;

namespace detail {

/// The call of a stack's layers.
template <class Stack, any_expression Input, class Step>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_layers(const Stack& stack, Input&& x,
                                                              const Step& step) noexcept {
    return layered_call<Stack, ashlar::detail::held<Input>, Step>{&stack, ashlar::detail::hold(std::forward<Input>(x)),
                                                                  step};
}

/// What a node holds of a call: its values, since there is no expression of all layers.
template <layered_expression Call>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto borrow(const Call& call) noexcept {
    return ashlar::eval(call);
}

/// A layer's expression, behind what is evaluated when it is built: what the step says so (see decoder_stack::decode).
template <class Step, class Layer, class Source, class Expression, std::size_t Times>
struct layer_part {
    using type = ashlar::detail::plan_part<Times, Expression>;
};
template <class Part, class Expression, std::size_t Times>
struct part_before;
template <class... Before, class Expression, std::size_t Times>
struct part_before<ashlar::detail::plan_part<1, Before...>, Expression, Times> {
    using type = ashlar::detail::plan_part<Times, Before..., Expression>;
};
template <class Step, class Layer, class Source, class Expression, std::size_t Times>
    requires requires { typename Step::template evaluated<Layer, Source>; }
struct layer_part<Step, Layer, Source, Expression, Times>
    : part_before<typename Step::template evaluated<Layer, Source>, Expression, Times> {};

template <class... Calls>
struct layered_plan;

/// What an evaluation of a call consists of: its expressions, its places, and the scratch for both. Results go to the
/// destination and to a buffer by turns, so that the last one ends in the destination.
template <class Stack, class Input, class Step>
struct layered_plan<layered_call<Stack, Input, Step>> {
    using call = layered_call<Stack, Input, Step>;
    using value_type = typename call::value_type;
    using source = dense_view<const value_type, typename call::shape_type>;
    using place = dense_view<value_type, typename call::shape_type>;
    using layer_type = std::remove_cvref_t<decltype(std::declval<const Stack&>().layers[0])>;

    /// Whether a step writes to caches when it is called, and the scratch that takes.
    static constexpr bool appends = requires { Step::template append_bytes<layer_type, source, current_config>; };
    template <class Config>
    static constexpr std::size_t append_bytes = [] {
        if constexpr (appends)
            return Step::template append_bytes<layer_type, source, Config>;
        else
            return std::size_t{0};
    }();
    /// The expression of layer i.
    template <class Config>
    ASHLAR_ALWAYS_INLINE static constexpr auto layer_of(const call& c, const source& x, std::size_t i,
                                                        workspace<append_bytes<Config>>& scratch) noexcept {
        if constexpr (appends)
            return c.step(c.stack->layers[i], x, i, scratch);
        else
            return c.step(c.stack->layers[i], x, i);
    }
    using layer =
        decltype(layer_of<current_config>(std::declval<const call&>(), std::declval<const source&>(), std::size_t{},
                                          std::declval<workspace<append_bytes<current_config>>&>()));

    static constexpr bool finishes = Stack::has_last_step;
    static constexpr std::size_t layers = Stack::layer_count;
    static constexpr std::size_t steps = layers + (finishes ? 1 : 0);
    /// Whether the input is read where it lies.
    static constexpr bool reads_input = std::is_same_v<Input, source>;
    static constexpr std::size_t buffer_bytes =
        (call::shape_type::size * sizeof(value_type) + ashlar::detail::scratch_alignment - 1) /
        ashlar::detail::scratch_alignment * ashlar::detail::scratch_alignment;

    template <class Config>
    static consteval std::size_t step_scratch() {
        std::size_t bytes = ashlar::detail::expression_scratch<layer, Config>;
        if (append_bytes < Config >> bytes) bytes = append_bytes<Config>;
        if constexpr (!reads_input)
            if (ashlar::detail::expression_scratch<Input, Config> > bytes)
                bytes = ashlar::detail::expression_scratch<Input, Config>;
        if constexpr (finishes) {
            using last = decltype(std::declval<const Stack&>().last_step(std::declval<const source&>()));
            if (ashlar::detail::expression_scratch<last, Config> > bytes)
                bytes = ashlar::detail::expression_scratch<last, Config>;
        }
        return bytes;
    }
    template <class Config>
    static constexpr std::size_t scratch_bytes = buffer_bytes + step_scratch<Config>();
    /// What runs, in order.
    static consteval auto parts() {
        using namespace ashlar::detail;
        const auto with_input = [] {
            if constexpr (array_expression<Input>)
                return plan_parts<>{};
            else
                return plan_parts<plan_part<1, Input>>{};
        };
        const auto with_last = [] {
            if constexpr (finishes)
                return plan_parts<
                    plan_part<1, decltype(std::declval<const Stack&>().last_step(std::declval<const source&>()))>>{};
            else
                return plan_parts<>{};
        };
        return with_input() +
               plan_parts<typename layer_part<Step, typename decltype(Stack::layers)::value_type, source, layer,
                                              layers>::type>{} +
               with_last();
    }
};

/// Runs a call into dense memory. Taken bytes of what the caller has lie on the stack.
template <class Call, class Config, std::size_t Taken>
struct layered_run {
    using plan = layered_plan<Call>;
    using value_type = typename plan::value_type;
    using source = typename plan::source;
    using place = typename plan::place;
    using destination_memory = ashlar::detail::destination_memory;

    static void run(const Call& call, value_type* destination, std::byte* memory) noexcept {
        value_type* const buffer = reinterpret_cast<value_type*>(memory);
        auto& own = append_scratch(memory);
        value_type* to = plan::steps % 2 == 1 ? destination : buffer;
        const auto other = [&](const value_type* p) { return p == destination ? buffer : destination; };
        const value_type* from = other(to);
        if constexpr (plan::reads_input) {
            // Where the first layer writes to what it reads, it reads a copy.
            if (to == destination && ashlar::detail::share_memory<Config>(call.input, place(destination)))
                ashlar::detail::copy_apart<Config, place, source>(buffer, call.input.data());
            else
                from = call.input.data();
        } else {
            // The buffer overlaps nothing; of a destination that does, it holds the input first.
            value_type* const at = from == destination && overlaps_input(call, destination) ? buffer : other(to);
            if constexpr (array_expression<decltype(call.input)>)
                ashlar::detail::copy_apart<Config, place, std::remove_cvref_t<decltype(call.input)>>(at,
                                                                                                     call.input.data());
            else
                evaluate_to<destination_memory::fresh>(at, call.input, memory);
            if (at != from) ashlar::detail::copy_apart<Config, place, place>(other(to), at);
        }
        for (std::size_t i = 0; i < plan::layers; ++i) {
            const typename plan::layer& layer = plan::template layer_of<Config>(call, source(from), i, own);
            if (to == buffer) {
                evaluate_to<destination_memory::fresh>(to, layer, memory);
            } else if (i + 1 == plan::steps) {
                evaluate_to<destination_memory::shared>(to, layer, memory);
            } else if (overlaps<typename plan::layer>(layer, destination)) {
                finish_apart(call, layer, i, destination, memory);
                return;
            } else {
                evaluate_to<destination_memory::fresh>(to, layer, memory);
            }
            from = to;
            to = other(to);
        }
        if constexpr (plan::finishes)
            evaluate_to<destination_memory::shared>(to, call.stack->last_step(source(from)), memory);
    }

    /// Scratch of what a step appends, which has ended when the layer's evaluation takes the same bytes.
    static workspace<plan::template append_bytes<Config>>& append_scratch(std::byte* memory) noexcept {
        return *std::launder(
            reinterpret_cast<workspace<plan::template append_bytes<Config>>*>(memory + plan::buffer_bytes));
    }

    template <destination_memory Memory, std::size_t More = 0, class Expression>
    static void evaluate_to(value_type* to, const Expression& e, std::byte* memory) noexcept {
        place there(to);
        ashlar::detail::run_with_scratch<Config, Memory, Taken + More>(there, e, memory + plan::buffer_bytes);
    }

    template <class Expression>
    static bool overlaps(const Expression& e, value_type* destination) noexcept {
        return ashlar::detail::find_overlap<ashlar::detail::planned<Expression, Config>>(e, place(destination)) !=
               ashlar::detail::overlap::none;
    }

    /// The layers from one on whose expression overlaps the destination, as later ones may, which has to wait for the
    /// last result: a copy on the stack takes its part.
    ASHLAR_NOINLINE static void finish_apart(const Call& call, const typename plan::layer& layer, std::size_t i,
                                             value_type* destination, std::byte* memory) noexcept {
        if constexpr (ashlar::detail::copy_fits<Call, Config, Taken>) {
            constexpr std::size_t bytes = ashlar::detail::copy_bytes<Call>;
            alignas(ashlar::detail::scratch_alignment) value_type values[Call::shape_type::size];
            value_type *to = values, *from = reinterpret_cast<value_type*>(memory);
            evaluate_to<destination_memory::fresh, bytes>(to, layer, memory);
            while (++i < plan::layers) {
                std::swap(from, to);
                evaluate_to<destination_memory::fresh, bytes>(
                    to, plan::template layer_of<Config>(call, source(from), i, append_scratch(memory)), memory);
            }
            if constexpr (plan::finishes) {
                std::swap(from, to);
                evaluate_to<destination_memory::fresh, bytes>(to, call.stack->last_step(source(from)), memory);
            }
            ashlar::detail::copy_apart<Config, place, place>(destination, to);
        } else {
            ASHLAR_ASSERT(false, "ashlar: nn: the destination overlaps what the layers read and is too large to copy");
        }
    }

    static bool overlaps_input(const Call& call, value_type* destination) noexcept {
        using input = std::remove_const_t<decltype(call.input)>;
        if constexpr (node_expression<input>)
            return overlaps<input>(call.input, destination);
        else
            return ashlar::detail::share_memory<Config>(call.input, place(destination));
    }

    /// In a constant expression.
    static constexpr void run_constant(const Call& call, value_type* destination) {
        ashlar::detail::value_tensor<Call> x{};
        const auto set = [&x](const auto& e) {
            if constexpr (array_expression<decltype(e)>)
                ashlar::detail::assign<Config>(x, e);
            else
                ashlar::detail::assign_constant<Config>(x, e);
        };
        set(call.input);
        workspace<plan::template append_bytes<Config>> own{};
        for (std::size_t i = 0; i < plan::layers; ++i)
            set(plan::template layer_of<Config>(call, source(x.data()), i, own));
        if constexpr (plan::finishes) set(call.stack->last_step(source(x.data())));
        ashlar::detail::copy_apart<Config, place, source>(destination, static_cast<const value_type*>(x.data()));
    }

    /// Into any array; one that is not dense gets a copy of a dense one.
    template <class Destination>
    static constexpr void run_into(Destination& destination, const Call& call, std::byte* memory) noexcept {
        if constexpr (ashlar::detail::is_dense<Destination>) {
            if (std::is_constant_evaluated())
                run_constant(call, destination.data());
            else
                run(call, destination.data(), memory);
        } else {
            using result = ashlar::detail::value_tensor<Call>;
            constexpr bool fits = ashlar::detail::result_on_stack<sizeof(result), Taken, Config::stack_budget>::fits;
            static_assert(
                ashlar::detail::result_on_stack<sizeof(result), Taken, Config::stack_budget>::fits,
                "ashlar: nn: the result for a strided destination exceeds what is left of ASHLAR_STACK_BUDGET; evaluate into a tensor or a dense view");
            if constexpr (fits) {
                result values;
                layered_run<Call, Config, Taken + sizeof(result)>::run_into(values, call, memory);
                const value_type* const from = values.data();
                ashlar::detail::copy_apart<Config, Destination, result>(destination.data(), from);
            }
        }
    }
};

/// Scratch on the stack, in a function of its own.
template <class Call, class Config, class Destination>
ASHLAR_NOINLINE void run_layers_on_stack(Destination& destination, const Call& call) noexcept {
    constexpr std::size_t bytes = layered_plan<Call>::template scratch_bytes<Config>;
    alignas(ashlar::detail::scratch_alignment) std::byte memory[bytes];
    layered_run<Call, Config, bytes>::run_into(destination, call, memory);
}

}  // namespace detail
}  // namespace ashlar::nn

namespace ashlar {
namespace detail {

template <class Stack, class Input, class Step, class Config>
inline constexpr std::size_t expression_scratch<nn::detail::layered_call<Stack, Input, Step>, Config> =
    nn::detail::layered_plan<nn::detail::layered_call<Stack, Input, Step>>::template scratch_bytes<Config>;
template <class Stack, class Input, class Step>
inline constexpr auto plan_parts_of<nn::detail::layered_call<Stack, Input, Step>> =
    nn::detail::layered_plan<nn::detail::layered_call<Stack, Input, Step>>::parts();
template <class Stack, class Input, class Step>
inline constexpr std::size_t expression_flops<nn::detail::layered_call<Stack, Input, Step>> =
    count_flops(plan_parts_of<nn::detail::layered_call<Stack, Input, Step>>);

/// Assignment of the call of a stack of layers.
template <class Destination, nn::layered_expression Source, class Config>
struct assignment<Destination, Source, Config> {
    template <destination_memory Memory = destination_memory::shared>
    static constexpr void run(Destination& destination, const Source& source) noexcept {
        constexpr std::size_t bytes = nn::detail::layered_plan<Source>::template scratch_bytes<Config>;
        static_assert(
            scratch_on_stack<bytes, Config::stack_budget>::fits,
            "ashlar: nn: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget");
        if constexpr (scratch_on_stack<bytes, Config::stack_budget>::fits) {
            if (std::is_constant_evaluated())
                nn::detail::layered_run<Source, Config, 0>::run_into(destination, source, nullptr);
            else
                nn::detail::run_layers_on_stack<Source, Config>(destination, source);
        }
    }
};

}  // namespace detail

/// Evaluates a stack of layers with scratch of the caller's, at least workspace_bytes<Expression> of it. The
/// destination may overlap the input, and, at the price of a copy on the stack, what else the layers read (the memory
/// of a decoder).
///
///     static workspace<workspace_bytes<decltype(encoder(x))>> scratch;
///     evaluate(y, encoder(x), scratch);
template <class Destination, nn::layered_expression Expression, std::size_t Bytes, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch) noexcept {
    if constexpr (detail::check_assignment<std::remove_cvref_t<Destination>, Expression>()) {
        constexpr std::size_t needed = nn::detail::layered_plan<Expression>::template scratch_bytes<Config>;
        static_assert(detail::workspace_size<Bytes, needed>::suffices,
                      "ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes");
        if constexpr (Bytes >= needed)
            nn::detail::layered_run<Expression, Config, 0>::run_into(destination, e, scratch.bytes);
    }
}

}  // namespace ashlar
