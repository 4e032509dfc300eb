// SPDX-License-Identifier: BSL-1.0
// The epilogue protocol: how a product kernel hands sums to an epilogue while they are in registers.
//
// A kernel calls an epilogue through a fixed set of hooks. Each epilogue declares which hooks it implements:
//     static constexpr hook hooks = hook::vector | hook::begin_block;
// A declared hook without a member, a member without a declaration, and a hook that a kernel does not call are compile
// errors. An epilogue that wraps another one derives from `forwarding_epilogue`, which forwards all hooks that it does
// not replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_shape.hpp>

namespace ashlar::inline v0_1::detail {

/// The hooks of an epilogue. i counts the scalar axis of the product, j the axis in lanes. `count` is a lane_count: the
/// valid lanes. `verdict` is plain_block or masked_block. Sums arrive by the first of `group`, `column` and `vector`
/// that the kernel calls and the epilogue has.
enum class hook : std::uint16_t {
    none = 0,
    /// void vector(i, j, lanes sums, count, verdict): the sums of row i, columns [j, j + count).
    vector = 1,
    /// void column(i, j, const lanes (&sums)[Rows], count, verdict): all rows of a block, so that state per column (a
    /// running maximum) is loaded and stored once.
    column = 2,
    /// void group(i, lanes sums, count, verdict), for products with few columns in lanes: lane c*line + j is the sum of
    /// row i + c < i + count and column j. `line` columns fill a part of a vector.
    group = 4,
    /// lanes initial(i, j, count): the start value of sums instead of zero.
    initial = 8,
    /// block_verdict begin_block(i0, i1, j0, j1): called before a block is computed. Without it every block is a
    /// masked_block, because nothing has tested what may be left out.
    begin_block = 16,
    /// bool splits_block(i0, i1, j0, j1): whether the kernel computes the vectors of a block one by one, each with its
    /// own verdict.
    splits_block = 32,
    /// half_range kept_halves(i0, i1, j0, j1): which halves of registers of a block are needed, counted from j0. If
    /// some are not, the kernel computes a masked block. static constexpr bool ends_within: the last half may be left
    /// out too, not only the first.
    kept_halves = 64,
    /// void interleave(): called every `interleave_period` depth steps of each register block of full vectors, to
    /// prefetch between the multiply-adds.
    interleave = 128,
    /// void end_block(i, rows, j, vectors): called after the hooks for the sums of a register block.
    end_block = 256,
    /// void begin_columns(next): called before the row blocks of some columns; `next` is the column after them.
    begin_columns = 512,
};
inline constexpr hook all_hooks{1023};

/// Depth steps between two calls of `interleave`.
inline constexpr std::size_t interleave_period = 4;

constexpr hook operator|(hook a, hook b) {
    return static_cast<hook>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
constexpr hook operator&(hook a, hook b) {
    return static_cast<hook>(static_cast<std::uint16_t>(a) & static_cast<std::uint16_t>(b));
}
/// The hooks of a without those of b.
constexpr hook operator-(hook a, hook b) {
    return static_cast<hook>(static_cast<std::uint16_t>(a) & ~static_cast<std::uint16_t>(b));
}

/// True if an epilogue has all these hooks.
template <class Epilogue, hook Hooks>
inline constexpr bool has_hook = (Epilogue::hooks & Hooks) == Hooks;

// -------------------------------------------------------------- checks

/// Whether a hook of an epilogue can be called by the protocol with registers of type Lanes.
template <hook Hook, class Epilogue, class Lanes>
inline constexpr bool is_callable = false;
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::vector, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n, Lanes x) { e.vector(n, n, x, lane_count<Lanes::size>{}, masked_block{}); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::column, Epilogue, Lanes> = requires(
    Epilogue& e, std::size_t n, const Lanes (&x)[1]) { e.column(n, n, x, lane_count<Lanes::size>{}, masked_block{}); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::group, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n, Lanes x) { e.group(n, x, lane_count<1>{}, masked_block{}); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::initial, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n) { Lanes(e.initial(n, n, lane_count<Lanes::size>{})); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::begin_block, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n) { block_verdict{e.begin_block(n, n, n, n)}; };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::splits_block, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n) { bool{e.splits_block(n, n, n, n)}; };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::kept_halves, Epilogue, Lanes> = requires(Epilogue& e, std::size_t n) {
    half_range{e.kept_halves(n, n, n, n)};
    std::bool_constant<Epilogue::ends_within>{};
};
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::interleave, Epilogue, Lanes> = requires(Epilogue& e) { e.interleave(); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::end_block, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n) { e.end_block(n, n, n, n); };
template <class Epilogue, class Lanes>
inline constexpr bool is_callable<hook::begin_columns, Epilogue, Lanes> =
    requires(Epilogue& e, std::size_t n) { e.begin_columns(n); };

template <class Epilogue, class Lanes, hook... Hook>
consteval hook callable_among() {
    return (hook::none | ... | (is_callable<Hook, Epilogue, Lanes> ? Hook : hook::none));
}
template <class Epilogue, class Lanes>
inline constexpr hook callable_hooks =
    callable_among<Epilogue, Lanes, hook::vector, hook::column, hook::group, hook::initial, hook::begin_block,
                   hook::splits_block, hook::kept_halves, hook::interleave, hook::end_block, hook::begin_columns>();

/// Their own members with the names of hooks, for any parameters, except templates. A member that they inherit cannot
/// be named if the inner epilogue lacks it.
template <class Epilogue>
inline constexpr hook own_hooks = [] {
    const auto where = [](bool named, hook h) { return named ? h : hook::none; };
    return where(
               requires { &Epilogue::vector; }, hook::vector) |
           where(
               requires { &Epilogue::column; }, hook::column) |
           where(
               requires { &Epilogue::group; }, hook::group) |
           where(
               requires { &Epilogue::initial; }, hook::initial) |
           where(
               requires { &Epilogue::begin_block; }, hook::begin_block) |
           where(
               requires { &Epilogue::splits_block; }, hook::splits_block) |
           where(
               requires { &Epilogue::kept_halves; }, hook::kept_halves) |
           where(
               requires { &Epilogue::interleave; }, hook::interleave) |
           where(
               requires { &Epilogue::end_block; }, hook::end_block) |
           where(requires { &Epilogue::begin_columns; }, hook::begin_columns);
}();

/// Members with the names of hooks, found for any parameters: a name that is inherited twice is ambiguous.
struct hook_names {
    int vector, column, group, initial, begin_block, splits_block, kept_halves, interleave, end_block, begin_columns;
};
template <class Epilogue>
struct with_hook_names : Epilogue, hook_names {};
template <class Epilogue>
inline constexpr hook named_hooks = all_hooks - own_hooks<with_hook_names<Epilogue>>;

template <class Epilogue>
concept declares_hooks = requires { std::integral_constant<hook, Epilogue::hooks>{}; };

/// Hooks that are members only for some template arguments. An epilogue lists them as withheld for the others.
template <class Epilogue>
inline constexpr hook withheld_hooks = hook::none;
template <class Epilogue>
    requires requires { std::integral_constant<hook, Epilogue::withheld>{}; }
inline constexpr hook withheld_hooks<Epilogue> = Epilogue::withheld;

/// True for classes derived from `forwarding_epilogue`, which has members of all names.
template <class Epilogue>
concept is_forwarding = requires { typename Epilogue::inner_epilogue; };

/// Hooks that an epilogue declares and lacks, hooks that it has and does not declare, and hooks that a kernel does not
/// call.
template <hook Hooks>
struct missing_hooks {
    static constexpr bool none = Hooks == hook::none;
};
template <hook Hooks>
struct undeclared_hooks {
    static constexpr bool none = Hooks == hook::none;
};
template <hook Hooks>
struct unserved_hooks {
    static constexpr bool none = Hooks == hook::none;
};

/// Whether an epilogue has exactly the hooks that it lists; otherwise an error.
template <class Epilogue, class Lanes>
consteval bool has_listed_hooks() {
    using type = std::remove_const_t<Epilogue>;
    using missing = missing_hooks<Epilogue::hooks - callable_hooks<Epilogue, Lanes>>;
    static_assert(missing::none, "ashlar: epilogue: a hook in its list must be a member with the parameters of "
                                 "kernel/product/epilogue.hpp; correct the name, the parameters or the list");
    constexpr hook found = [] {
        if constexpr (is_forwarding<type>)
            return callable_hooks<Epilogue, Lanes> | own_hooks<type>;
        else
            return named_hooks<type>;
    }();
    using undeclared = undeclared_hooks<found - Epilogue::hooks - withheld_hooks<type>>;
    static_assert(undeclared::none, "ashlar: epilogue: a member that is named like a hook must be in its list; "
                                    "declare it, or name it otherwise");
    return missing::none && undeclared::none;
}

/// Whether a kernel that calls the hooks `Served` can call this epilogue with registers of type Lanes; otherwise an
/// error. Members are checked against the list only in builds with assertions (`Checks`): users do not write epilogues,
/// and twenty requirements for each type take a twentieth of the compile time of an encoder layer.
template <class Epilogue, class Lanes, hook Served, bool Checks = true>
consteval bool fits_kernel() {
    constexpr bool declares = declares_hooks<Epilogue>;
    static_assert(declares, "ashlar: epilogue: it must list its hooks; add static constexpr hook hooks = hook::vector");
    if constexpr (declares) {
        using unserved = unserved_hooks<Epilogue::hooks - Served>;
        static_assert(unserved::none, "ashlar: epilogue: this kernel does not call all hooks in the list; use another "
                                      "kernel, or an epilogue without them");
        if constexpr (Checks)
            return unserved::none && has_listed_hooks<Epilogue, Lanes>();
        else
            return unserved::none;
    } else {
        return false;
    }
}

// -------------------------------------------------------------- the caller's side

/// What the epilogue decides about the block [i0, i1) x [j0, j1).
template <class Epilogue>
ASHLAR_STAGE_INLINE block_verdict verdict_on(Epilogue& epilogue, std::size_t i0, std::size_t i1, std::size_t j0,
                                             std::size_t j1) {
    if constexpr (has_hook<Epilogue, hook::begin_block>)
        return epilogue.begin_block(i0, i1, j0, j1);
    else
        return block_verdict::masked;
}

/// Calls f with plain_block or masked_block, the constant for this verdict.
template <class Epilogue, class Function>
ASHLAR_STAGE_INLINE void with_verdict(block_verdict verdict, Function f) {
    if constexpr (!has_hook<Epilogue, hook::begin_block>)
        f(masked_block{});
    else if (verdict == block_verdict::masked)
        f(masked_block{});
    else
        f(plain_block{});
}

/// The start value of the sum of row i at column j: zero, unless the epilogue has `initial`.
template <class Lanes, class Epilogue, std::size_t Count>
ASHLAR_STAGE_INLINE Lanes initial_sum(Epilogue& epilogue, std::size_t i, std::size_t j, lane_count<Count> count,
                                      auto zero) {
    if constexpr (has_hook<Epilogue, hook::initial>)
        return epilogue.initial(i, j, count);
    else
        return Lanes(zero);
}

/// Adds start values to sums that started from zero.
template <class Epilogue, class Lanes, std::size_t Rows, std::size_t Count>
ASHLAR_STAGE_INLINE void add_initial(Epilogue& epilogue, std::size_t i, std::size_t j, Lanes (&column)[Rows],
                                     lane_count<Count> count) {
    if constexpr (has_hook<Epilogue, hook::initial>) {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) column[r] = epilogue.initial(i + r, j, count) + column[r];
    }
}

/// Hands the finished rows of one vector of columns to the epilogue, by the hook that it has.
template <class Epilogue, class Lanes, std::size_t Rows, std::size_t Count, class Verdict>
ASHLAR_STAGE_INLINE void finish_column(Epilogue& epilogue, std::size_t i, std::size_t j, const Lanes (&column)[Rows],
                                       lane_count<Count> count, Verdict verdict) {
    if constexpr (has_hook<Epilogue, hook::column>) {
        epilogue.column(i, j, column, count, verdict);
    } else {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) epilogue.vector(i + r, j, column[r], count, verdict);
    }
}

template <class Epilogue>
ASHLAR_STAGE_INLINE void finish_block(Epilogue& epilogue, std::size_t i, std::size_t rows, std::size_t j,
                                      std::size_t vectors) {
    if constexpr (has_hook<Epilogue, hook::end_block>) epilogue.end_block(i, rows, j, vectors);
}

// -------------------------------------------------------------- epilogues before others

/// Places for the inner epilogue: rows and columns keep their numbers.
struct same_place {
    ASHLAR_ALWAYS_INLINE static std::size_t row(std::size_t i) { return i; }
    ASHLAR_ALWAYS_INLINE static std::size_t column(std::size_t j) { return j; }
};

/// Forwards all hooks to an inner epilogue, at the place that Place gives. A derived class replaces what it changes and
/// adds its hooks to the list:
///     static constexpr hook hooks = forwarding_epilogue<Inner>::hooks | hook::interleave;
template <class Inner, class Place = same_place>
struct forwarding_epilogue {
    Inner& inner;
    [[no_unique_address]] Place place{};

    using inner_epilogue = Inner;
    static constexpr hook hooks = Inner::hooks;
    static constexpr bool ends_within = [] {
        if constexpr (has_hook<Inner, hook::kept_halves>)
            return Inner::ends_within;
        else
            return false;
    }();

    template <class Lanes, std::size_t Count, class Verdict>
        requires(has_hook<Inner, hook::vector>)
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, Lanes sums, lane_count<Count> count,
                                    Verdict verdict) const {
        inner.vector(place.row(i), place.column(j), sums, count, verdict);
    }
    template <class Lanes, std::size_t Rows, std::size_t Count, class Verdict>
        requires(has_hook<Inner, hook::column>)
    ASHLAR_STAGE_INLINE void column(std::size_t i, std::size_t j, const Lanes (&sums)[Rows], lane_count<Count> count,
                                    Verdict verdict) const {
        inner.column(place.row(i), place.column(j), sums, count, verdict);
    }
    template <class Lanes, std::size_t Count, class Verdict>
        requires(has_hook<Inner, hook::group>)
    ASHLAR_STAGE_INLINE void group(std::size_t i, Lanes sums, lane_count<Count> count, Verdict verdict) const {
        inner.group(place.row(i), sums, count, verdict);
    }
    template <std::size_t Count>
        requires(has_hook<Inner, hook::initial>)
    ASHLAR_STAGE_INLINE auto initial(std::size_t i, std::size_t j, lane_count<Count> count) const {
        return inner.initial(place.row(i), place.column(j), count);
    }
    ASHLAR_STAGE_INLINE block_verdict begin_block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const
        requires(has_hook<Inner, hook::begin_block>)
    {
        return inner.begin_block(place.row(i0), place.row(i1), place.column(j0), place.column(j1));
    }
    ASHLAR_STAGE_INLINE bool splits_block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const
        requires(has_hook<Inner, hook::splits_block>)
    {
        return inner.splits_block(place.row(i0), place.row(i1), place.column(j0), place.column(j1));
    }
    ASHLAR_STAGE_INLINE half_range kept_halves(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const
        requires(has_hook<Inner, hook::kept_halves>)
    {
        return inner.kept_halves(place.row(i0), place.row(i1), place.column(j0), place.column(j1));
    }
    ASHLAR_STAGE_INLINE void interleave() const
        requires(has_hook<Inner, hook::interleave>)
    {
        inner.interleave();
    }
    ASHLAR_STAGE_INLINE void end_block(std::size_t i, std::size_t rows, std::size_t j, std::size_t vectors) const
        requires(has_hook<Inner, hook::end_block>)
    {
        inner.end_block(place.row(i), rows, place.column(j), vectors);
    }
    ASHLAR_STAGE_INLINE void begin_columns(std::size_t next) const
        requires(has_hook<Inner, hook::begin_columns>)
    {
        inner.begin_columns(place.column(next));
    }
};

}  // namespace ashlar::detail
