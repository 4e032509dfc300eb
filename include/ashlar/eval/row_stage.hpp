// SPDX-License-Identifier: BSL-1.0
// The row stages: softmax numerators, means and deviations, and reductions, with rows or columns in lanes.
#pragma once

#include <ashlar/eval/stage_axes.hpp>
#include <ashlar/eval/support.hpp>
#include <ashlar/kernel/simd_transpose.hpp>

#include <bit>

namespace ashlar::detail {

/// What the row stages share: the range of columns that exist, and where a row's numbers are written.
template <class P, class T, std::size_t Stage, std::size_t Rows>
struct row_stage : stage_axes<P, T, Stage, Rows> {
    using base = stage_axes<P, T, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::rows_in_lanes;
    using typename base::config;
    static constexpr auto core = static_cast<std::size_t>(stage.core);
    using element = element_of<typename P::template node<core>>;
    using input = element_of<typename P::template node<base::top>>;
    template <class U>
    using lanes_of = lanes<U, width, config>;

    struct range {
        std::size_t first, last;
    };

    /// The columns that the mask, if there is one, may keep for these rows.
    ASHLAR_ALWAYS_INLINE range column_range(std::size_t row, std::size_t count) const {
        if constexpr (stage.support == -1) {
            return {0, columns};
        } else {
            const depth_parts keys = support_of<base::top>(this->in_top(row, 0), row, row + count);
            return {keys.first, keys.last};
        }
    }
    /// Those of some rows among them.
    ASHLAR_ALWAYS_INLINE range column_range_within(std::size_t row, std::size_t count, range all) const {
        if constexpr (stage.support == -1) {
            return all;
        } else {
            const depth_parts within{all.first, all.first, all.first, all.last};
            const depth_parts keys = support_of<base::top>(this->in_top(row, 0), row, row + count, &within);
            return {keys.first, keys.last};
        }
    }
    template <std::size_t Id, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE depth_parts support_of(const std::array<std::size_t, Rank>& at, std::size_t q0, std::size_t q1, const depth_parts* all = nullptr) const {
        if constexpr (static_cast<std::int16_t>(Id) == stage.support)
            return all == nullptr ? supported_keys<Id>(f, at, q0, q1) : supported_keys_within<Id, key_group>(f, at, q0, q1, *all);
        else
            return support_of<P::nodes[Id].kind == op::store ? static_cast<std::size_t>(P::nodes[Id].operands[0])
                                                             : static_cast<std::size_t>(P::nodes[Id].same_as)>(at, q0, q1, all);
    }

    /// The core's coordinates for a row: the operand's, but for a reduced axis that is gone.
    static constexpr std::size_t core_rank = P::nodes[core].rank;
    ASHLAR_ALWAYS_INLINE std::array<std::size_t, core_rank> in_core(std::size_t row, std::size_t column) const {
        const auto at = this->in_space(row, column);
        std::array<std::size_t, core_rank> out{};
        for (std::size_t a = 0; a < core_rank; ++a) {
            if constexpr (P::nodes[core].kind == op::reduce) {
                const std::size_t axis = P::nodes[core].axis;
                if (core_rank == base::space_rank)
                    out[a] = a == axis ? 0 : at[a];
                else
                    out[a] = at[a < axis ? a : a + 1];
            } else {
                out[a] = at[a];
            }
        }
        return out;
    }

    /// Where buffer B keeps the number of a row.
    template <std::size_t B, class U>
    ASHLAR_ALWAYS_INLINE U* row_number(std::size_t row) const {
        return f.template buffer<U, B>() + f.template buffer_offset<B>(in_core(row, 0));
    }
    static constexpr auto first_buffer = static_cast<std::size_t>(stage.buffer < 0 ? 0 : stage.buffer);
    static constexpr auto second_buffer = static_cast<std::size_t>(stage.second_buffer < 0 ? 0 : stage.second_buffer);

    /// Writes one number for each row of the N lanes that start at `row`. Contiguous ones end at a full register, and
    /// are stored in full: what a masked store wrote is slow to read again.
    template <std::size_t B, std::size_t N, class U, class Lanes>
    ASHLAR_ALWAYS_INLINE void put_rows(std::size_t row, const Lanes& x) const {
        U* p = row_number<B, U>(row);
        constexpr std::ptrdiff_t step = row_number_stride<B>();
        store_lanes<step, step == 1 ? Lanes::size : N>(x, p);
    }
    template <std::size_t B>
    static consteval std::ptrdiff_t row_number_stride() {
        constexpr std::size_t row = stage.row_axis;
        if (row == no_axis) return 0;
        const bool dropped = P::nodes[core].kind == op::reduce && core_rank < base::space_rank;
        return P::code.buffers[B].strides[dropped && row > P::nodes[core].axis ? row - 1 : row];
    }

    /// Calls f(first row, lane_count) for registers of rows.
    template <class F>
    ASHLAR_ALWAYS_INLINE void each_register_of_rows(F body) const {
        const std::size_t first = this->first_row();
        for_each_register<Rows, width>([&](std::size_t i, auto n) ASHLAR_LAMBDA_INLINE { body(first + i, n); });
    }
    /// Calls f(row) for single rows.
    template <class F>
    ASHLAR_ALWAYS_INLINE void each_row(F body) const {
        const std::size_t first = this->first_row();
        for (std::size_t r = 0; r < Rows; ++r) body(first + r);
    }

    template <std::size_t N>
    ASHLAR_ALWAYS_INLINE auto at(std::size_t row, std::size_t column) const {
        return this->template value<N>(row, column);
    }

    /// Folds columns [range) of N rows in lanes, or of one row; `step(state, x, column, lane_count)`. States is how
    /// many independent states hide the latency of a chain.
    template <std::size_t N, class State, class Step>
    ASHLAR_ALWAYS_INLINE void fold_down(std::size_t row, range r, State (&states)[4], Step step) const {
        constexpr std::integral_constant<std::size_t, N> count{};
        std::size_t c = r.first;
        for (; c + 4 <= r.last; c += 4) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < 4; ++u) step(states[u], at<N>(row, c + u), c + u, count);
        }
        for (; c < r.last; ++c) step(states[0], at<N>(row, c), c, count);
    }
    template <class State, class Step>
    ASHLAR_ALWAYS_INLINE void fold_along(std::size_t row, range r, State (&states)[4], Step step) const {
        constexpr std::integral_constant<std::size_t, width> count{};
        constexpr std::size_t tail = columns % width;
        const std::size_t whole_end = r.last / width * width;
        std::size_t c = r.first;
        for (; c + 4 * width <= whole_end; c += 4 * width) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < 4; ++u) step(states[u], at<width>(row, c + u * width), c + u * width, count);
        }
        for (; c < whole_end; c += width) step(states[0], at<width>(row, c), c, count);
        if constexpr (tail != 0)
            if (r.last == columns) step(states[1], at<tail>(row, columns - tail), columns - tail, std::integral_constant<std::size_t, tail>{});
    }
};

/// Numerators exp(x - maximum) and the scale 1 / sum of each row; for log_softmax the logarithm of the sum instead.
/// The scale of a row without a finite element is zero.
template <class P, class T, std::size_t Stage, std::size_t Rows>
struct softmax_stage : row_stage<P, T, Stage, Rows> {
    using base = row_stage<P, T, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::core;
    using typename base::element;
    using vec = typename base::template lanes_of<element>;
    static constexpr bool plain = P::nodes[core].variant == static_cast<std::uint8_t>(softmax_kind::plain);

    ASHLAR_ALWAYS_INLINE static vec lowest() { return vec(lowest_value<element>); }

    ASHLAR_ALWAYS_INLINE void run() const {
        // Zeros are written in all of the tile's range: the product that follows reads the rows of a block over the keys
        // of all of them.
        const auto r = this->column_range(this->first_row(), Rows);
        if constexpr (in_groups) {
            groups_of_rows(r);
        } else if constexpr (base::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_LAMBDA_INLINE {
                lanes_of_rows<n>(row, Rows <= width ? r : this->column_range_within(row, n, r), r);
            });
        } else {
            this->each_row([&](std::size_t row) ASHLAR_LAMBDA_INLINE { one_row(row, r); });
        }
    }

    ASHLAR_ALWAYS_INLINE element* numerators(std::size_t row, std::size_t column) const {
        return f.template buffer<element, base::first_buffer>() + f.template buffer_offset<base::first_buffer>(this->in_core(row, column));
    }
    static constexpr std::ptrdiff_t column_distance = plain ? P::code.buffers[base::first_buffer].strides[stage.column_axis] : 0;

    /// The greatest element of N rows: the product that made them has found it already, or a pass over them does.
    template <std::size_t N>
    ASHLAR_ALWAYS_INLINE vec greatest(std::size_t row, typename base::range r) const {
        if constexpr (stage.maxima != -1) {
            constexpr auto maxima = static_cast<std::size_t>(stage.maxima);
            return vec::load(f.template buffer<element, maxima>() + f.template buffer_offset<maxima>(this->in_core(row, 0)));
        } else {
            vec most[4] = {lowest(), lowest(), lowest(), lowest()};
            this->template fold_down<N>(row, r, most, [](vec& m, vec x, std::size_t, auto) ASHLAR_LAMBDA_INLINE { m = max(m, x); });
            return max(max(most[0], most[1]), max(most[2], most[3]));
        }
    }

    /// Whether the numerators replace what they are made from where it lies, with neighbouring rows side by side.
    static constexpr bool in_place = [] {
        if constexpr (!base::rows_in_lanes || !plain || stage.column_axis == no_axis || stage.row_axis == no_axis) {
            return false;
        } else {
            const auto input = stage.values[P::resolve(base::top)];
            return input != -1 && P::code.buffers[base::first_buffer].storage == P::code.buffers[static_cast<std::size_t>(input)].storage &&
                   P::code.buffers[base::first_buffer].strides[stage.row_axis] == 1 && P::nodes[P::resolve(base::top)].element_bytes == sizeof(element);
        }
    }();

    /// Few rows in lines shorter than a register, replaced where they lie: several columns are one vector.
    static constexpr std::size_t line = std::bit_ceil(Rows);
    static constexpr bool in_groups = 2 * line <= width && in_place && column_distance == static_cast<std::ptrdiff_t>(line) &&
                                      P::code.buffers[base::first_buffer].bytes % (width * sizeof(element)) == 0;
    ASHLAR_ALWAYS_INLINE void groups_of_rows(typename base::range r) const {
        constexpr std::size_t packs = width / line, rest = columns % packs;
        const std::size_t row = this->first_row(), whole_end = r.last / packs * packs;
        element* const x = numerators(row, 0);
        const auto each = [&](auto body) ASHLAR_LAMBDA_INLINE {
            for (std::size_t c = r.first; c < whole_end; c += packs) body(x + c * line, std::integral_constant<std::size_t, packs>{});
            if constexpr (rest != 0)
                if (r.last == base::columns) body(x + (base::columns - rest) * line, std::integral_constant<std::size_t, rest>{});
        };
        const auto load = [](const element* p, auto n) ASHLAR_LAMBDA_INLINE {
            return n == packs ? vec::load(p) : select(vec::mask_type::first(n * line), vec::load(p), vec(-infinity<element>));
        };
        vec m = lowest();
        if constexpr (stage.maxima != -1) {
            constexpr auto maxima = static_cast<std::size_t>(stage.maxima);
            m = vec::load(f.template buffer<element, maxima>() + f.template buffer_offset<maxima>(this->in_core(row, 0)));
        } else {
            each([&](element* p, auto n) ASHLAR_LAMBDA_INLINE { m = max(m, load(p, n)); });
            m = combine_groups<line>(m, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return max(a, b); });
        }
        vec sum(0);
        each([&](element* p, auto n) ASHLAR_LAMBDA_INLINE {
            const vec e = exp_nonpositive(load(p, n) - m);
            e.store(p);
            sum += e;
        });
        if constexpr (stage.fill_outside) {
            for (std::size_t c = 0; c < r.first * line; ++c) x[c] = element(0);
            for (std::size_t c = r.last * line; c < columns * line; ++c) x[c] = element(0);
        }
        const vec total = combine_groups<line>(sum, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return a + b; });
        this->template put_rows<base::second_buffer, Rows, element>(row, select(total == vec(0), vec(0), vec(1) / total));
    }

    /// Whether lines of rows end at a full register, so that the last one can be stored in full.
    static constexpr bool whole_lines = P::code.buffers[base::first_buffer].padded && stage.row_axis != no_axis &&
                                        P::code.buffers[base::first_buffer].strides[stage.row_axis == no_axis ? 0 : stage.row_axis] == 1;

    /// The numerators of N rows in lanes, one column at a time: beside other work, or at one go.
    template <std::size_t N>
    struct numerators_of_rows {
        static constexpr std::size_t stored = whole_lines ? width : N;
        const softmax_stage& s;
        std::size_t row;
        typename base::range own, tile;
        std::size_t next;
        element* out;
        vec most, sum;

        /// `own` are the columns in which there is something to compute; the others of `tile` become zeros.
        ASHLAR_ALWAYS_INLINE numerators_of_rows(const softmax_stage& stage_, std::size_t first, typename base::range mine, typename base::range all)
            : s(stage_), row(first), own(mine), tile(all), next(mine.first), out(plain ? s.numerators(first, 0) : nullptr), most(s.template greatest<N>(first, mine)), sum(0) {}

        ASHLAR_ALWAYS_INLINE vec numerator(vec x, std::size_t c) const {
            const vec e = exp_nonpositive(x - most);
            if constexpr (plain) store_lanes<1, stored>(e, out + static_cast<std::ptrdiff_t>(c) * column_distance);
            return e;
        }
        ASHLAR_ALWAYS_INLINE void step() {
            if (next >= own.last) return;
            sum += numerator(s.template at<N>(row, next), next);
            ++next;
        }
        ASHLAR_ALWAYS_INLINE void stop() { next = own.last; }
        /// Few rows leave most lanes idle: parts of several columns are put together in one register.
        static constexpr std::size_t part = std::bit_ceil(N) * sizeof(element) < 16 ? 16 / sizeof(element) : std::bit_ceil(N);
        static constexpr bool joins = in_place && 2 * part <= width && requires(element* p) { vec::ops::template load_groups<part>(p, 1); };
        ASHLAR_ALWAYS_INLINE void join_columns() {
            constexpr std::size_t columns_in_one = width / part;
            alignas(64) element spread[width];
            most.store(spread);
            for (std::size_t n = part; n < width; ++n) spread[n] = spread[n % part];
            const vec shift = vec::load(spread);
            vec total(0);
            for (; next + columns_in_one <= own.last; next += columns_in_one) {
                element* p = out + static_cast<std::ptrdiff_t>(next) * column_distance;
                const vec e = exp_nonpositive(vec(vec::ops::template load_groups<part>(p, column_distance)) - shift);
                vec::ops::template store_groups<part>(e.data, p, column_distance);
                total += e;
            }
            sum += combine_groups<part>(total, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return a + b; });
        }
        /// What is left, and the row's factor.
        ASHLAR_ALWAYS_INLINE void finish() {
            if constexpr (joins) join_columns();
            vec sums[4] = {sum, vec(0), vec(0), vec(0)};
            const std::size_t end = own.last < base::columns ? own.last : base::columns;  // g++ warns of endless loops otherwise
            s.template fold_down<N>(row, {next, end}, sums, [&](vec& to, vec x, std::size_t c, auto) ASHLAR_LAMBDA_INLINE { to += numerator(x, c); });
            if constexpr (plain && stage.support != -1) {
                if constexpr (stage.fill_outside) tile = {0, base::columns};
                for (std::size_t c = tile.first; c < own.first; ++c) store_lanes<1, stored>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
                for (std::size_t c = own.last; c < tile.last; ++c) store_lanes<1, stored>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
            }
            const vec total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            if constexpr (plain)
                s.template put_rows<base::second_buffer, N, element>(row, select(total == vec(0), vec(0), vec(1) / total));
            else
                s.template put_rows<base::second_buffer, N, element>(row, most + log(total));
        }
    };
    template <std::size_t N>
    ASHLAR_ALWAYS_INLINE void lanes_of_rows(std::size_t row, typename base::range r, typename base::range tile) const {
        numerators_of_rows<N>(*this, row, r, tile).finish();
    }

    ASHLAR_ALWAYS_INLINE void one_row(std::size_t row, typename base::range r) const {
        vec most[4] = {lowest(), lowest(), lowest(), lowest()};
        this->fold_along(row, r, most, [](vec& m, vec x, std::size_t, auto n) ASHLAR_LAMBDA_INLINE {
            if constexpr (n == base::width)
                m = max(m, x);
            else
                m = max(m, select(vec::mask_type::first(n), x, lowest()));
        });
        const element greatest = reduce_max(max(max(most[0], most[1]), max(most[2], most[3])));
        const vec m(greatest);
        vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
        element* out = plain ? numerators(row, 0) : nullptr;
        this->fold_along(row, r, sum, [&](vec& s, vec x, std::size_t c, auto n) ASHLAR_LAMBDA_INLINE {
            vec e = exp_nonpositive(x - m);
            if constexpr (n != base::width) e = select(vec::mask_type::first(n), e, vec(0));
            if constexpr (plain) store_lanes<1, n>(e, out + c);
            s += e;
        });
        if constexpr (plain && stage.fill_outside) {
            for (std::size_t c = 0; c < r.first; ++c) out[c] = element(0);
            for (std::size_t c = r.last; c < columns; ++c) out[c] = element(0);
        }
        const element total = reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3]));
        element* scale = this->template row_number<base::second_buffer, element>(row);
        if constexpr (plain)
            *scale = total == element(0) ? element(0) : element(1) / total;
        else
            *scale = (m + log(vec(total)))[0];
    }
};

/// The mean of each row and 1 / sqrt(variance + epsilon), or 1 / sqrt(mean square + epsilon) alone, in two passes.
template <class P, class T, std::size_t Stage, std::size_t Rows>
struct standardize_stage : row_stage<P, T, Stage, Rows> {
    using base = row_stage<P, T, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::core;
    using typename base::element;
    using vec = typename base::template lanes_of<element>;
    static constexpr bool has_mean = P::nodes[core].variant == static_cast<std::uint8_t>(standardize_kind::mean_and_variance);

    ASHLAR_ALWAYS_INLINE void run() const {
        const element epsilon = f.template node<core>().epsilon;
        const typename base::range all{0, columns};
        constexpr element share = element(1) / element(columns);
        if constexpr (base::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_LAMBDA_INLINE {
                vec mean(0);
                if constexpr (has_mean) {
                    vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
                    this->template fold_down<n>(row, all, sum, [](vec& s, vec x, std::size_t, auto) ASHLAR_LAMBDA_INLINE { s += x; });
                    mean = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * vec(share);
                    this->template put_rows<base::first_buffer, n, element>(row, mean);
                }
                vec squares[4] = {vec(0), vec(0), vec(0), vec(0)};
                this->template fold_down<n>(row, all, squares, [&](vec& s, vec x, std::size_t, auto) ASHLAR_LAMBDA_INLINE {
                    const vec d = x - mean;
                    s = fma(d, d, s);
                });
                const vec variance = ((squares[0] + squares[1]) + (squares[2] + squares[3])) * vec(share);
                this->template put_rows<base::second_buffer, n, element>(row, vec(1) / sqrt(variance + vec(epsilon)));
            });
        } else {
            this->each_row([&](std::size_t row) ASHLAR_LAMBDA_INLINE {
                vec mean(0);
                if constexpr (has_mean) {
                    vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
                    this->fold_along(row, all, sum, [](vec& s, vec x, std::size_t, auto n) ASHLAR_LAMBDA_INLINE {
                        s += n == base::width ? x : select(vec::mask_type::first(n), x, vec(0));
                    });
                    const element m = reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3])) * share;
                    mean = vec(m);
                    *this->template row_number<base::first_buffer, element>(row) = m;
                }
                vec squares[4] = {vec(0), vec(0), vec(0), vec(0)};
                this->fold_along(row, all, squares, [&](vec& s, vec x, std::size_t, auto n) ASHLAR_LAMBDA_INLINE {
                    const vec d = n == base::width ? x - mean : select(vec::mask_type::first(n), x - mean, vec(0));
                    s = fma(d, d, s);
                });
                const element variance = reduce_add((squares[0] + squares[1]) + (squares[2] + squares[3])) * share;
                *this->template row_number<base::second_buffer, element>(row) = (vec(1) / sqrt(vec(variance + epsilon)))[0];
            });
        }
    }
};

}  // namespace ashlar::detail
