// SPDX-License-Identifier: BSL-1.0
// The numerators of a softmax and their sum for each row, with rows in lanes.
#pragma once

#include <ashlar/kernel/math/log.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>
#include <ashlar/plan/build/program.hpp>

namespace ashlar::inline v0_1::detail {

/// The numerators of Width rows in lanes.
template <class Softmax, std::size_t Width>
struct softmax_numerators {
    using vec = typename Softmax::vec;
    using element = typename Softmax::element;
    using range = typename Softmax::range;
    static constexpr auto stage = Softmax::stage;
    static constexpr row_strategy how = Softmax::how;
    static constexpr bool plain = Softmax::plain, in_blocks = Softmax::in_blocks;
    static constexpr std::size_t width = Softmax::width, columns = Softmax::columns;
    static constexpr std::size_t stored = how.whole_lines ? width : Width;
    static constexpr std::ptrdiff_t column_distance = Softmax::column_distance;

    const Softmax& s;
    std::size_t row;
    range own, tile;
    std::size_t next;
    element* out;
    vec most, sum;

    /// `own` are the columns that are computed; the other columns of `tile` become zeros.
    ASHLAR_STAGE_INLINE softmax_numerators(const Softmax& softmax, std::size_t first, range mine, range all)
        : s(softmax),
          row(first),
          own(mine),
          tile(all),
          next(mine.first),
          out(plain ? s.numerators(first, 0) : nullptr),
          most(greatest(softmax, first, mine)),
          sum(0) {}

    ASHLAR_STAGE_INLINE vec numerator(vec x, std::size_t c) const {
        const vec e = Softmax::exp_nonpositive(x - most);
        if constexpr (plain)
            store_lanes<1, stored>(s.template weight<Width>(e, row, c),
                                   out + static_cast<std::ptrdiff_t>(c) * column_distance);
        return e;
    }
    /// Few rows leave most lanes idle: one register takes parts of several columns.
    static constexpr std::size_t part = how.joined_lanes;
    static constexpr bool joins = Softmax::template joins_columns<Width>;
    ASHLAR_STAGE_INLINE void join_columns() {
        constexpr std::size_t columns_in_one = width / part;
        alignas(64) element spread[width];
        most.store(spread);
        for (std::size_t n = part; n < width; ++n) spread[n] = spread[n % part];
        const vec most_of_all = vec::load(spread);
        vec total(0);
        for (; next + columns_in_one <= own.last; next += columns_in_one) {
            element* p = out + static_cast<std::ptrdiff_t>(next) * column_distance;
            const vec e =
                Softmax::exp_nonpositive(vec(vec::ops::template load_groups<part>(p, column_distance)) - most_of_all);
            vec::ops::template store_groups<part>(e.data, p, column_distance);
            total += e;
        }
        sum += combine_groups<part>(total, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return a + b; });
    }
    ASHLAR_STAGE_INLINE vec replace_columns() const {
        element* p = out + static_cast<std::ptrdiff_t>(next) * column_distance;
        vec total = sum;
        for (std::size_t left = next < own.last ? own.last - next : 0; left != 0; --left, p += column_distance) {
            const vec e = Softmax::exp_nonpositive(vec::template load_partial<stored>(p) - most);
            store_lanes<1, stored>(e, p);
            total += e;
        }
        return total;
    }
    ASHLAR_STAGE_INLINE vec fold_columns() {
        constexpr std::size_t chains = how.sums;
        vec sums[chains];
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < chains; ++u) sums[u] = u == 0 ? sum : vec(0);
        const std::size_t end = own.last < columns ? own.last : columns;  // g++ warns of endless loops otherwise
        s.template fold_down<Width>(row, {next, end}, sums,
                                    [&](vec& to, vec x, std::size_t c, auto)
                                        ASHLAR_STAGE_LAMBDA { to += numerator(x, c); });
        if constexpr (chains == 2) return sums[0] + sums[1];
        return sums[0];
    }
    /// Computes the remaining columns and the row's factor.
    ASHLAR_STAGE_INLINE void finish() {
        if constexpr (joins) join_columns();
        if constexpr (how.one_address || joins)
            store_factor(replace_columns());
        else
            store_factor(fold_columns());
    }
    /// Stores the factor of rows whose numerators have this sum.
    ASHLAR_STAGE_INLINE void store_factor(const vec& total) {
        // A product reads only what its mask keeps of a row.
        if constexpr (plain && stage.support != no_node && (stage.fill_outside || !how.exact_keys)) {
            if constexpr (stage.fill_outside) tile = {0, columns};
            for (std::size_t c = tile.first; c < own.first; ++c)
                store_lanes<1, stored>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
            for (std::size_t c = own.last; c < tile.last; ++c)
                store_lanes<1, stored>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
        }
        if constexpr (in_blocks)
            s.template store_row_numbers<Softmax::second_buffer, Width, element>(row, s.with_earlier(row, total));
        else if constexpr (plain)
            s.template store_row_numbers<Softmax::second_buffer, Width, element>(
                row, s.template factors<Width>(row, most, total));
        else
            s.template store_logarithms<Width>(row, most, total);
    }

private:
    /// The maximum, which is subtracted from all scores before their exponentials.
    ASHLAR_STAGE_INLINE static vec greatest(const Softmax& s, std::size_t row, range r) {
        const vec most = s.template greatest<Width>(row, r);
        if constexpr (in_blocks)
            return s.template grown<Width>(row, most);
        else
            return most;
    }
};

}  // namespace ashlar::detail
