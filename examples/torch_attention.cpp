// SPDX-License-Identifier: BSL-1.0
// attention() beside torch's scaled_dot_product_attention, after a notebook: self-attention, one query, narrow keys.
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::torch_attention;

int main() {
    // Ten values of width four. Dimensions may be plain numbers as well as named axes.
    const auto v = borrowed<10, 4>(reference::v);

    title("self-attention");
    tensor<float, 10, 4> attended = attention(v, v, v);  // evaluated here, in the assignment
    check_near("attention(v, v, v)", attended, reference::self_attention_output, 1e-6);
    check_near("first row, as printed", attended[0], {0.5106f, 0.4950f, 0.6128f, 0.6522f}, 1e-4);

    // There must be as many keys as values, but the queries may be fewer: the result has a row for each query.
    title("a single query");
    const auto query = borrowed<1, 4>(reference::query);
    const auto keys = borrowed<10, 4>(reference::keys);
    check_near("attention(query, keys, v)", attention(query, keys, v), reference::single_query_attention, 1e-6);
    // A vector is one query too, and gives a vector.
    check_near("attention(query[0], keys, v)", attention(query[0], keys, v), reference::single_query_attention[0],
               1e-6);

    // Queries and keys only meet each other, so their width is their own affair.
    title("queries and keys narrower than values");
    const auto narrow_query = borrowed<1, 2>(reference::narrow_query);
    const auto narrow_keys = borrowed<10, 2>(reference::narrow_keys);
    check_near("attention(narrow_query, narrow_keys, v)", attention(narrow_query, narrow_keys, v),
               reference::narrow_attention, 1e-6);

    // What the notebook asks next: how many parameters does this have? None: attention is a formula. And how much does
    // it cost? The type of the expression knows: 2 products of 2 * 10 * 10 * 4, the scale, and softmax.
    using expression_type = decltype(attention(v, v, v));
    static_assert(flops<expression_type> == 2 * (2 * 10 * 10 * 4) + 10 * 10 + 5 * 10 * 10);
    return report();
}
