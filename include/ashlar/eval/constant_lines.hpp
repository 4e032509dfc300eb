// SPDX-License-Identifier: BSL-1.0
// What the evaluator of constant expressions does along one axis: reductions, softmax, standardisation.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/provenance.hpp>
#include <ashlar/kernel/lanes.hpp>
#include <ashlar/kernel/math.hpp>

namespace ashlar::detail {

/// The elements along one axis, `step` apart.
template <class T>
struct line {
    T* first;
    std::size_t count;
    std::size_t step;

    ASHLAR_ALWAYS_INLINE constexpr T& operator[](std::size_t i) const noexcept { return first[i * step]; }
};

/// Loops over single lines, all of them constexpr. Everything is a member of a template over Config so that objects
/// of different architectures keep functions of their own.
template <class Config>
struct constant_lines {
    template <class T>
    using one_lane = lanes<T, 1, Config>;

    template <class T>
    static constexpr T exponential(T x) noexcept {
        return exp(one_lane<T>(x))[0];
    }
    template <class T>
    static constexpr T logarithm(T x) noexcept {
        return log(one_lane<T>(x))[0];
    }
    template <class T>
    static constexpr T square_root(T x) noexcept {
        return sqrt(one_lane<T>(x))[0];
    }

    /// f(first) + ... of `count` terms. Halves are added, so that the error grows with the logarithm of the count.
    template <class T, class F>
    static constexpr T sum(std::size_t first, std::size_t count, const F& f) noexcept {
        if (count > 16)
            return scalar_ops<T>::add(sum<T>(first, count / 2, f), sum<T>(first + count / 2, count - count / 2, f));
        T total = f(first);
        for (std::size_t i = 1; i < count; ++i) total = scalar_ops<T>::add(total, f(first + i));
        return total;
    }

    /// The first of the elements that none is better than; a NaN is better than any number.
    template <class T, class Better>
    static constexpr std::size_t best(line<const T> x, Better better) noexcept {
        std::size_t found = 0;
        for (std::size_t i = 0; i < x.count; ++i) {
            if (x[i] != x[i]) return i;
            if (better(x[i], x[found])) found = i;
        }
        return found;
    }
    template <class T>
    static constexpr std::size_t largest(line<const T> x) noexcept {
        return best(x, [](T a, T b) { return a > b; });
    }

    /// exp(x - top); zero at minus infinity even if top is.
    template <class T>
    static constexpr T numerator(T x, T top) noexcept {
        return is_minus_infinity(x) ? T(0) : exponential(x - top);
    }
    template <class T>
    static constexpr T numerator(T x, T top, fast_t) noexcept {
        return is_minus_infinity(x) ? T(0) : exp_nonpositive(one_lane<T>(x - top), fast)[0];
    }

    /// log(sum(exp(x))); minus infinity of nothing but minus infinities, plus infinity where there is one.
    template <class T>
    static constexpr T log_sum_exp(line<const T> x) noexcept {
        const T top = x[largest(x)];
        if (is_minus_infinity(top) || is_minus_infinity(-top)) return top;
        return top + logarithm(sum<T>(0, x.count, [&](std::size_t i) { return numerator(x[i], top); }));
    }

    template <reduction Kind, class R, class T>
    static constexpr R reduce(line<const T> x) noexcept {
        const auto element = [&](std::size_t i) { return static_cast<R>(x[i]); };
        const R count = static_cast<R>(x.count);
        if constexpr (Kind == reduction::sum) {
            return sum<R>(0, x.count, element);
        } else if constexpr (Kind == reduction::mean) {
            return static_cast<R>(sum<R>(0, x.count, element) / count);
        } else if constexpr (Kind == reduction::variance) {
            const R mean = static_cast<R>(sum<R>(0, x.count, element) / count);
            return static_cast<R>(sum<R>(0, x.count,
                                         [&](std::size_t i) {
                                             const R d = static_cast<R>(element(i) - mean);
                                             return static_cast<R>(d * d);
                                         }) /
                                  count);
        } else if constexpr (Kind == reduction::max) {
            return static_cast<R>(x[largest(x)]);
        } else if constexpr (Kind == reduction::min) {
            return static_cast<R>(x[best(x, [](T a, T b) { return a < b; })]);
        } else if constexpr (Kind == reduction::argmax) {
            return static_cast<R>(largest(x));
        } else if constexpr (Kind == reduction::logsumexp) {
            return static_cast<R>(log_sum_exp(x));
        } else {
            constexpr bool decisive = Kind == reduction::any;
            for (std::size_t i = 0; i < x.count; ++i)
                if (static_cast<bool>(x[i]) == decisive) return static_cast<R>(decisive);
            return static_cast<R>(!decisive);
        }
    }

    /// In place. A line of nothing but minus infinities gives zeros, its logarithm stays minus infinity.
    template <softmax_kind Kind, class... Policy, class T>
    static constexpr void softmax(line<T> x) noexcept {
        const line<const T> read{x.first, x.count, x.step};
        const T top = x[largest(read)];
        const bool empty = is_minus_infinity(top);
        if constexpr (Kind == softmax_kind::plain) {
            for (std::size_t i = 0; i < x.count; ++i) x[i] = numerator(x[i], top, Policy{}...);
            if (empty) return;
            const T total = sum<T>(0, x.count, [&](std::size_t i) { return x[i]; });
            for (std::size_t i = 0; i < x.count; ++i) x[i] /= total;
        } else {
            if (empty) return;
            const T total = sum<T>(0, x.count, [&](std::size_t i) { return numerator(x[i], top); });
            const T log_total = logarithm(total);
            for (std::size_t i = 0; i < x.count; ++i) x[i] = (x[i] - top) - log_total;
        }
    }

    /// In place: (x - mean) / sqrt(variance + epsilon), or x / sqrt(mean of squares + epsilon).
    template <standardize_kind Kind, class T>
    static constexpr void standardize(line<T> x, T epsilon) noexcept {
        const T count = static_cast<T>(x.count);
        T mean = 0;
        if constexpr (Kind == standardize_kind::mean_and_variance)
            mean = sum<T>(0, x.count, [&](std::size_t i) { return x[i]; }) / count;
        const T variance = sum<T>(0, x.count, [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); }) / count;
        const T factor = T(1) / square_root(variance + epsilon);
        for (std::size_t i = 0; i < x.count; ++i) x[i] = (x[i] - mean) * factor;
    }
};

}  // namespace ashlar::detail
