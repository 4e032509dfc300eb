// SPDX-License-Identifier: BSL-1.0
// Runs sequences: step after step, each by its plan, from memory to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/sequence_limits.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// The values of a sequence that a node holds, since there is no expression of all steps; its type says what it took
/// to compute them.
template <class Sequence>
struct sequence_values : value_tensor<Sequence> {};
template <class Sequence>
inline constexpr bool is_owning_tensor<sequence_values<Sequence>> = true;

/// As `evaluated`, and with the check of `borrow`.
template <class Config, class Sequence>
constexpr sequence_values<Sequence> values_of_sequence(const Sequence& e) noexcept {
    constexpr std::size_t scratch = expression_scratch<Sequence, Config>;
    constexpr bool fits = result_on_stack<sizeof(value_tensor<Sequence>), scratch, Config::stack_budget>::fits;
    sequence_values<Sequence> result;
    if constexpr (fits) assign<Config, destination_memory::fresh>(result, e);
    return result;
}

template <sequence_expression Sequence>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto borrow(const Sequence& e) noexcept {
    constexpr std::size_t result = sizeof(value_tensor<Sequence>),
                          scratch = expression_scratch<Sequence, current_config>;
    static_assert(
        result_on_stack<result, scratch, current_config::stack_budget>::fits,
        "ashlar: nn: layers that are an operand are evaluated on the stack, when the expression is built, and exceed ASHLAR_STACK_BUDGET; evaluate them into a tensor of yours, with a workspace, and use that");
    return values_of_sequence<current_config>(e);
}

/// One worker runs all of a step.
struct one_worker {
    template <class Config, class Destination, class Expression, class Rows>
    ASHLAR_ALWAYS_INLINE static void run(Destination& destination, const Expression& e, std::byte* scratch,
                                         const limit_reference<Rows>& limit) noexcept {
        run_with_scratch<Config, destination_memory::fresh>(destination, e, workspace_scratch{scratch}, limit);
    }
};

/// Runs a sequence into dense memory. Each expression is evaluated by one function, whatever the destination is and
/// wherever scratch lies; with CopyFits a copy of the result may lie on the stack.
template <class Sequence, class Config, bool CopyFits, class Rows = all_rows, class Workers = one_worker>
struct sequence_run {
    using plan = sequence_plan<Sequence>;
    using value_type = typename plan::value_type;
    using source = typename plan::source;
    using place = typename plan::place;
    static constexpr std::size_t size = plan::shape_type::size;
    /// Results lie where `scratch` begins, or in the destination, by turns.
    struct places {
        value_type* destination;
        std::byte* scratch;
        bool apart;  // whether the destination overlaps nothing that is read
        [[no_unique_address]] sequence_limits<Sequence, Rows> limits;
        [[no_unique_address]] Workers workers;

        value_type* buffer() const { return reinterpret_cast<value_type*>(scratch); }
        std::byte* step_scratch() const { return scratch + plan::buffer_bytes; }
        /// The buffer of a step's result, counted from 0.
        value_type* of(std::size_t step) const { return (plan::step_count - step) % 2 == 1 ? destination : buffer(); }
        value_type* before(std::size_t step) const {
            return (plan::step_count - step) % 2 == 1 ? buffer() : destination;
        }
    };

    template <destination_memory Memory>
    static void run(const Sequence& s, value_type* destination, std::byte* scratch,
                    const limit_reference<Rows>& limit = {}, const Workers& workers = {}) noexcept {
        const sequence_limits<Sequence, Rows> limits = limits_of_steps<Config>(s, limit, scratch);
        if constexpr (Memory == destination_memory::shared)
            if (overlaps(s, destination, scratch)) {
                run_apart(s, destination, scratch, limits, workers);
                return;
            }
        run_from_input(s, {destination, scratch, Memory == destination_memory::fresh, limits, workers});
    }

private:
    template <std::size_t Index>
    using step = typename plan::template step<Index>;

    /// Whether an operand of a step, apart from the results before it, overlaps the destination. A step that computes
    /// when it is called shows its operands only after its first call (`run_steps`). Objects of which each step reads
    /// another part are known before.
    ASHLAR_NOINLINE static bool overlaps(const Sequence& s, value_type* destination, std::byte* scratch) noexcept {
        const source x(reinterpret_cast<const value_type*>(scratch));
        bool found = false;
        plan::for_each_kind([&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
            if constexpr (!step<Index>::acts)
                for (std::size_t i = 0; i < step<Index>::count; ++i)
                    found = found || overlaps_operand(s.template step<Index>()(x, i, nullptr), destination);
            if constexpr (requires { s.template step<Index>().objects; })
                for (const object_bytes& object : s.template step<Index>().objects)
                    found = found || overlaps_object(object, destination);
        });
        return found;
    }
    template <class Expression>
    ASHLAR_ALWAYS_INLINE static bool overlaps_operand(const Expression& e, value_type* destination) noexcept {
        if constexpr (node_expression<Expression>)
            return find_overlap<planned<Expression, Config>>(e, place(destination)) != overlap::none;
        else
            return share_memory<Config>(e, place(destination));
    }

    ASHLAR_ALWAYS_INLINE static bool overlaps_object(const object_bytes& object,
                                                     const value_type* destination) noexcept {
        const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
        return address(destination) < address(object.first) + object.count &&
               address(object.first) < address(destination + size);
    }

    /// Steps read what the destination overlaps: it has to wait for the last result, in a copy.
    ASHLAR_NOINLINE static void run_apart(const Sequence& s, value_type* destination, std::byte* scratch,
                                          const sequence_limits<Sequence, Rows>& limits,
                                          const Workers& workers) noexcept {
        if constexpr (CopyFits) {
            alignas(scratch_alignment) value_type values[size];
            run_from_input(s, {values, scratch, true, limits, workers});
            copy<place>(destination, values);
        } else {
            ASHLAR_ASSERT(false, "ashlar: nn: the destination overlaps what the layers read and is too large to copy");
        }
    }

    ASHLAR_NOINLINE static void run_from_input(const Sequence& s, const places& p) noexcept {
        using input = std::remove_cvref_t<decltype(s.input)>;
        const value_type* from = p.before(0);
        if constexpr (plan::reads_input) {
            // Where the first step writes to what it reads, it reads a copy.
            if (p.of(0) == p.destination && !p.apart && share_memory<Config>(s.input, place(p.destination)))
                copy<source>(p.buffer(), s.input.data());
            else
                from = s.input.data();
        } else {
            // The buffer overlaps nothing; of a destination that does, it holds the input first.
            const bool waits = from == p.destination && !p.apart && overlaps_operand(s.input, p.destination);
            value_type* const to = waits ? p.buffer() : p.before(0);
            if constexpr (array_expression<input> && is_narrow<typename input::value_type>)
                convert_axes<Config, place, input>(to, s.input.data());
            else if constexpr (array_expression<input>)
                copy<input>(to, s.input.data());
            else
                evaluate_to(to, s.input, p, 0);
            if (waits) copy<place>(p.before(0), to);
        }
        run_steps(s, p, from, 0);
    }

    /// Runs the steps from `next` on. The first of them reads `from`.
    ASHLAR_NOINLINE static void run_steps(const Sequence& s, const places& p, const value_type* from,
                                          std::size_t next) noexcept {
        std::size_t first = 0;
        plan::for_each_kind([&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
            for (; next < first + step<Index>::count; ++next) {
                const typename step<Index>::expression& e =
                    s.template step<Index>()(source(from), next - first, p.step_scratch());
                value_type* const to = p.of(next);
                if constexpr (step<Index>::acts)
                    if (to == p.destination && !p.apart && overlaps_operand(e, to)) {
                        finish_apart(s, p, e, next);
                        next = plan::step_count;
                        return;
                    }
                evaluate_to(to, e, p, next + 1);
                from = to;
            }
            first += step<Index>::count;
        });
    }
    /// The same where the destination overlaps what a step reads that has been called.
    template <class Expression>
    ASHLAR_NOINLINE static void finish_apart(const Sequence& s, const places& p, const Expression& e,
                                             std::size_t now) noexcept {
        if constexpr (CopyFits) {
            alignas(scratch_alignment) value_type values[size];
            evaluate_to(values, e, p, now + 1);
            run_steps(s, {values, p.scratch, true, p.limits, p.workers}, values, now + 1);
            copy<place>(p.destination, values);
        } else {
            ASHLAR_ASSERT(false, "ashlar: nn: the destination overlaps what the layers read and is too large to copy");
        }
    }

    /// The result of the step before `step`.
    template <class Expression>
    ASHLAR_ALWAYS_INLINE static void evaluate_to(value_type* to, const Expression& e, const places& p,
                                                 std::size_t step) noexcept {
        place there(to);
        p.workers.template run<Config>(there, e, p.step_scratch(), p.limits.before(step));
    }
    template <class From>
    ASHLAR_ALWAYS_INLINE static void copy(value_type* to, const value_type* from) noexcept {
        copy_apart<Config, place, From>(to, from);
    }
};

/// In a constant expression.
template <class Sequence, class Config>
constexpr void run_constant_sequence(const Sequence& s, typename Sequence::value_type* destination) {
    using plan = sequence_plan<Sequence>;
    using source = typename plan::source;
    value_tensor<Sequence> x{};
    const auto set = [&x](const auto& e) {
        if constexpr (array_expression<decltype(e)>)
            assign<Config>(x, e);
        else
            assign_constant<Config>(x, e);
    };
    set(s.input);
    plan::for_each_kind([&]<std::size_t Index>() {
        for (std::size_t i = 0; i < plan::template step<Index>::count; ++i)
            set(s.template step<Index>()(source(x.data()), i, nullptr));
    });
    copy_apart<Config, source, source>(destination, static_cast<const typename Sequence::value_type*>(x.data()));
}

/// Runs a sequence into any array; one that is not dense, or of f16 or bf16, gets a copy of a dense one of floats.
/// Taken bytes of what the caller has lie on the stack.
template <class Config, destination_memory Memory, std::size_t Taken, class Destination, class Sequence,
          class Rows = all_rows, class Workers = one_worker>
constexpr void run_sequence(Destination& destination, const Sequence& s, std::byte* scratch,
                            const limit_reference<Rows>& limit = {}, const Workers& workers = {}) noexcept {
    if constexpr (is_dense<Destination> && !is_narrow<typename Destination::value_type>) {
        constexpr bool fits = Memory == destination_memory::fresh || copy_fits<Sequence, Config, Taken>;
        if (__builtin_is_constant_evaluated())
            run_constant_sequence<Sequence, Config>(s, destination.data());
        else
            sequence_run<Sequence, Config, fits, Rows, Workers>::template run<Memory>(s, destination.data(), scratch,
                                                                                      limit, workers);
    } else {
        using result = value_tensor<Sequence>;
        constexpr bool fits = result_on_stack<sizeof(result), Taken, Config::stack_budget>::fits;
        static_assert(
            result_on_stack<sizeof(result), Taken, Config::stack_budget>::fits,
            "ashlar: nn: the result for a strided destination exceeds what is left of ASHLAR_STACK_BUDGET; evaluate into a tensor or a dense view");
        if constexpr (fits) {
            result values;
            run_sequence<Config, destination_memory::fresh, Taken + sizeof(result)>(values, s, scratch, limit, workers);
            if constexpr (is_narrow<typename Destination::value_type>)
                convert_axes<Config, Destination, result>(destination.data(), values.data());
            else
                copy_apart<Config, Destination, result>(
                    destination.data(), static_cast<const typename Sequence::value_type*>(values.data()));
        }
    }
}

/// Scratch on the stack, in a function of its own.
template <class Config, destination_memory Memory, class Destination, class Sequence, class Rows = all_rows>
ASHLAR_NOINLINE void run_sequence_on_stack(Destination& destination, const Sequence& s,
                                           const limit_reference<Rows>& limit = {}) noexcept {
    constexpr std::size_t bytes = expression_scratch<Sequence, Config>;
    alignas(scratch_alignment) std::byte scratch[bytes];
    run_sequence<Config, Memory, bytes>(destination, s, scratch, limit);
}

/// Assignment of a sequence.
template <class Destination, sequence_expression Source, class Config>
struct assignment<Destination, Source, Config> {
    template <destination_memory Memory = destination_memory::shared, class Rows = all_rows>
    static constexpr void run(Destination& destination, const Source& source,
                              const limit_reference<Rows>& limit = {}) noexcept {
        constexpr std::size_t bytes = expression_scratch<Source, Config>;
        static_assert(
            scratch_on_stack<bytes, Config::stack_budget>::fits,
            "ashlar: nn: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget");
        if constexpr (scratch_on_stack<bytes, Config::stack_budget>::fits) {
            if (__builtin_is_constant_evaluated())
                run_sequence<Config, Memory, 0>(destination, source, nullptr, limit);
            else
                run_sequence_on_stack<Config, Memory>(destination, source, limit);
        }
    }
};

}  // namespace detail

/// Evaluates a sequence, such as the call of a stack of layers, with scratch of the caller's, at least
/// workspace_bytes<Expression> of it. The destination may overlap the input, and, at the price of a copy on the stack
/// (alias_workspace_bytes<Expression>), what else the steps read, as the memory of a decoder.
///
///     static workspace<workspace_bytes<decltype(encoder(x))>> scratch;
///     evaluate(y, encoder(x), scratch);
template <class Destination, sequence_expression Expression, std::size_t Bytes, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch) noexcept {
    if constexpr (detail::check_assignment<std::remove_cvref_t<Destination>, Expression>()) {
        constexpr std::size_t needed = detail::expression_scratch<Expression, Config>;
        static_assert(detail::workspace_size<Bytes, needed>::suffices,
                      "ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes");
        if constexpr (Bytes >= needed)
            detail::run_sequence<Config, detail::destination_memory::shared, 0>(destination, e, scratch.bytes);
    }
}

/// The same of the first rows only, in every step: see rows_below. Where a mask of a layer keeps keys beyond them, or
/// there is none, the layers before compute these rows as well.
///
///     evaluate(y, encoder(x, keys_below(n)), scratch, rows_below(n));
template <class Destination, sequence_expression Expression, std::size_t Bytes, detail::row_limit Rows,
          class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch,
                        const Rows& rows) noexcept {
    if constexpr (detail::check_assignment<std::remove_cvref_t<Destination>, Expression>())
        if constexpr (detail::check_rows<shape_of<Expression>, Rows>()) {
            constexpr std::size_t needed = detail::expression_scratch<Expression, Config>;
            static_assert(detail::workspace_size<Bytes, needed>::suffices,
                          "ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes");
            ASHLAR_ASSERT(detail::rows_fit<shape_of<Expression>>(rows),
                          "ashlar: rows_below: more rows than the result has");
            if constexpr (Bytes >= needed)
                detail::run_sequence<Config, detail::destination_memory::shared, 0>(
                    destination, e, scratch.bytes, detail::limit_reference<Rows>{&rows});
        }
}

}  // namespace ashlar
