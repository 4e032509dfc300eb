// SPDX-License-Identifier: BSL-1.0
// Evaluation: eval, evaluate and assignment, at run time by kernels and in constant expressions by plain loops.
#pragma once

#include <ashlar/eval/alias.hpp>
#include <ashlar/eval/constant.hpp>
#include <ashlar/eval/workspace.hpp>
#include <ashlar/plan/cost.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar {
namespace detail {

/// Whether scratch may lie on the stack.
template <std::size_t Bytes, std::size_t Budget>
struct scratch_on_stack {
    static constexpr bool fits = Bytes <= Budget;
};

/// Whether a workspace is as large as a plan asks for.
template <std::size_t Given, std::size_t Needed>
struct workspace_size {
    static constexpr bool suffices = Given >= Needed;
};

template <class Destination>
consteval axis_list destination_strides() {
    axis_list strides{};
    for (std::size_t a = 0; a < Destination::shape_type::rank; ++a) strides[a] = Destination::strides[a];
    return spelled_out(strides);
}

/// A plan's run, apart from who provides scratch.
template <class P, class T>
struct evaluation {
    using config = typename P::configuration;
    using expression_type = typename P::expression_type;
    static constexpr std::size_t elements = expression_type::shape_type::size;
    static constexpr std::size_t result_bytes = (elements * sizeof(T) + scratch_alignment - 1) / scratch_alignment * scratch_alignment;

    /// For a destination that overlaps what is read: into a dense copy first.
    template <class Destination>
    ASHLAR_NOINLINE static void run_staged(const expression_type& e, Destination& destination, std::byte* scratch) noexcept {
        using dense = planned<expression_type, config>;
        alignas(scratch_alignment) T staged[elements];
        if constexpr (dense::code.scratch_bytes <= P::code.scratch_bytes) {
            run_program<dense>(e, staged, scratch);
        } else {
            alignas(scratch_alignment) std::byte own[dense::code.scratch_bytes];
            run_program<dense>(e, staged, own);
        }
        copy_apart<config, Destination, dense_like<Destination>>(destination.data(), static_cast<const T*>(staged));
    }

    template <class Destination>
    ASHLAR_ALWAYS_INLINE static void run(const expression_type& e, Destination& destination, std::byte* scratch) noexcept {
        if (needs_staging<P>(e, destination)) {
            if constexpr (result_bytes <= config::stack_budget) {
                run_staged(e, destination, scratch);
                return;
            } else {
                ASHLAR_ASSERT(false, "ashlar: evaluate: the destination overlaps an operand and is too large to copy");
            }
        }
        run_program<P>(e, destination.data(), scratch);
    }

    template <class Destination>
    static void run_on_stack(const expression_type& e, Destination& destination) noexcept {
        constexpr std::size_t bytes = P::code.scratch_bytes;
        static_assert(scratch_on_stack<bytes, config::stack_budget>::fits,
                      "ashlar: evaluate: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget");
        if constexpr (bytes == 0) {
            run(e, destination, nullptr);
        } else if constexpr (scratch_on_stack<bytes, config::stack_budget>::fits) {
            alignas(scratch_alignment) std::byte scratch[bytes];
            run(e, destination, scratch);
        }
    }
};

/// Assignment of a lazy node.
template <class Destination, node_expression Source, class Config>
struct assignment<Destination, Source, Config> {
    static constexpr void run(Destination& destination, const Source& source) noexcept {
        using T = typename Destination::value_type;
        if (std::is_constant_evaluated()) {
            const auto values = constant_evaluate(source);
            copy_apart<Config, Destination, dense_like<Destination>>(destination.data(), values.data());
        } else {
            using plan = planned<Source, Config, destination_strides<Destination>()>;
            evaluation<plan, T>::run_on_stack(source, destination);
        }
    }
};

}  // namespace detail

/// Bytes of scratch, beyond those of workspace_bytes<E>, that an evaluation of E takes from the stack when its
/// destination overlaps what it reads. Where they exceed ASHLAR_STACK_BUDGET, not overlapping is a precondition.
template <class E>
inline constexpr std::size_t alias_workspace_bytes = [] {
    if constexpr (node_expression<std::remove_cvref_t<E>>)
        return (shape_of<E>::size * sizeof(element_of<E>) + detail::scratch_alignment - 1) / detail::scratch_alignment * detail::scratch_alignment;
    else
        return std::size_t{0};
}();

/// The values of an expression as a tensor of its shape. Scratch lies on the stack (at most ASHLAR_STACK_BUDGET bytes,
/// checked at compile time, as is the size of the result); nothing is allocated. Works in constant expressions.
///
///     tensor<float, 2, 2> y = eval(softmax(x));
template <expression E, class Config = current_config>
[[nodiscard]] constexpr auto eval(const E& e) noexcept {
    using result = detail::value_tensor<std::remove_cvref_t<E>>;
    static_assert(detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits,
                  "ashlar: eval: the result exceeds ASHLAR_STACK_BUDGET; evaluate into a destination of your own");
    if constexpr (detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits) {
        if (std::is_constant_evaluated()) {
            result out{};
            detail::assign<Config>(out, e);
            return out;
        }
        result out;
        detail::assign<Config>(out, e);
        return out;
    }
}

/// Evaluates into a destination (a tensor or a view of the same shape and element type), which may overlap what the
/// expression reads. Scratch lies on the stack.
///
///     evaluate(out, matmul(softmax(scores), values));
template <class Destination, expression E, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const E& e) noexcept {
    detail::assign<Config>(destination, e);
}

/// The same with scratch of the caller's, at least workspace_bytes<E> of it.
///
///     static workspace<workspace_bytes<decltype(e)>> scratch;
///     evaluate(out, e, scratch);
template <class Destination, expression E, std::size_t Bytes, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const E& e, workspace<Bytes>& scratch) noexcept {
    using target = std::remove_cvref_t<Destination>;
    using T = typename target::value_type;
    if constexpr (node_expression<E>) {
        detail::check_assignment<target, E>();
        if constexpr (detail::assigned_shape<typename target::shape_type, shape_of<E>>::matches) {
            using plan = detail::planned<E, Config, detail::destination_strides<target>()>;
            static_assert(detail::workspace_size<Bytes, plan::code.scratch_bytes>::suffices,
                          "ashlar: evaluate: the workspace is too small; it needs workspace_bytes<E> bytes");
            if (std::is_constant_evaluated())
                detail::assign<Config>(destination, e);
            else
                detail::evaluation<plan, T>::run(e, destination, scratch.bytes);
        }
    } else {
        detail::assign<Config>(destination, e);
    }
}

}  // namespace ashlar
