// SPDX-License-Identifier: BSL-1.0
// Masked attention whose queries are no rows of what reads it: another axis has the tiles, queries are a loop around.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::random_numbers;

/// The values of queries 0 to 39 of two entries, and those of a mask, behind what moves the queries.
struct few_queries {
    random_numbers random{1};
    tensor<float, 40, 4> q = random.normal<float, 40, 4>(), k = random.normal<float, 40, 4>();
    tensor<float, 40, 2> v = random.normal<float, 40, 2>();
    tensor<float, 40, 3, 2> added = random.normal<float, 40, 3, 2>();

    void check_all(const auto&... options) { check(unsqueeze<1>(attention(q, k, v, options...)) + added, 1e-5); }
};

TEST(moved_queries, masks_by_type) {
    few_queries of;
    of.check_all(sliding_window<2, 0>, score_mod([](auto s, auto i, auto j) { return s - 0.1f * (i - j); }));
    of.check_all(!causal_at<14>());
}
TEST(moved_queries, masks_at_run_time) {
    few_queries of;
    of.check_all(causal && keys_below(35), bias(of.random.normal<float, 40, 40>()), softcap(2.0f));
    of.check_all(keep_finite(masked(zeros<float, 40, 40>(), sliding_window<0, 4>)));
}
TEST(moved_queries, windows_and_products) {
    few_queries of;
    check(einsum<"ij,jk->ikj">(attention(of.q, of.k, of.v, causal), of.random.normal<float, 2, 5>()), 1e-5);
    check(windows<-1, 2>(max<>(log_softmax(masked(matmul(of.q, transpose(of.k)), causal)), -50.0f)), 1e-5);
}

/// Tiles of batch entries that each have their own keys.
TEST(moved_queries, entries_as_rows) {
    random_numbers random(2);
    const auto q = random.normal<float, 18, 20, 4>();
    const auto k = random.normal<float, 18, 40, 4>();
    const auto v = random.normal<float, 18, 40, 5>();
    const auto added = random.normal<float, 20, 18, 3, 5>();
    auto lengths = random.whole<int, 18>(0, 41);
    lengths(0) = 3;  // the first entry says nothing of the others
    check(permute<1, 0, 2>(attention_weights(q, k, causal_at(lengths))) * 2.0f, 1e-5);
    const auto check_values = [&](const auto& mask) {
        check(unsqueeze<2>(permute<1, 0, 2>(attention(q, k, v, mask))) + added, 1e-5);
    };
    check_values(keys_below(lengths));
    check_values(keep(random.truths<18, 20, 40>(0.05)));
}

/// What one mask leaves out of the depth of a product is not what another one leaves out of its result.
TEST(moved_queries, a_mask_above_another_one) {
    random_numbers random(3);
    const auto q = random.normal<float, 40, 8>(), k = random.normal<float, 40, 8>();
    const auto v = random.normal<float, 40, 200>();
    const auto scores = masked(matmul(attention_weights(q, k, causal), v), sliding_window<5, 5>);
    check(max<1>(scores), 1e-5);
}
/// Keys that no query keeps take no scratch, but what is made of the weights has other axes.
TEST(moved_queries, more_keys_than_queries) {
    random_numbers random(4);
    const auto q = random.normal<float, 40, 8>();
    const auto k = random.normal<float, 64, 8>();
    const auto v = random.normal<float, 3, 64, 8>();
    check(max<2>(matmul(attention_weights(q, k, causal), v)), 1e-5);
}

}  // namespace
