// SPDX-License-Identifier: BSL-1.0
// Reductions as a state, a step and a merge of states: sum, prod, max, argmax and similar on lanes.
#pragma once

#include <cstdint>
#include <limits>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Adds. Range of the result as the element type's; order fixed by lanes and by four interleaved states.
template <class Vec>
struct sum_fold {
    using value_type = typename Vec::value_type;
    Vec total = Vec(0);

    ASHLAR_ALWAYS_INLINE void step(Vec x) { total += x; }
    ASHLAR_ALWAYS_INLINE void merge(const sum_fold& o) { total += o.total; }
    ASHLAR_ALWAYS_INLINE Vec rows() const { return total; }
    ASHLAR_ALWAYS_INLINE auto one() const { return reduce_add(total); }
    ASHLAR_ALWAYS_INLINE static Vec identity() { return Vec(0); }
    ASHLAR_ALWAYS_INLINE static void merge_one(value_type& a, value_type b) { a += b; }
};

/// Multiplies.
template <class Vec>
struct product_fold {
    using value_type = typename Vec::value_type;
    Vec product = Vec(1);

    ASHLAR_ALWAYS_INLINE constexpr void step(Vec x) { product *= x; }
    ASHLAR_ALWAYS_INLINE void merge(const product_fold& o) { product *= o.product; }
    ASHLAR_ALWAYS_INLINE Vec rows() const { return product; }
    ASHLAR_ALWAYS_INLINE constexpr value_type one() const {
        value_type all = product[0];
        for (std::size_t i = 1; i < Vec::size; ++i) merge_one(all, product[i]);
        return all;
    }
    ASHLAR_ALWAYS_INLINE static Vec identity() { return Vec(1); }
    ASHLAR_ALWAYS_INLINE static constexpr void merge_one(value_type& a, value_type b) {
        a = scalar_ops<value_type>::mul(a, b);
    }
};

/// Maximum (or minimum); NaN if there is one, as in NumPy.
template <class Vec, bool Greatest>
struct extreme_fold {
    using value_type = typename Vec::value_type;
    using truth = typename Vec::mask_type;
    using limits = std::numeric_limits<value_type>;
    static constexpr value_type start = Greatest ? (limits::has_infinity ? -limits::infinity() : limits::lowest())
                                                 : (limits::has_infinity ? limits::infinity() : (limits::max)());
    static constexpr value_type not_a_number = limits::quiet_NaN();
    Vec extreme = Vec(start);
    truth poisoned = truth(false);

    ASHLAR_ALWAYS_INLINE void step(Vec x) {
        extreme = Greatest ? max<>(extreme, x) : min<>(extreme, x);
        if constexpr (limits::has_quiet_NaN) poisoned |= x != x;
    }
    ASHLAR_ALWAYS_INLINE void merge(const extreme_fold& o) {
        extreme = Greatest ? max<>(extreme, o.extreme) : min<>(extreme, o.extreme);
        poisoned |= o.poisoned;
    }
    ASHLAR_ALWAYS_INLINE Vec rows() const {
        if constexpr (limits::has_quiet_NaN)
            return select(poisoned, Vec(not_a_number), extreme);
        else
            return extreme;
    }
    ASHLAR_ALWAYS_INLINE value_type one() const {
        if constexpr (limits::has_quiet_NaN)
            if (any_of(poisoned)) return not_a_number;
        return Greatest ? reduce_max(extreme) : reduce_min(extreme);
    }
    ASHLAR_ALWAYS_INLINE static Vec identity() { return Vec(start); }
    ASHLAR_ALWAYS_INLINE static void merge_one(value_type& a, value_type b) {
        if (b != b || (Greatest ? b > a : b < a)) a = b;
    }
};

/// Whether all (or any) elements are true.
template <class Truth, bool All>
struct truth_fold {
    Truth answer = Truth(All);

    ASHLAR_ALWAYS_INLINE void step(Truth x) {
        if constexpr (All)
            answer &= x;
        else
            answer |= x;
    }
    ASHLAR_ALWAYS_INLINE void merge(const truth_fold& o) { step(o.answer); }
    ASHLAR_ALWAYS_INLINE Truth rows() const { return answer; }
    ASHLAR_ALWAYS_INLINE bool one() const { return All ? all_of(answer) : any_of(answer); }
};

/// Index of the maximum (or minimum), the first of several; of the first NaN if there is one, as in NumPy.
template <class Vec, class Index, bool Greatest>
struct position_fold {
    using value_type = typename Vec::value_type;
    Vec extreme = identity();
    static constexpr std::int32_t nowhere = (std::numeric_limits<std::int32_t>::max)();
    Index where = Index(nowhere);

    ASHLAR_ALWAYS_INLINE void step(Vec x, Index index) { take(x, index); }
    ASHLAR_ALWAYS_INLINE void merge(const position_fold& o) { take(o.extreme, o.where); }
    ASHLAR_ALWAYS_INLINE Index rows() const { return where; }
    ASHLAR_ALWAYS_INLINE std::int32_t one() const { return best().where; }
    ASHLAR_ALWAYS_INLINE static Vec identity() { return extreme_fold<Vec, Greatest>::identity(); }

    /// An element and its index.
    struct candidate {
        value_type value;
        std::int32_t where;

        ASHLAR_ALWAYS_INLINE void merge(const candidate& o) {
            const bool nan = o.value != o.value, had_nan = value != value, sooner = o.where < where;
            if (had_nan ? nan && sooner
                        : nan || (Greatest ? o.value > value : o.value < value) || (o.value == value && sooner))
                *this = o;
        }
    };
    /// Those of all lanes.
    ASHLAR_ALWAYS_INLINE candidate best() const {
        candidate found{extreme[0], where[0]};
        for (std::size_t i = 1; i < Vec::size; ++i) found.merge({extreme[i], where[i]});
        return found;
    }

private:
    ASHLAR_ALWAYS_INLINE void take(Vec x, Index index) {
        const auto nan = x != x, had_nan = extreme != extreme;
        const auto sooner = convert_mask<value_type>(index < where);
        const auto beyond = Greatest ? x > extreme : x < extreme;
        const auto better = (had_nan && nan && sooner) || (!had_nan && (nan || beyond || (x == extreme && sooner)));
        extreme = select(better, x, extreme);
        where = select(convert_mask<std::int32_t>(better), index, where);
    }
};

}  // namespace ashlar::detail
