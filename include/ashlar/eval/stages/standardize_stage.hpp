// SPDX-License-Identifier: BSL-1.0
// The stage of layer norm and rms norm: the mean of each row and the factor of deviations from it.
#pragma once

#include <ashlar/eval/stages/row_stage.hpp>

namespace ashlar::inline v0_1::detail {

/// The mean of each row and 1 / sqrt(variance + epsilon), or 1 / sqrt(mean square + epsilon) alone, in two passes.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct standardize_stage : row_stage<Plan, Element, Stage, Rows> {
    using base = row_stage<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::core;
    using typename base::element;
    using vec = typename base::template lanes_of<element>;
    static constexpr bool has_mean =
        Plan::nodes[core].variant == static_cast<std::uint8_t>(standardize_kind::mean_and_variance);

    static constexpr element share = element(1) / element(columns);
    static constexpr std::size_t states = base::how.sums;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        const typename base::range all{0, columns};
        if constexpr (base::how.form == row_form::rows_in_lanes) {
            const element epsilon = node_at<core>(f.expression).epsilon;
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
                vec mean(0);
                if constexpr (has_mean) {
                    vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
                    this->template fold_down<n>(row, all, sum,
                                                [](vec& s, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA { s += x; });
                    mean = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * vec(share);
                    this->template store_row_numbers<base::first_buffer, n, element>(row, mean);
                }
                vec squares[4] = {vec(0), vec(0), vec(0), vec(0)};
                this->template fold_down<n>(row, all, squares,
                                            [&](vec& s, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA {
                                                const vec d = x - mean;
                                                s = fma(d, d, s);
                                            });
                const vec variance = ((squares[0] + squares[1]) + (squares[2] + squares[3])) * vec(share);
                this->template store_row_numbers<base::second_buffer, n, element>(
                    row, vec(1) / sqrt(repeat_first<n>(variance) + vec(epsilon)));
            });
        } else {
            base::both_passes(*this, all);
        }
    }

    // The first pass finds means.
    static constexpr bool walks = has_mean;
    ASHLAR_STAGE_INLINE static vec start() { return vec(0); }
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE static void step(vec& sum, vec x, std::integral_constant<std::size_t, Width>) {
        sum += Width == base::width ? x : select(vec::mask_type::first(Width), x, vec(0));
    }
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE auto finished(std::size_t row, const vec (&sums)[states]) const {
        typename base::template of_rows<Count> means{};
        if constexpr (has_mean) {
            const auto numbers = base::template across_lanes<Count>(sums, typename base::adding{}) * share;
            this->template store_numbers<base::first_buffer, Count>(row, numbers);
            means = base::template in_all_lanes<Count>(numbers);
        }
        return means;
    }
    /// The factors of their deviations.
    template <std::size_t Count, class Beside = typename base::nothing>
    ASHLAR_STAGE_INLINE void second_pass(std::size_t row, typename base::range all,
                                         const typename base::template of_rows<Count>& means,
                                         Beside beside = {}) const {
        vec squares[states];
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < states; ++u) squares[u] = vec(0);
        this->template fold_rows_along<Count>(
            row, all, squares, [&](vec& s, vec x, std::size_t q, std::size_t c, auto n) ASHLAR_STAGE_LAMBDA {
                vec d = x;
                if constexpr (has_mean) d = x - means.of[q];
                if constexpr (n != base::width) d = select(vec::mask_type::first(n), d, vec(0));
                s = fma(d, d, s);
                if (q + 1 == Count) beside(c, std::integral_constant<std::size_t, n>{});
            });
        const auto variance = base::template across_lanes<Count>(squares, typename base::adding{}) * share;
        this->template store_numbers<base::second_buffer, Count>(
            row, element(1) / sqrt(variance + node_at<core>(f.expression).epsilon));
    }
};

}  // namespace ashlar::detail
