// SPDX-License-Identifier: BSL-1.0
// embedding: rows of a learnt table, chosen by tokens.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `embedding`: the number of rows of the table, and their width.
struct embedding_options {
    width entries, size;
};

/// The rows of a table at given tokens: integers [...] to [..., size], lazily. Tokens must be at least 0 and less than
/// `entries` (asserted). PyTorch's nn.Embedding: `weight` [entries, size]. entries * size parameters.
///
///     nn::embedding<{.entries = 512, .size = 64}> words{};
///     tensor<float, 32, 64> x = words(tokens);            // tokens: tensor<int, 32>
///     tensor<float, 32, 512> logits = words.scores(y);    // the head that shares the table
template <embedding_options Options, class Element = float, class Weight = Element>
struct embedding {
    static constexpr embedding_options options = Options;
    static constexpr auto initialization = detail::initialization::table;
    static constexpr std::size_t entries = Options.entries, size = Options.size;

    basic_tensor<detail::table_element<Weight>, entries, size> weight;

    /// The expression; it borrows the module. One integer gives one row, a view.
    template <any_expression Tokens>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Tokens&& tokens) const& noexcept {
        return take<0>(weight, std::forward<Tokens>(tokens));
    }
    template <std::integral Token>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Token token) const& noexcept {
        return weight[token];
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {}) const&;

    /// The products of x with every entry, [..., size] to [..., entries]: the output layer of a model with tied
    /// embeddings. For many rows a `linear` with a packed copy of the table is faster.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto scores(Input&& x) const& noexcept {
        return matmul(std::forward<Input>(x), transpose(weight));
    }
    void operator()(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&) const&& = delete;
    void scores(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&) const&& = delete;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.weight);
    }
};

}  // namespace ashlar::nn
