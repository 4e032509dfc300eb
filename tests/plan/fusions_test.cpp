// SPDX-License-Identifier: BSL-1.0
// Which stages plans fuse, and around which shapes they do not: on machines with registers of all sizes, whichever one
// compiles.
#include <algorithm>

#include <gtest/gtest.h>
#include <tests/support/fusions.hpp>
#include <tests/support/plans.hpp>

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::fusion;
using support::fused;

using how = std::array<fusion, 2>;
constexpr how nothing{};
constexpr how in_full_tiles(fusion f) { return {f, fusion::none}; }
constexpr how in_the_last_tile(fusion f) { return {fusion::none, f}; }

template <auto... Dims>
tensor<float, Dims...> x{};
template <auto... Dims>
tensor<float, Dims...> y{};
template <auto... Dims>
tensor<float, Dims...> z{};

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
auto attend() {
    return attention(x<Queries, Depth>, y<Keys, Depth>, z<Keys, Values>);
}

// ---------------------------------------------------------------------- softmax in registers between two products

TEST(register_softmax, narrow_values_never_leave_registers) {
    constexpr how chosen = in_full_tiles(fusion::register_softmax);
    EXPECT_EQ(fused<avx512>(attend<4, 7, 8, 8>()), chosen);
    EXPECT_EQ(fused<avx2>(attend<4, 5, 4, 4>()), chosen);
}
TEST(register_softmax, wide_values_are_weighed_as_vectors) {
    EXPECT_EQ(fused<avx512>(attend<5, 7, 8, 16>()), in_full_tiles(fusion::register_softmax_of_vectors));
    // Short straight code, of sums that fit into the registers and do not wait for themselves.
    EXPECT_EQ(fused<avx512>(attend<8, 12, 8, 16>()), in_full_tiles(fusion::register_softmax_of_vectors));
    EXPECT_EQ(fused<avx512>(attend<8, 13, 8, 16>()), in_full_tiles(fusion::register_softmax_to_memory));
    EXPECT_EQ(fused<avx512>(attend<12, 7, 8, 16>()), in_full_tiles(fusion::register_softmax_of_vectors));
    EXPECT_EQ(fused<avx512>(attend<13, 7, 8, 16>()), in_full_tiles(fusion::register_softmax_to_memory));
    EXPECT_EQ(fused<avx512>(attend<2, 8, 8, 16>()), in_full_tiles(fusion::register_softmax_of_vectors));
    EXPECT_EQ(fused<avx512>(attend<2, 9, 8, 16>()), in_full_tiles(fusion::register_softmax_to_memory));
    EXPECT_EQ(fused<avx512>(attend<8, 8, 8, 24>()), in_full_tiles(fusion::register_softmax_to_memory));
}
TEST(register_softmax, values_that_are_weighed_in_registers) {
    constexpr how to_memory = in_full_tiles(fusion::register_softmax_to_memory);
    const auto weights = softmax(matmul(x<4, 8>, transpose(y<7, 8>)));
    static packed<float, 7, 8> panels;
    EXPECT_EQ(fused<avx512>(matmul(weights, z<7, 8>)), in_full_tiles(fusion::register_softmax));
    EXPECT_EQ(fused<avx512>(matmul(weights, panels)), to_memory);
    EXPECT_EQ(fused<avx512>(masked(attend<4, 7, 8, 8>(), causal)), to_memory);
    EXPECT_EQ(fused<avx512>(attend<4, 7, 8, 4>()), in_full_tiles(fusion::register_softmax));
    EXPECT_EQ(fused<avx512>(attend<4, 7, 8, 2>()), to_memory) << "four rows side by side";
    EXPECT_EQ(fused<avx512>(attend<16, 20, 8, 8>()), in_full_tiles(fusion::register_softmax));
    EXPECT_EQ(fused<avx512>(attend<16, 21, 8, 8>()), to_memory) << "29 registers of weights and sums";
}
TEST(register_softmax, numerators_of_wider_values_are_stored) {
    EXPECT_EQ(fused<avx512>(attend<8, 17, 32, 64>()), in_full_tiles(fusion::register_softmax_to_memory));
}
/// Heads side by side: blocks of columns.
template <std::size_t Heads, std::size_t Keys, std::size_t Width>
auto merged_heads() {
    return reshape<Keys, Heads * Width>(permute<1, 0, 2>(z<Heads, Keys, Width>));
}
TEST(register_softmax, values_at_one_distance) {
    EXPECT_EQ(fused<avx512>(attention(x<4, 8>, y<7, 8>, z<7, 32>)), in_full_tiles(fusion::register_softmax_of_vectors));
    EXPECT_EQ(fused<avx512>(attention(x<4, 8>, y<7, 8>, merged_heads<2, 7, 16>())), nothing);
}
TEST(register_softmax, keys_fit_into_the_registers) {
    EXPECT_EQ(fused<avx512>(attend<16, 24, 16, 16>()), in_full_tiles(fusion::register_softmax_to_memory));
    EXPECT_EQ(fused<avx512>(attend<16, 25, 16, 16>()), nothing) << "more than three quarters of them";
    EXPECT_EQ(fused<avx512>(attend<8, 22, 32, 64>()), in_full_tiles(fusion::register_softmax_to_memory));
    EXPECT_EQ(fused<avx512>(attend<8, 23, 32, 64>()), nothing) << "eight hold queries";
    EXPECT_EQ(fused<avx512>(attend<4, 1, 8, 8>()), nothing);
}
TEST(register_softmax, rows_fit_into_one_register) {
    EXPECT_EQ(fused<avx512>(attend<17, 9, 8, 8>()), nothing);
    EXPECT_EQ(fused<avx512>(attend<1, 9, 8, 8>()), nothing);
    EXPECT_EQ(fused<avx512>(attend<48, 9, 8, 8>()), in_the_last_tile(fusion::register_softmax));
}
TEST(register_softmax, lanes_that_know_no_place) {
    EXPECT_EQ(fused<avx512>(attention(x<4, 8>, y<7, 8>, z<7, 8>, softcap(1.5f))),
              in_full_tiles(fusion::register_softmax));
    EXPECT_EQ(fused<avx512>(attention(x<4, 8>, y<7, 8>, z<7, 8>, causal)), nothing);
    EXPECT_EQ(fused<avx512>(attention(x<4, 8>, y<7, 8>, z<7, 8>, bias(x<4, 7>))), nothing);
}
TEST(register_softmax, lanes_are_shuffled) {
    EXPECT_EQ(fused<emulated256>(attend<4, 5, 4, 4>()), nothing);
    EXPECT_EQ(fused<scalar>(attend<4, 5, 4, 4>()), nothing);
}
TEST(register_softmax, what_registers_hold_takes_no_memory) {
    EXPECT_EQ((workspace_bytes<decltype(attend<4, 7, 8, 8>()), 1, avx512>), 0u);
    // Numerators and one factor for each row.
    EXPECT_EQ((workspace_bytes<decltype(attend<8, 17, 32, 64>()), 1, avx512>), (8u * 18 + 8 * 2) * sizeof(float));
}

// ---------------------------------------------------------------------- statistics of rows into a map

TEST(statistics_into_map, groups_of_rows) {
    constexpr how chosen = in_full_tiles(fusion::statistics_into_map);
    EXPECT_EQ(fused<avx512>(softmax(x<8, 64>)), chosen);
    EXPECT_EQ(fused<avx512>(softmax(x<7, 64>)), nothing);
    EXPECT_EQ(fused<avx512>(layer_norm(x<8, 64>, y<64>, z<64>, 1e-5f)), chosen);
    EXPECT_EQ(fused<avx512>(rms_norm(x<8, 64>, y<64>, 1e-5f)), chosen);
}
TEST(statistics_into_map, long_rows_go_one_after_another) {
    EXPECT_EQ(fused<avx512>(softmax(x<2, 513>)), in_full_tiles(fusion::statistics_into_map));
    EXPECT_EQ(fused<avx512>(softmax(x<2, 512>)), nothing);
}
TEST(statistics_into_map, last_tiles) {
    EXPECT_EQ(fused<avx512>(softmax(x<40, 64>)), (how{fusion::statistics_into_map, fusion::statistics_into_map}));
    EXPECT_EQ(fused<avx512>(softmax(x<39, 64>)), in_full_tiles(fusion::statistics_into_map));
}
TEST(statistics_into_map, three_groups_of_rows_in_one_loop) {
    const auto one_loop = []<class Machine>(std::type_identity<Machine>, const auto& e) {
        return detail::planned<std::remove_cvref_t<decltype(e)>, Machine>::code.fusions[0].one_loop[detail::full_tile];
    };
    constexpr std::type_identity<avx512> wide;
    EXPECT_TRUE(one_loop(wide, softmax(x<16, 64>)));
    EXPECT_FALSE(one_loop(wide, layer_norm(x<16, 64>, y<64>, z<64>, 1e-5f))) << "no exponentials";
    EXPECT_FALSE(one_loop(wide, gelu(softmax(x<16, 64>)))) << "the map takes the ports";
    EXPECT_FALSE(one_loop(wide, softmax(x<16, 513>))) << "one row at a time";
    EXPECT_FALSE(one_loop(wide, softmax(masked(x<16, 64>, causal)))) << "a map that reads the mask";
    EXPECT_FALSE(one_loop(wide, log_softmax(masked(exp(x<16, 64>), causal)))) << "columns that no row keeps";
    EXPECT_FALSE(one_loop(std::type_identity<avx2>{}, softmax(x<16, 64>))) << "two rows at a time";
}
TEST(statistics_into_map, factors_of_the_rows_at_hand) {
    EXPECT_EQ(fused<avx512>(transpose(softmax(x<32, 64>))), nothing);
    EXPECT_EQ(fused<avx512>(let(softmax(x<32, 64>), [](const auto& v) { return v * 2.0f; })), nothing)
        << "another use of a name may be of other rows";
    EXPECT_EQ(fused<avx512>(slice<0, 0, 16>(softmax(x<32, 64>))), nothing);
    EXPECT_EQ(fused<avx512>(log_softmax(x<32, 64>) + softmax(y<32, 64>)), nothing) << "two rows of factors";
}
TEST(statistics_into_map, rows_of_scratch_serve_again) {
    // Eight rows of numerators, which end at a full register, and their factors.
    EXPECT_EQ((workspace_bytes<decltype(softmax(x<64, 64>)), 1, avx512>), (8u * 64 + 16) * sizeof(float));
}

// ---------------------------------------------------------------------- copies of right operands beside products

template <std::size_t Rows, std::size_t Columns, std::size_t Depth>
auto with_transposed() {
    return matmul(x<Rows, Depth>, transpose(y<Columns, Depth>));
}

TEST(transposed_copy, of_a_tensor) {
    constexpr how chosen = in_full_tiles(fusion::transposed_copy);
    EXPECT_EQ(fused<avx512>(with_transposed<64, 64, 64>()), chosen);
    EXPECT_EQ(fused<avx512>(relu(with_transposed<64, 64, 64>() + z<64>)), chosen);
    EXPECT_EQ(fused<avx512>(matmul(x<64, 64>, transpose(exp(y<64, 64>)))), nothing);
    EXPECT_EQ(fused<avx512>(matmul(x<64, 64>, transpose(matmul(y<64, 64>, z<64, 64>)))), nothing);
}
TEST(transposed_copy, pairs_of_vectors_and_of_steps) {
    EXPECT_EQ(fused<avx512>(with_transposed<64, 32, 64>()), in_full_tiles(fusion::transposed_copy));
    EXPECT_EQ(fused<avx512>(with_transposed<64, 31, 64>()), nothing);
    EXPECT_EQ(fused<avx512>(with_transposed<64, 64, 15>()), nothing);
}
TEST(transposed_copy, registers_for_it) {
    EXPECT_EQ(fused<avx2>(with_transposed<64, 64, 64>()), nothing);
    EXPECT_EQ(fused<aarch64>(with_transposed<64, 64, 64>()), in_full_tiles(fusion::transposed_copy));
}
// Who reads a copy between it and a product needs it before that product could make it.
TEST(transposed_copy, nobody_reads_before) {
    const auto twice = [](const auto& left) {
        return let(transpose(y<48, 64>), [&](const auto& t) { return matmul(x<32, 64>, t) + matmul(left, t); });
    };
    const auto copies_itself = [](const auto& e) {
        const auto& code = support::code_of<avx512, decltype(e)>;
        return std::count_if(std::begin(code.fusions), std::begin(code.fusions) + code.fusion_count,
                             [](const auto& f) { return f.how[detail::full_tile] == fusion::transposed_copy; });
    };
    EXPECT_EQ(copies_itself(matmul(x<32, 64>, transpose(y<48, 64>))), 1);
    EXPECT_EQ(copies_itself(twice(softmax(masked(x<32, 64>, causal)))), 0) << "weights are multiplied by it first";
}
TEST(transposed_copy, is_no_step_of_its_own) {
    EXPECT_EQ((plan<decltype(with_transposed<64, 64, 64>()), avx512>.step_count), 1u);
    EXPECT_TRUE(support::shows(with_transposed<64, 64, 64>(), "on the way"));
}

}  // namespace
