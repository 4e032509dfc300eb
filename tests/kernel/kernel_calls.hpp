// SPDX-License-Identifier: BSL-1.0
// Calls of product kernels without a plan: scratch of their own, and the whole depth unless another one is given.
#pragma once

#include <cstddef>
#include <vector>

#include <ashlar/kernel/product/packed_k_rows.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>

namespace ashlar::detail {

template <class Element>
struct heap_scratch {
    std::vector<Element> values;
    explicit heap_scratch(std::size_t bytes) : values(bytes / sizeof(Element)) {}
    Element* data() { return values.empty() ? nullptr : values.data(); }
};

template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
void product_blocks(const Element* s, const Element* v, Depth depth, Epilogue& epilogue, std::size_t first_block,
                    std::size_t last_block) {
    heap_scratch<Element> scratch(product_scratch_bytes<Element, Config, Product, Depth, Epilogue>);
    product_blocks<Element, Config, Product>(s, v, depth, epilogue, first_block, last_block, scratch.data());
}
template <class Element, class Config, product_shape Product, class Depth, class Epilogue>
void product(const Element* s, const Element* v, Depth depth, Epilogue& epilogue) {
    heap_scratch<Element> scratch(product_scratch_bytes<Element, Config, Product, Depth, Epilogue>);
    product<Element, Config, Product>(s, v, depth, epilogue, scratch.data());
}
template <class Element, class Config, product_shape Product, class Epilogue>
void product(const Element* s, const Element* v, Epilogue& epilogue) {
    product<Element, Config, Product>(s, v, constant_depth<0, Product.k>{}, epilogue);
}
template <class Element, class Config, packed_k_shape Product, class Epilogue>
void product_packed_k(const Element* s, const Element* r, Epilogue& epilogue) {
    heap_scratch<Element> scratch(packed_k_scratch_bytes<Element, Config, Product>);
    product_packed_k<Element, Config, Product>(s, r, epilogue, scratch.data());
}
template <class Element, class Config, product_shape Product, std::size_t From, class Epilogue>
void product_transposing_rhs(const Element* s, Element* v, const Element* source, Epilogue& epilogue) {
    heap_scratch<Element> scratch(transposing_rhs_scratch_bytes<Element, Config, Product, Epilogue>);
    product_transposing_rhs<Element, Config, Product, From>(s, v, source, epilogue, scratch.data());
}

}  // namespace ashlar::detail
