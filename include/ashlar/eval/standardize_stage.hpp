// SPDX-License-Identifier: BSL-1.0
// The stage of layer norm and rms norm: the mean of each row and what deviations from it are scaled by.
#pragma once

#include <ashlar/eval/row_stage.hpp>

namespace ashlar::detail {

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
