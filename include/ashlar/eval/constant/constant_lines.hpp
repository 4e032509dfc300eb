// SPDX-License-Identifier: BSL-1.0
// The evaluator of constant expressions along one axis: reductions, softmax, standardisation.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/rows/reduction.hpp>
#include <ashlar/kernel/simd/lanes.hpp>

namespace ashlar::inline v0_1::detail {

/// The elements along one axis, `step` apart.
template <class Element>
struct line {
    Element* first;
    std::size_t count;
    std::size_t step;

    ASHLAR_ALWAYS_INLINE constexpr Element& operator[](std::size_t i) const noexcept { return first[i * step]; }
};

/// Loops over single lines, all constexpr. Everything is a member of a template over Config, so that objects of
/// different architectures keep their own functions.
template <class Config>
struct constant_lines {
    template <class Element>
    using one_lane = lanes<Element, 1, Config>;

    template <class Element>
    static constexpr Element logarithm(Element x) noexcept {
        return log(one_lane<Element>(x))[0];
    }

    /// f(first) + ... of `count` terms. Adds halves, so that the error grows with the logarithm of the count.
    template <class Element, class Function>
    static constexpr Element sum(std::size_t first, std::size_t count, const Function& f) noexcept {
        if (count > 16)
            return scalar_ops<Element>::add(sum<Element>(first, count / 2, f),
                                            sum<Element>(first + count / 2, count - count / 2, f));
        Element total = f(first);
        for (std::size_t i = 1; i < count; ++i) total = scalar_ops<Element>::add(total, f(first + i));
        return total;
    }

    /// The first of the best elements; NaN is better than any number.
    template <class Element, class Better>
    static constexpr std::size_t best(line<const Element> x, Better better) noexcept {
        std::size_t found = 0;
        for (std::size_t i = 0; i < x.count; ++i) {
            if (x[i] != x[i]) return i;
            if (better(x[i], x[found])) found = i;
        }
        return found;
    }
    template <class Element>
    static constexpr std::size_t largest(line<const Element> x) noexcept {
        return best(x, [](Element a, Element b) { return a > b; });
    }

    /// x - top, where top is the larger one; minus infinity on overflow, which a constant expression must not have.
    template <class Element>
    static constexpr Element below(Element x, Element top) noexcept {
        return top > 0 && x < top + lowest_value<Element> ? -infinity<Element> : x - top;
    }

    /// exp(x - top), perhaps fast; zero at minus infinity even if top is.
    template <class Element, class... Policy>
    static constexpr Element numerator(Element x, Element top, Policy...) noexcept {
        if (is_minus_infinity(x)) return Element(0);
        const one_lane<Element> difference(below(x, top));
        if constexpr (sizeof...(Policy) == 0)
            return exp(difference)[0];
        else
            return exp_nonpositive(difference, fast)[0];
    }

    /// log(sum(exp(x))); minus infinity if all are minus infinity, plus infinity if one is.
    template <class Element>
    static constexpr Element log_sum_exp(line<const Element> x) noexcept {
        const Element top = x[largest(x)];
        if (is_minus_infinity(top) || is_minus_infinity(-top)) return top;
        return top + logarithm(sum<Element>(0, x.count, [&](std::size_t i) { return numerator(x[i], top); }));
    }

    template <reduction_kind Kind, class Result, class Element>
    static constexpr Result reduce(line<const Element> x) noexcept {
        const auto element = [&](std::size_t i) { return static_cast<Result>(x[i]); };
        const Result count = static_cast<Result>(x.count);
        if constexpr (Kind == reduction_kind::sum) {
            return sum<Result>(0, x.count, element);
        } else if constexpr (Kind == reduction_kind::mean) {
            return static_cast<Result>(sum<Result>(0, x.count, element) / count);
        } else if constexpr (Kind == reduction_kind::variance) {
            const Result mean = static_cast<Result>(sum<Result>(0, x.count, element) / count);
            return static_cast<Result>(sum<Result>(0, x.count,
                                                   [&](std::size_t i) {
                                                       const Result d = static_cast<Result>(element(i) - mean);
                                                       return static_cast<Result>(d * d);
                                                   }) /
                                       count);
        } else if constexpr (Kind == reduction_kind::max) {
            return static_cast<Result>(x[largest(x)]);
        } else if constexpr (Kind == reduction_kind::min) {
            return static_cast<Result>(x[best(x, [](Element a, Element b) { return a < b; })]);
        } else if constexpr (Kind == reduction_kind::argmax) {
            return static_cast<Result>(largest(x));
        } else if constexpr (Kind == reduction_kind::argmin) {
            return static_cast<Result>(best(x, [](Element a, Element b) { return a < b; }));
        } else if constexpr (is_plain_fold(Kind)) {
            typename fold_of<Kind>::template type<one_lane<Element>> all;
            for (std::size_t i = 0; i < x.count; ++i) {
                if (x[i] != x[i]) return static_cast<Result>(x[i]);
                all.step(one_lane<Element>(x[i]));
            }
            return static_cast<Result>(all.one());
        } else if constexpr (Kind == reduction_kind::logsumexp) {
            return static_cast<Result>(log_sum_exp(x));
        } else {
            constexpr bool decisive = Kind == reduction_kind::any;
            for (std::size_t i = 0; i < x.count; ++i)
                if (static_cast<bool>(x[i]) == decisive) return static_cast<Result>(decisive);
            return static_cast<Result>(!decisive);
        }
    }

    /// In place. A line of minus infinities gives zeros; its logarithm is minus infinity.
    template <softmax_kind Kind, class... Policy, class Element>
    static constexpr void softmax(line<Element> x) noexcept {
        const line<const Element> read{x.first, x.count, x.step};
        const Element top = x[largest(read)];
        const bool empty = is_minus_infinity(top);
        if constexpr (Kind == softmax_kind::plain) {
            for (std::size_t i = 0; i < x.count; ++i) x[i] = numerator(x[i], top, Policy{}...);
            if (empty) return;
            const Element total = sum<Element>(0, x.count, [&](std::size_t i) { return x[i]; });
            for (std::size_t i = 0; i < x.count; ++i) x[i] /= total;
        } else {
            if (empty) return;
            const Element total = sum<Element>(0, x.count, [&](std::size_t i) { return numerator(x[i], top); });
            const Element log_total = logarithm(total);
            for (std::size_t i = 0; i < x.count; ++i) x[i] = below(x[i], top) - log_total;
        }
    }

    /// In place, without the division: writes the maximum and the sum to their places. The maximum of a line of minus
    /// infinities is the lowest number.
    template <class... Policy, class Element>
    static constexpr void partial_softmax(line<Element> x, Element* maximum, Element* total) noexcept {
        const Element top = x[largest(line<const Element>{x.first, x.count, x.step})];
        *maximum = is_minus_infinity(top) ? lowest_value<Element> : top;
        for (std::size_t i = 0; i < x.count; ++i) x[i] = numerator(x[i], top, Policy{}...);
        *total = sum<Element>(0, x.count, [&](std::size_t i) { return x[i]; });
    }

    /// In place: (x - mean) / sqrt(variance + epsilon), or x / sqrt(mean of squares + epsilon).
    template <standardize_kind Kind, class Element>
    static constexpr void standardize(line<Element> x, Element epsilon) noexcept {
        const Element count = static_cast<Element>(x.count);
        Element mean = 0;
        if constexpr (Kind == standardize_kind::mean_and_variance)
            mean = sum<Element>(0, x.count, [&](std::size_t i) { return x[i]; }) / count;
        const Element variance =
            sum<Element>(0, x.count, [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); }) / count;
        const Element factor = Element(1) / sqrt(one_lane<Element>(variance + epsilon))[0];
        for (std::size_t i = 0; i < x.count; ++i) x[i] = (x[i] - mean) * factor;
    }
};

}  // namespace ashlar::detail
