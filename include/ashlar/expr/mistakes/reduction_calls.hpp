// SPDX-License-Identifier: BSL-1.0
// Reports reductions and norms that are called with axes as arguments, as in libraries with runtime axes.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

using refused_softmax_call = refused_call<
    "ashlar: softmax: takes one tensor, view or expression, and the axis as template argument; write softmax<1>(x)">;
using refused_norm_call = refused_call<
    "ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)">;

}  // namespace detail

template <auto... Given>
void sum(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void mean(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void(max)(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void(min)(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void variance(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void argmax(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void all(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void any(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void logsumexp(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void softmax(detail::refused_softmax_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void log_softmax(detail::refused_softmax_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void layer_norm(detail::refused_norm_call, detail::any_argument = {}, detail::any_argument = {},
                detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void rms_norm(detail::refused_norm_call, detail::any_argument = {}, detail::any_argument = {},
              detail::any_argument = {});
template <auto... Given>
void normalize(detail::refused_norm_call, detail::any_argument = {}, detail::any_argument = {},
               detail::any_argument = {});
template <auto... Given>
void masked_mean(
    detail::refused_call<
        "ashlar: masked_mean: takes one tensor, view or expression and a mask, and the axis as template argument; write masked_mean<0>(x, keys_below(n))">,
    detail::any_argument = {}, detail::any_argument = {});
}  // namespace ashlar
