// SPDX-License-Identifier: BSL-1.0
// One function that is compiled for several instruction sets; the best one for the processor is called (opt-in).
#pragma once

#if !defined(__GNUC__) && !defined(__clang__)
#include <atomic>
#endif
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// Instruction sets of x86-64 that CMake's `ashlar_dispatch` compiles for: the architecture's levels 1 to 4, each with
/// everything of the levels before it. `base`: what a source is compiled for that is compiled once, elsewhere or by
/// hand.
///
///     auto best = instruction_set::avx2;
enum class instruction_set : unsigned char { base, sse2, sse4_2, avx2, avx512 };

/// The name of a set as `ashlar_dispatch` takes it, for logs.
///
///     std::puts(name_of(instruction_set::avx512));   // avx512
[[nodiscard]] constexpr const char* name_of(instruction_set set) noexcept {
    switch (set) {
    case instruction_set::sse2: return "sse2";
    case instruction_set::sse4_2: return "sse4_2";
    case instruction_set::avx2: return "avx2";
    case instruction_set::avx512: return "avx512";
    default: return "base";
    }
}

namespace detail {

/// The bits of `instruction_sets` for the compiler flags of a set.
constexpr std::uint64_t flags_of(instruction_set set) {
    switch (set) {
    case instruction_set::sse2: return 0x1;
    case instruction_set::sse4_2: return 0x1f;
    case instruction_set::avx2: return 0x200000ff;
    case instruction_set::avx512: return 0x20201eff;
    default: return 0;
    }
}

/// Whether a unit with these flags is compiled for exactly this set.
template <instruction_set Set, std::uint64_t Flags>
struct compiled_for {
    static constexpr bool exactly = flags_of(Set) == Flags;
    static constexpr bool at_most = (Flags & ~flags_of(Set)) == 0;
};

/// ASHLAR_EMULATED_WIDTH adds no instruction set.
consteval std::uint64_t flags_of_unit() { return instruction_sets() & 0xffffffff; }

#if defined(ASHLAR_DISPATCH_SET)
static_assert(compiled_for<instruction_set::ASHLAR_DISPATCH_SET, flags_of_unit()>::exactly,
              "ashlar: dispatch: a dispatched source has other flags than those of its instruction set; remove -march, "
              "-mcpu and -m<feature> of your own");
#elif defined(ASHLAR_DISPATCH_LEAST)
static_assert(compiled_for<instruction_set::ASHLAR_DISPATCH_LEAST, flags_of_unit()>::at_most,
              "ashlar: dispatch: this source is compiled for more than the least dispatched instruction set; remove "
              "-march, -mcpu and -m<feature>, or leave out that set");
#endif

/// Whether the processor has the instructions of a set, and the system saves its registers.
inline bool processor_has(instruction_set set) noexcept {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();  // during static initialisation, too
    switch (set) {
#if defined(__clang__) && (defined(__apple_build_version__) || __clang_major__ < 18)
    // The function knows fewer names; a processor with these has the rest of the level.
    case instruction_set::sse4_2: return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case instruction_set::avx512:
        if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
            !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
            !__builtin_cpu_supports("avx512vl"))
            return false;
        [[fallthrough]];
    case instruction_set::avx2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2");
#else
    case instruction_set::sse4_2: return __builtin_cpu_supports("x86-64-v2");
    case instruction_set::avx2: return __builtin_cpu_supports("x86-64-v3");
    case instruction_set::avx512: return __builtin_cpu_supports("x86-64-v4");
#endif
    default: return true;
    }
#else
    return set == instruction_set::base;
#endif
}

// Parsing <atomic> takes half as long as the whole library.
template <class Pointer>
Pointer load_relaxed(const Pointer& shared) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(&shared, __ATOMIC_RELAXED);
#else
    return std::atomic_ref(const_cast<Pointer&>(shared)).load(std::memory_order_relaxed);
#endif
}

template <class Pointer>
void store_relaxed(Pointer& shared, Pointer value) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(&shared, value, __ATOMIC_RELAXED);
#else
    std::atomic_ref(shared).store(value, std::memory_order_relaxed);
#endif
}

/// Replaces the expected value, or returns the current one.
template <class Pointer>
Pointer replace_relaxed(Pointer& shared, Pointer expected, Pointer value) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    const bool replaced =
        __atomic_compare_exchange_n(&shared, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#else
    const bool replaced = std::atomic_ref(shared).compare_exchange_strong(expected, value, std::memory_order_relaxed);
#endif
    return replaced ? value : expected;
}

/// One set of a function, and where the unit of that set keeps its address.
template <class Pointer>
struct dispatch_row {
    instruction_set set = instruction_set::base;
    const Pointer* function = nullptr;
};

}  // namespace detail

/// A function that is compiled for several instruction sets. Declare it where it is called and where it is defined; a
/// source given to CMake's `ashlar_dispatch` says by `ASHLAR_DISPATCH` what it runs. The first call asks the processor;
/// a call costs a load and an indirect call. Any thread may call, also before `main`. It converts to the address of the
/// chosen function. No allocation and no constructor.
///
///     extern dispatched<void(const tensor<float, 64, 32>& x, tensor<float, 64, 32>& y) noexcept> attend;
///     // in attend.cpp:  ASHLAR_DISPATCH(attend, attend_here);
template <class Signature>
class dispatched {
    static_assert(std::is_function_v<Signature>,
                  "ashlar: dispatch: dispatched takes the type of a function; write dispatched<void(int) noexcept>");

public:
    using signature = Signature;
    using pointer = Signature*;

    /// The object that ASHLAR_DISPATCH defines: a single function, or a table of its sets and a function that chooses
    /// at the first call.
    consteval explicit dispatched(pointer function) : called_(function) {}
    consteval dispatched(pointer first_call, const detail::dispatch_row<pointer>* rows, std::size_t count)
        : called_(first_call), rows_(rows), count_(count) {}
    dispatched(const dispatched&) = delete;
    dispatched& operator=(const dispatched&) = delete;

    /// `f(x)` calls the chosen function: a call of an object that converts to a pointer to a function.
    operator pointer() const noexcept { return detail::load_relaxed(called_); }

    /// The set whose code is called; chooses, if that has not been done.
    ///
    ///     std::puts(name_of(attend_fast.chosen()));
    [[nodiscard]] instruction_set chosen() noexcept {
        const pointer function = settled();
        for (std::size_t i = 0; i < count_; ++i)
            if (*rows_[i].function == function) return rows_[i].set;
        return instruction_set::base;
    }

    /// Calls the code of this set from now on, in tests and comparisons. False, and nothing changes, where it is not
    /// compiled for the set or the processor does not have it. The widest set is chosen again by naming it.
    ///
    ///     if (attend_fast.choose(instruction_set::sse2)) attend_fast(x, y);
    bool choose(instruction_set set) noexcept {
        for (std::size_t i = 0; i < count_; ++i) {
            if (rows_[i].set != set || !detail::processor_has(set)) continue;
            detail::store_relaxed(called_, *rows_[i].function);
            return true;
        }
        return count_ == 0 && set == instruction_set::base;
    }

    /// The chosen function. Threads that choose at the same time get the same answer.
    pointer settled() noexcept {
        const pointer function = detail::load_relaxed(called_);
        for (std::size_t i = 0; i < count_; ++i)
            if (*rows_[i].function == function) return function;
        if (count_ == 0) return function;
        std::size_t best = count_ - 1;
        while (best > 0 && !detail::processor_has(rows_[best].set)) --best;  // the first is taken for granted
        // A concurrent `choose` wins.
        return detail::replace_relaxed(called_, function, *rows_[best].function);
    }

private:
    pointer called_;
    const detail::dispatch_row<pointer>* rows_ = nullptr;
    std::size_t count_ = 0;
};

namespace detail {

/// The address of a set's function. Its name contains the signature, so that units with different signatures, because a
/// type depends on the set, do not link.
template <instruction_set Set, class Signature, dispatched<Signature>& Function>
#if defined(__GNUC__) || defined(__clang__)
struct [[gnu::visibility("hidden")]] dispatch_variant {
#else
struct dispatch_variant {
#endif
    static const typename dispatched<Signature>::pointer function;
};

// The units of other sets define their variants.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif

/// The sets of a function, from the least to the widest.
template <auto& Function, instruction_set... Sets>
struct dispatch_rows_of {
    static constexpr std::size_t count = sizeof...(Sets);
    using declared = std::remove_reference_t<decltype(Function)>;
    static constexpr dispatch_row<typename declared::pointer> rows[count] = {
        {Sets, &dispatch_variant<Sets, typename declared::signature, Function>::function}...};
};

#if defined(ASHLAR_DISPATCH_SETS)
using enum instruction_set;
template <auto& Function>
using dispatch_rows = dispatch_rows_of<Function, ASHLAR_DISPATCH_SETS>;
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

/// Called in place of a function until the first choice.
template <class Signature, dispatched<Signature>& Function>
struct dispatch_first_call;

template <class Result, class... Arguments, dispatched<Result(Arguments...)>& Function>
struct dispatch_first_call<Result(Arguments...), Function> {
    static Result call(Arguments... arguments) { return Function.settled()(static_cast<Arguments&&>(arguments)...); }
};

template <class Result, class... Arguments, dispatched<Result(Arguments...) noexcept>& Function>
struct dispatch_first_call<Result(Arguments...) noexcept, Function> {
    static Result call(Arguments... arguments) noexcept {
        return Function.settled()(static_cast<Arguments&&>(arguments)...);
    }
};

/// Whether a function can be called as declared.
template <class Given, class Declared>
struct dispatched_function {
    static constexpr bool fits = std::is_convertible_v<Given, Declared>;
};

/// The address of the function that a source gives for its declaration.
template <class Dispatched, class Given>
consteval typename Dispatched::pointer function_for(Given given) {
    using pointer = typename Dispatched::pointer;
    static_assert(dispatched_function<Given, pointer>::fits,
                  "ashlar: dispatch: the function cannot be called as dispatched<...> declares it; give both the same "
                  "parameters, result and noexcept");
    if constexpr (dispatched_function<Given, pointer>::fits)
        return given;
    else
        return nullptr;
}

}  // namespace detail

}  // namespace ashlar
