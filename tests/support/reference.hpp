// SPDX-License-Identifier: BSL-1.0
// Naive references in double precision that share no code with the library, and comparison with their results.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/core/concepts.hpp>

namespace reference {

/// Doubles in row-major order with their extents.
struct array {
    std::vector<std::size_t> extents;
    std::vector<double> values;

    std::size_t rank() const { return extents.size(); }
    std::size_t size() const { return values.size(); }
    /// An extent, counted from the last axis: 0 is the columns.
    std::size_t from_last(std::size_t axis) const { return extents[rank() - 1 - axis]; }
};

using index = std::vector<std::size_t>;

inline array make(std::vector<std::size_t> extents, double value = 0) {
    std::size_t size = 1;
    for (const std::size_t e : extents) size *= e;
    return {std::move(extents), std::vector<double>(size, value)};
}

/// Elements that follow each other; compiled once for each type of elements, not for each shape.
template <class T>
[[gnu::noinline]] array of_elements(const T* first, std::size_t size, const std::size_t* extents, std::size_t rank) {
    array result{{extents, extents + rank}, std::vector<double>(size)};
    for (std::size_t i = 0; i < size; ++i) result.values[i] = static_cast<double>(first[i]);
    return result;
}

/// The elements of a tensor or view.
template <ashlar::array_expression T>
array of(const T& t) {
    if constexpr (requires(const typename T::value_type* first) { first = t.begin(); })
        return of_elements(t.begin(), t.size(), T::extents.data(), T::extents.size());
    else {
        array result{{T::extents.begin(), T::extents.end()}, {}};
        result.values.reserve(t.size());
        for (const auto& x : t) result.values.push_back(static_cast<double>(x));
        return result;
    }
}

inline index coordinates(const std::vector<std::size_t>& extents, std::size_t i) {
    index at(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        at[axis] = i % extents[axis];
        i /= extents[axis];
    }
    return at;
}

/// The place of the element for coordinates of an array that `a` broadcasts to.
inline std::size_t place(const array& a, const index& coordinates) {
    std::size_t i = 0;
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
        const std::size_t c = coordinates[axis + coordinates.size() - a.rank()];
        i = i * a.extents[axis] + (a.extents[axis] == 1 ? 0 : c);
    }
    return i;
}
inline double at(const array& a, const index& coordinates) { return a.values[place(a, coordinates)]; }

inline std::vector<std::size_t> broadcast(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    std::vector<std::size_t> result(std::max(a.size(), b.size()), 1);
    for (const auto* e : {&a, &b})
        for (std::size_t i = 0; i < e->size(); ++i) {
            std::size_t& r = result[result.size() - e->size() + i];
            r = std::max(r, (*e)[i]);
        }
    return result;
}

template <class F>
array map(array a, F f) {
    for (double& x : a.values) x = f(x);
    return a;
}

/// f(a, b) element by element, broadcast as in NumPy.
template <class F>
array zip(const array& a, const array& b, F f) {
    array result = make(broadcast(a.extents, b.extents));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const index c = coordinates(result.extents, i);
        result.values[i] = f(at(a, c), at(b, c));
    }
    return result;
}
inline array add(const array& a, const array& b) {
    return zip(a, b, [](double x, double y) { return x + y; });
}
inline array multiply(const array& a, const array& b) {
    return zip(a, b, [](double x, double y) { return x * y; });
}

/// Axis i of the result is axis order[i] of the operand.
inline array permute(const array& a, const std::vector<std::size_t>& order) {
    array result = a;
    for (std::size_t i = 0; i < order.size(); ++i) result.extents[i] = a.extents[order[i]];
    for (std::size_t i = 0; i < result.size(); ++i) {
        const index to = coordinates(result.extents, i);
        index from(to.size());
        for (std::size_t axis = 0; axis < order.size(); ++axis) from[order[axis]] = to[axis];
        result.values[i] = at(a, from);
    }
    return result;
}
/// The last two axes exchanged.
inline array transpose(const array& a) {
    std::vector<std::size_t> order(a.rank());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return permute(a, order);
}

/// Element (i, j) of the product of two matrices.
template <class A, class B>
double product_at(const A& a, const B& b, std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < b.extents[0]; ++k) sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
    return sum;
}

/// [..., M, K] by [..., K, N]; the axes before broadcast.
inline array matmul(const array& a, const array& b) {
    const auto batch_of = [](const array& x) {
        return std::vector<std::size_t>(x.extents.begin(), x.extents.end() - 2);
    };
    std::vector<std::size_t> extents = broadcast(batch_of(a), batch_of(b));
    extents.push_back(a.from_last(1));
    extents.push_back(b.from_last(0));
    array result = make(extents);
    for (std::size_t i = 0; i < result.size(); ++i) {
        index left = coordinates(extents, i), right = left;
        left.back() = right[right.size() - 2] = 0;
        const double* x = a.values.data() + place(a, left);
        const double* y = b.values.data() + place(b, right);
        for (std::size_t k = 0; k < a.from_last(0); ++k) result.values[i] += x[k] * y[k * b.from_last(0)];
    }
    return result;
}

/// f(std::vector<double>) of every line along an axis, which becomes 1 or, if not kept, vanishes.
template <class F>
array reduce(const array& a, std::size_t axis, bool keep, F f) {
    array result = a;
    result.extents[axis] = 1;
    result = make(result.extents);
    for (std::size_t i = 0; i < result.size(); ++i) {
        index c = coordinates(result.extents, i);
        std::vector<double> line;
        for (c[axis] = 0; c[axis] < a.extents[axis]; ++c[axis]) line.push_back(at(a, c));
        result.values[i] = f(line);
    }
    if (!keep) result.extents.erase(result.extents.begin() + static_cast<std::ptrdiff_t>(axis));
    return result;
}

using line = std::vector<double>;

inline double sum(const line& x) {
    double total = 0;
    for (const double e : x) total += e;
    return total;
}
inline double mean(const line& x) { return sum(x) / static_cast<double>(x.size()); }
inline double max(const line& x) { return *std::max_element(x.begin(), x.end()); }
inline double min(const line& x) { return *std::min_element(x.begin(), x.end()); }
inline double argmax(const line& x) { return static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin()); }
inline double variance(const line& x) {
    double total = 0;
    for (const double e : x) total += (e - mean(x)) * (e - mean(x));
    return total / static_cast<double>(x.size());
}
inline double logsumexp(const line& x) {
    const double top = max(x);
    if (std::isinf(top)) return top;
    double total = 0;
    for (const double e : x) total += std::exp(e - top);
    return top + std::log(total);
}

/// f(x, statistic of x's line along the axis) for every element x.
template <class Statistic, class F>
array along(const array& a, std::size_t axis, Statistic statistic, F f) {
    return zip(a, reduce(a, axis, true, statistic), f);
}
/// Zeros where everything is minus infinity.
inline array softmax(const array& a, std::size_t axis) {
    return along(a, axis, logsumexp, [](double x, double s) { return std::isinf(s) ? 0 : std::exp(x - s); });
}
inline array softmax(const array& a) { return softmax(a, a.rank() - 1); }
inline array log_softmax(const array& a, std::size_t axis) {
    return along(a, axis, logsumexp, [](double x, double s) { return std::isinf(s) ? s : x - s; });
}
inline array log_softmax(const array& a) { return log_softmax(a, a.rank() - 1); }

/// Over the last axis.
inline array layer_norm(const array& x, const array& gamma, const array& beta, double epsilon) {
    const std::size_t last = x.rank() - 1;
    const array centred = along(x, last, mean, [](double e, double m) { return e - m; });
    const array standard =
        along(centred, last, variance, [&](double e, double v) { return e / std::sqrt(v + epsilon); });
    return add(multiply(standard, gamma), beta);
}
inline array rms_norm(const array& x, const array& gamma, double epsilon) {
    const auto mean_square = [](line row) {
        for (double& e : row) e *= e;
        return mean(row);
    };
    return multiply(along(x, x.rank() - 1, mean_square, [&](double e, double m) { return e / std::sqrt(m + epsilon); }),
                    gamma);
}

inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }
inline double gelu_tanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x * sigmoid(x); }
inline double relu(double x) { return x < 0 ? 0 : x; }

/// What `attend` does to the scores, in this order; unset members do nothing.
struct attention_options {
    double scale = 0;    // 0: 1 / sqrt(D)
    double softcap = 0;  // c * tanh(s / c)
    array bias = {};
    std::function<double(double score, std::size_t query, std::size_t key)> score_mod = {};
    /// Whether a query sees a key; `batch` holds the indices of the axes of q before the last two.
    std::function<bool(const index& batch, std::size_t query, std::size_t key)> keep = {};
};

struct attention_result {
    array weights, values;
};

/// Query by query; what is not kept is not read. The axis before the last two of q may be a multiple of that of k and
/// v (grouped queries). Queries that keep no key get zeros.
inline attention_result attend(const array& q, const array& k, const array& v, const attention_options& options = {}) {
    const std::size_t queries = q.from_last(1), depth = q.from_last(0), keys = k.from_last(1), width = v.from_last(0);
    const std::size_t group = q.rank() > 2 ? q.from_last(2) / k.from_last(2) : 1;
    const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(depth));
    std::vector<std::size_t> batch_extents(q.extents.begin(), q.extents.end() - 2);
    std::vector<std::size_t> weight_extents = batch_extents, value_extents = batch_extents;
    weight_extents.insert(weight_extents.end(), {queries, keys});
    value_extents.insert(value_extents.end(), {queries, width});
    attention_result result{make(weight_extents), make(value_extents)};
    for (std::size_t row = 0; row < result.weights.size() / keys; ++row) {
        const std::size_t query = row % queries;
        const index batch = coordinates(batch_extents, row / queries);
        const auto row_of = [&](const array& x, std::size_t i, bool grouped) {
            index c = batch;
            if (grouped && !c.empty()) c.back() /= group;
            c.insert(c.end(), {i, 0});
            return x.values.data() + place(x, c);
        };
        const double* const own = row_of(q, query, false);
        std::vector<std::size_t> kept;
        std::vector<double> scores;
        for (std::size_t key = 0; key < keys; ++key) {
            if (options.keep && !options.keep(batch, query, key)) continue;
            double s = 0;
            const double* const other = row_of(k, key, true);
            for (std::size_t d = 0; d < depth; ++d) s += own[d] * other[d];
            s *= scale;
            if (options.softcap != 0) s = options.softcap * std::tanh(s / options.softcap);
            if (!options.bias.values.empty()) {
                index c = batch;
                c.insert(c.end(), {query, key});
                s += at(options.bias, c);
            }
            if (options.score_mod) s = options.score_mod(s, query, key);
            kept.push_back(key);
            scores.push_back(s);
        }
        if (kept.empty()) continue;
        // Do not subtract the logarithm of the sum: large scores would swallow it.
        const double most = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (const double s : scores) sum += std::exp(s - most);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            // Infinity is no constant to compare with under -ffast-math.
            const double weight = most < std::numeric_limits<double>::lowest() ? 0 : std::exp(scores[i] - most) / sum;
            result.weights.values[row * keys + kept[i]] = weight;
            const double* const value = row_of(v, kept[i], true);
            for (std::size_t d = 0; d < width; ++d) result.values.values[row * width + d] += weight * value[d];
        }
    }
    return result;
}

inline std::string text(const std::vector<std::size_t>& list) {
    std::string result;
    for (const std::size_t e : list) result += (result.empty() ? "" : ", ") + std::to_string(e);
    return "[" + result + "]";
}

/// Compares with a tolerance relative to the largest finite magnitude of the reference (at least `floor`). NaN matches
/// NaN only, an infinity the same infinity.
inline void expect_near(const array& actual, const array& expected, double tolerance = 1e-6, double floor = 1e-3,
                        std::source_location where = std::source_location::current()) {
    if (actual.extents != expected.extents) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
            << "shape " << text(actual.extents) << " instead of " << text(expected.extents);
        return;
    }
    double largest = floor;
    for (const double e : expected.values)
        if (std::isfinite(e)) largest = std::max(largest, std::fabs(e));
    std::size_t wrong = 0, first = 0;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double a = actual.values[i], e = expected.values[i];
        const bool same = std::isfinite(e) ? std::fabs(a - e) <= tolerance * largest
                          : std::isnan(e)  ? std::isnan(a)
                                           : a == e;
        if (std::isfinite(a) && std::isfinite(e)) worst = std::max(worst, std::fabs(a - e) / largest);
        if (!same && wrong++ == 0) first = i;
    }
    if (wrong != 0)
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
            << wrong << " of " << expected.size() << " elements are wrong, the first at "
            << text(coordinates(expected.extents, first)) << " of " << text(expected.extents) << ": "
            << actual.values[first] << " instead of " << expected.values[first] << "; largest relative error " << worst
            << ", allowed " << tolerance << " of " << largest;
}

/// The same for a tensor or view.
template <ashlar::array_expression T>
void expect_near(const T& actual, const array& expected, double tolerance = 1e-6, double floor = 1e-3,
                 std::source_location where = std::source_location::current()) {
    expect_near(of(actual), expected, tolerance, floor, where);
}

}  // namespace reference
