// SPDX-License-Identifier: BSL-1.0
// What is computed in a benchmark, as plain data that we and every peer read.
#pragma once

#include <array>
#include <cstddef>

namespace ashlar::bench {

/// The formula.
enum class operation {
    attention,     ///< softmax(q k^T / sqrt(depth)) v over the kept pairs
    matmul,        ///< a b, or a b^T
    feed_forward,  ///< gelu(x w1 + b1) w2 + b2, gelu in its erf form
    softmax,       ///< of each row
    layer_norm,    ///< of each row, with gamma and beta
    chain          ///< max(x * scale + y, 0), elementwise
};

/// Which (query, key) pairs attention keeps.
enum class mask_kind { full, causal, window };

/// One problem; usable as a template argument, so that peers with static shapes get them.
struct problem {
    operation op = operation::attention;
    std::size_t rows = 1;   ///< of the result
    std::size_t inner = 1;  ///< keys of attention, depth of a product, width of a hidden layer; else unused
    std::size_t cols = 1;   ///< of the result; attention's head size, which is also its depth
    mask_kind mask = mask_kind::full;
    std::size_t window = 0;   ///< keys before the query that it still sees, where the mask is a window
    bool transposed = false;  ///< the right operand is stored as its transpose
    bool doubles = false;     ///< f64 instead of f32
    bool cached = false;      ///< keys and values were appended to a cache of whatever layout, which is not timed
    bool chained = false;     ///< each call takes the previous one's result: latency instead of throughput

    /// Whether a query keeps a key.
    constexpr bool keeps(std::size_t query, std::size_t key) const {
        if (mask == mask_kind::full) return true;
        return key <= query && (mask == mask_kind::causal || query - key <= window);
    }
    /// First key that a query keeps.
    constexpr std::size_t first_key(std::size_t query) const {
        return mask == mask_kind::window && query > window ? query - window : 0;
    }
    /// One past the last key that a query keeps.
    constexpr std::size_t end_key(std::size_t query) const {
        return mask == mask_kind::full || query + 1 > inner ? inner : query + 1;
    }
    /// Elements of operand i; 0 if there is none.
    constexpr std::size_t operand_size(std::size_t i) const {
        switch (op) {
        case operation::attention: return i == 0 ? rows * cols : i < 3 ? inner * cols : 0;
        case operation::matmul: return i == 0 ? rows * inner : i == 1 ? inner * cols : 0;
        case operation::feed_forward:
            return i == 0 ? rows * cols : i == 1 || i == 3 ? cols * inner : i == 2 ? inner : i == 4 ? cols : 0;
        case operation::softmax: return i == 0 ? rows * cols : 0;
        case operation::layer_norm: return i == 0 ? rows * cols : i < 3 ? cols : 0;
        case operation::chain: return i < 2 ? rows * cols : 0;
        }
        return 0;
    }
    constexpr std::size_t result_size() const { return rows * cols; }
    /// Multiply-adds of the products alone over the kept pairs, times 2: what shares of the peak are taken of.
    constexpr double useful_flops() const {
        switch (op) {
        case operation::attention: {
            double pairs = 0;
            for (std::size_t query = 0; query < rows; ++query)
                pairs += static_cast<double>(end_key(query) - first_key(query));
            return 4.0 * pairs * static_cast<double>(cols);
        }
        case operation::matmul: return 2.0 * static_cast<double>(rows * inner) * static_cast<double>(cols);
        case operation::feed_forward: return 4.0 * static_cast<double>(rows * inner) * static_cast<double>(cols);
        default: return 0;
        }
    }
    /// Whether memory rather than arithmetic bounds it: one pass over rows, or one query over its keys.
    constexpr bool streams() const {
        return op == operation::softmax || op == operation::layer_norm || op == operation::chain ||
               (op == operation::attention && (rows == 1 || cached));
    }
    constexpr std::size_t element_bytes() const { return doubles ? 8 : 4; }
};

inline constexpr std::size_t most_operands = 5;
inline constexpr double chain_scale = 0.75;
inline constexpr double norm_epsilon = 1e-5;

/// The same pointer, about which the optimiser knows nothing any more.
template <class T>
[[gnu::always_inline]] inline T* hidden(T* pointer) {
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

/// Where a problem's operands and result lie; each begins at a cache line. Every pointer is hidden when it is taken
/// out: in copies of all of them small problems would wait for what was just stored.
struct operands {
    const void* in[most_operands] = {};
    void* out = nullptr;
    void* spare = nullptr;  ///< as large as the result, for chained calls

    template <class T>
    const T* input(std::size_t i) const {
        return static_cast<const T*>(hidden(in[i]));
    }
    template <class T>
    T* result() const {
        return static_cast<T*>(hidden(out));
    }
};

/// The operands of calls in a row: the same each time, or where calls are chained the previous result first. No call
/// can be moved out of the loop around it.
template <bool Chained>
class operands_of_calls {
    std::array<operands, Chained ? 3 : 1> at_;

public:
    explicit operands_of_calls(const operands& given) {
        at_.fill(given);
        if constexpr (Chained) {
            at_[1].out = given.spare;
            at_[1].in[0] = given.out;
            at_[2].in[0] = given.spare;
        }
    }
    [[gnu::always_inline]] const operands& operator()(std::size_t call) const {
        __asm__ volatile("" ::: "memory");
        if constexpr (Chained)
            return at_[call == 0 ? 0 : 2 - call % 2];
        else
            return at_[0];
    }
};

}  // namespace ashlar::bench
