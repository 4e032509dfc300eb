// SPDX-License-Identifier: BSL-1.0
// The row stages: softmax numerators, means and deviations, and reductions, with rows or columns in lanes.
#pragma once

#include <ashlar/eval/stage_axes.hpp>
#include <ashlar/eval/support.hpp>

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
    template <std::size_t Id, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE depth_parts support_of(const std::array<std::size_t, Rank>& at, std::size_t q0, std::size_t q1) const {
        if constexpr (static_cast<std::int16_t>(Id) == stage.support)
            return supported_keys<Id>(f, at, q0, q1);
        else
            return support_of<P::nodes[Id].kind == op::store ? static_cast<std::size_t>(P::nodes[Id].operands[0])
                                                             : static_cast<std::size_t>(P::nodes[Id].same_as)>(at, q0, q1);
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

    /// Writes one number for each row of the N lanes that start at `row`.
    template <std::size_t B, std::size_t N, class U, class Lanes>
    ASHLAR_ALWAYS_INLINE void put_rows(std::size_t row, const Lanes& x) const {
        U* p = row_number<B, U>(row);
        constexpr std::ptrdiff_t step = row_number_stride<B>();
        store_lanes<step, N>(x, p);
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
        // One range for the whole tile: the product that follows reads the rows of a block over all their keys.
        const auto r = this->column_range(this->first_row(), Rows);
        if constexpr (base::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_LAMBDA_INLINE { lanes_of_rows<n>(row, r); });
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

    template <std::size_t N>
    ASHLAR_ALWAYS_INLINE void lanes_of_rows(std::size_t row, typename base::range r) const {
        const vec m = greatest<N>(row, r);
        vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
        element* out = plain ? numerators(row, 0) : nullptr;
        this->template fold_down<N>(row, r, sum, [&](vec& s, vec x, std::size_t c, auto) ASHLAR_LAMBDA_INLINE {
            const vec e = exp_nonpositive(x - m);
            if constexpr (plain) store_lanes<1, N>(e, out + static_cast<std::ptrdiff_t>(c) * column_distance);
            s += e;
        });
        if constexpr (plain && stage.fill_outside) {
            for (std::size_t c = 0; c < r.first; ++c) store_lanes<1, N>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
            for (std::size_t c = r.last; c < columns; ++c) store_lanes<1, N>(vec(0), out + static_cast<std::ptrdiff_t>(c) * column_distance);
        }
        const vec total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        if constexpr (plain)
            this->template put_rows<base::second_buffer, N, element>(row, select(total == vec(0), vec(0), vec(1) / total));
        else
            this->template put_rows<base::second_buffer, N, element>(row, m + log(total));
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
