// SPDX-License-Identifier: BSL-1.0
// Calls of product kernels without a plan: cut here, with scratch of their own, and over the whole depth unless another
// one is given.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <ashlar/kernel/product/packed_k.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>

namespace ashlar::detail {

/// An epilogue that interleaves nothing.
struct no_epilogue {
    static constexpr hook hooks = hook::none;
};

/// A product with the cut of these options.
template <class Element, product_shape Product, cut_options Options>
inline constexpr product_shape cut_as = [] {
    product_shape p = Product;
    p.cut = choose_cut(p, element_machine_of<Element, current_config>, Options);
    return p;
}();

/// A product with the cut for a depth and an epilogue, if it is not cut yet.
template <class Element, class Config, product_shape Product, class Depth = constant_depth<0, Product.k>,
          class Epilogue = no_epilogue>
inline constexpr product_shape cut_product = [] {
    product_shape p = Product;
    constexpr bool whole = std::is_same_v<Depth, constant_depth<0, Product.k>>;
    if (p.cut.row_blocks == 0)
        p.cut = choose_cut(p, element_machine_of<Element, Config>,
                           {.whole_depth = whole,
                            .from_zero = !has_hook<Epilogue, hook::initial>,
                            .splits = has_hook<Epilogue, hook::splits_block>});
    if (has_hook<Epilogue, hook::interleave>) {
        p.cut.strip_steps = 1;
        p.cut.packs = false;
    }
    return p;
}();
template <class Element, class Config, product_shape Product, class Epilogue = no_epilogue>
inline constexpr product_shape cut_transposing = [] {
    product_shape p = Product;
    p.cut = choose_transposing_cut(p, element_machine_of<Element, Config>);
    return p;
}();

/// Number of row blocks of a product; block b covers rows [product_row<...>(b), product_row<...>(b + 1)).
template <class Element, class Config, product_shape Product>
inline constexpr std::size_t product_row_blocks = cut_product<Element, Config, Product>.cut.row_blocks;
template <class Element, class Config, product_shape Product>
constexpr std::size_t product_row(std::size_t b) {
    return product_plan<Element, Config, cut_product<Element, Config, Product>>.rows.first(b);
}
/// The number of register blocks. If the last columns are separate, each row block has one more for them.
template <class Element, class Config, product_shape Product>
inline constexpr std::size_t product_block_count = [] {
    constexpr product_cut cut = cut_product<Element, Config, Product>.cut;
    return std::size_t{cut.row_blocks} * (cut.vector_blocks + (cut.last_steps == 1 ? 0u : 1u));
}();

template <class Element, class Config, product_shape Product>
struct heap_scratch {
    std::vector<Element> values =
        std::vector<Element>(product_scratch_bytes<Element, Config, Product> / sizeof(Element));
    Element* data() { return values.empty() ? nullptr : values.data(); }
};

template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
void product(const Element* s, const Element* v, Depth depth, Epilogue& epilogue, std::size_t first_block,
             std::size_t last_block) {
    constexpr product_shape cut = cut_product<Element, Config, Product, Depth, Epilogue>;
    heap_scratch<Element, Config, cut> scratch;
    product<Element, Config, cut>(s, v, depth, epilogue, scratch.data(), first_block, last_block);
}
template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
void product(const Element* s, const Element* v, Depth depth, Epilogue& epilogue) {
    constexpr product_shape cut = cut_product<Element, Config, Product, Depth, Epilogue>;
    heap_scratch<Element, Config, cut> scratch;
    product<Element, Config, cut>(s, v, depth, epilogue, scratch.data());
}
template <class Element, class Config, product_shape Product, class Epilogue>
void product(const Element* s, const Element* v, Epilogue& epilogue) {
    product<Element, Config, Product>(s, v, constant_depth<0, Product.k>{}, epilogue);
}
template <class Element, class Config, packed_k_shape Product>
inline constexpr packed_k_shape cut_packed_k = [] {
    packed_k_shape p = Product;
    p.cut = choose_packed_k(p, element_machine_of<Element, Config>);
    return p;
}();
template <class Element, class Config, packed_k_shape Product, class Epilogue>
void product_packed_k(const Element* s, const Element* r, Epilogue& epilogue) {
    constexpr packed_k_shape cut = cut_packed_k<Element, Config, Product>;
    std::vector<Element> scratch(packed_k_scratch_bytes<Element, Config, cut> / sizeof(Element));
    product_packed_k<Element, Config, cut>(s, r, epilogue, scratch.data());
}
template <class Element, class Config, product_shape Product, std::size_t From, class Epilogue>
void product_transposing_rhs(const Element* s, Element* v, const Element* source, Epilogue& epilogue) {
    constexpr product_shape cut = cut_transposing<Element, Config, Product, Epilogue>;
    heap_scratch<Element, Config, cut> scratch;
    product_transposing_rhs<Element, Config, cut, From>(s, v, source, epilogue, scratch.data());
}

}  // namespace ashlar::detail
