// SPDX-License-Identifier: BSL-1.0
// How elementwise stages run, as plans for several machines have it. Compiling is passing.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::map_form;
using support::x;

struct users_function {
    constexpr auto operator()(auto v) const { return v; }
};

/// How the last elementwise stage of an expression runs.
template <class Config = avx512>
constexpr detail::map_strategy map_of(const auto& e) {
    const std::size_t maps = support::stages_of<Config>(e, support::stage_kind::map);
    return support::stage_of<Config>(e, support::stage_kind::map, maps - 1).how[detail::full_tile].map;
}
template <class Config = avx512>
constexpr detail::map_form form_of(const auto& e) {
    return map_of<Config>(e).form;
}
template <class Config = avx512>
constexpr int registers_of(const auto& e) {
    return map_of<Config>(e).registers;
}
template <class Config = avx512>
constexpr int rows_of(const auto& e) {
    return map_of<Config>(e).rows;
}

// Rows that do not end at a register follow each other without gaps.
TEST(strategies_of_maps, one_line) {
    EXPECT_EQ(form_of(x<50, 30>() + 1.0f), map_form::one_line);
    EXPECT_EQ(form_of(x<50, 32>() + 1.0f), map_form::columns_in_lanes) << "rows end at a register";
    EXPECT_EQ(form_of<scalar>(x<50, 30>() + 1.0f), map_form::columns_in_lanes) << "so they do if it has one lane";
    EXPECT_EQ(form_of(x<50, 30>() + x<30>()), map_form::columns_in_lanes) << "an operand is read again in each row";
    EXPECT_EQ(form_of(slice<1, 0, 30>(x<50, 33>()) + 1.0f), map_form::columns_in_lanes) << "gaps between rows";
    EXPECT_EQ(form_of(x<1, 30>() + 1.0f), map_form::columns_in_lanes) << "one row";
}

/// The form into a destination with these strides.
template <std::ptrdiff_t Row, std::ptrdiff_t Column>
constexpr detail::map_form form_into(const auto& e) {
    const auto& code = detail::planned<std::remove_cvref_t<decltype(e)>, avx512, detail::axis_list{Row, Column}>::code;
    return code.stages[code.stage_count - 1].how[detail::full_tile].map.form;
}
// So must the destination.
TEST(strategies_of_maps, one_line_in_order) {
    const auto square = x<50, 50>() + 1.0f;
    EXPECT_EQ((form_into<50, 1>(square)), map_form::one_line);
    EXPECT_EQ((form_into<50, -1>(square)), map_form::columns_in_lanes) << "columns run backwards";
    EXPECT_EQ((form_into<53, 1>(square)), map_form::columns_in_lanes) << "gaps between rows";
    EXPECT_EQ((form_into<1, 50>(square)), map_form::columns_in_lanes) << "the other axis is contiguous";
}
TEST(strategies_of_maps, transposing_copies_upwards) {
    EXPECT_EQ((form_into<1, 50>(x<50, 50>())), map_form::transposing_copy);
    EXPECT_NE((form_into<1, -50>(x<50, 50>())), map_form::transposing_copy);
    EXPECT_EQ((form_into<100, 2>(x<50, 50>())), map_form::columns_in_lanes) << "no axis is contiguous";
}

TEST(strategies_of_maps, transposing_copy) {
    const auto turned = transpose(x<50, 30>());
    EXPECT_EQ(form_of(turned), map_form::transposing_copy);
    EXPECT_EQ(form_of<scalar>(turned), map_form::transposing_copy);
    EXPECT_NE(form_of(turned + 1.0f), map_form::transposing_copy) << "not a mere copy";
    static tensor<bool, 50, 30> truths{};
    EXPECT_NE(form_of<scalar>(transpose(truths)), map_form::transposing_copy) << "truth values, also in one lane";
    // A tile of queries is turned into lanes.
    EXPECT_EQ(form_of(attention(x<64, 64>(), x<64, 64>(), x<64, 64>())), map_form::transposing_copy);
    EXPECT_NE(form_of(x<8, 9>()), map_form::transposing_copy) << "what lies in order is not turned";
}

// Cheap functions are computed for several registers before the first one is stored, as many as there is room for.
TEST(strategies_of_maps, registers_side_by_side) {
    const auto cheap = x<64, 64>() * 2.0f + x<64>();
    EXPECT_EQ(registers_of<avx512>(cheap), 4);
    EXPECT_EQ(registers_of<avx2>(cheap), 4);
    EXPECT_EQ(registers_of<i386>(cheap), 1);
    EXPECT_EQ(registers_of(exp(x<64, 64>()) + x<64>()), 1) << "a series";
    EXPECT_EQ(registers_of(map(users_function{}, x<64, 64>())), 4) << "a user's own function counts as one operation";
    EXPECT_EQ(registers_of(x<64, 64>() + roll<0, 3>(x<64, 64>())), 4) << "elements that are moved";
    EXPECT_EQ(registers_of(x<64, 64>() + roll<0, 3>(x<64, 64>() * 2.0f)), 1) << "and computed where they are read";
    EXPECT_EQ(registers_of<avx2>((cheap + 1.0f) * x<64, 64>() - 1.0f), 4);
    const auto longer = (cheap + 1.0f) * x<64, 64>() - x<64, 64>();
    EXPECT_EQ(registers_of<avx2>(longer), 2) << "more than 8 operations and loads: no room for what four need";
    EXPECT_EQ(registers_of<avx512>(longer), 4);
    const auto y = cheap * 2.0f + 1.0f;
    const auto long_one = y * y + y * y;
    EXPECT_EQ(registers_of<avx2>(long_one), 1) << "more than 16 operations";
    EXPECT_EQ(registers_of<avx512>(long_one), 4);
    const auto longer_one = long_one * long_one + long_one * long_one;
    EXPECT_EQ(registers_of<avx512>(longer_one), 4);
    EXPECT_EQ(registers_of<avx512>(longer_one * longer_one + longer_one), 1) << "more than 256";
}

// Rows run together if they read the same elements.
TEST(strategies_of_maps, rows_together) {
    EXPECT_EQ(rows_of<avx512>(x<64, 64>() + x<64>()), 4);
    EXPECT_EQ(rows_of(x<64, 64>() + roll<0, 3>(x<64, 64>())), 4) << "moved elements may be those of other rows";
    EXPECT_EQ(rows_of(x<64, 64>() + x<64, 64>()), 1) << "nothing is shared";
    EXPECT_EQ(rows_of(exp(x<64, 64>()) + x<64>()), 1);
}

/// A build for a machine with a last cache of so many bytes.
template <std::uint64_t Sets, std::size_t Bits, std::size_t L3Bytes = 1 << 20>
using with_l3 = build_config<Sets, Bits, 16, ASHLAR_STACK_BUDGET, 32 * 1024, 512 * 1024, false, false, false, L3Bytes>;
using small_avx2 = with_l3<avx2_sets, 256>;

template <class Config = small_avx2>
constexpr bool goes_past(const auto& e) {
    return map_of<Config>(e).past_caches != 0;
}

// Where a result and its operands take 1.5 times the last cache, the result is stored past all of them.
TEST(strategies_of_maps, past_the_caches) {
    const auto& large = x<768, 256>();  // 768 KiB
    const auto& less = x<767, 256>();
    EXPECT_TRUE(goes_past(large * 2.0f));
    EXPECT_TRUE(goes_past(large * 2.0f + x<256>()));
    EXPECT_TRUE((goes_past<with_l3<avx512_sets | 1u << 9, 512>>(large * 2.0f)));
    EXPECT_FALSE(goes_past(less * 2.0f));
    EXPECT_TRUE(goes_past(less * 2.0f + less)) << "if it turns out that they are two arrays";
    EXPECT_FALSE((goes_past<avx2>(large * 2.0f))) << "32 MiB";
    EXPECT_FALSE((goes_past<with_l3<avx2_sets, 256, 0>>(large * 2.0f))) << "switched off";
    EXPECT_FALSE((goes_past<with_l3<aarch64_sets, 128>>(large * 2.0f))) << "no instruction";
    EXPECT_FALSE((goes_past<with_l3<0, 0>>(large * 2.0f))) << "no registers";
}
TEST(strategies_of_maps, past_the_caches_in_whole_registers) {
    EXPECT_TRUE(goes_past(x<779, 257>() * 2.0f)) << "all rows are one line";
    EXPECT_EQ(form_of<small_avx2>(x<768, 256>() * 2.0f), map_form::one_line);
    EXPECT_FALSE(goes_past(x<779, 257>() * 2.0f + x<257>())) << "each row begins elsewhere";
    EXPECT_FALSE(goes_past(x<49152, 8>() * 2.0f + x<8>())) << "rows of one register";
    EXPECT_FALSE(goes_past(transpose(x<768, 256>()) * 2.0f)) << "columns of an operand";
    EXPECT_FALSE(goes_past(roll<1, 3>(x<768, 256>()) * 2.0f)) << "elements that are moved";
    EXPECT_FALSE(goes_past(x<768, 256>() > 1.0f)) << "truth values";
    EXPECT_FALSE(goes_past(softmax(x<768, 256>()) * 2.0f)) << "rows at hand";
}
// Of the first rows there may be few, which stay in the cache.
TEST(strategies_of_maps, first_rows_stay_in_the_cache) {
    const auto e = x<64, 4096>() * 2.0f;
    using expression = std::remove_cvref_t<decltype(e)>;
    const auto& code =
        detail::planned<expression, small_avx2, detail::row_major<expression>(), detail::rows_below_count>::code;
    ASSERT_EQ(code.stage_count, 1u);
    for (const auto& how : code.stages[0].how) EXPECT_EQ(how.map.past_caches, 0u);
}
TEST(strategies_of_maps, past_the_caches_is_shown) {
    EXPECT_TRUE(support::shows<small_avx2>(x<768, 256>() * 2.0f, "past the caches"));
}

// The factors of a row are loaded once if they are those of the row that is written.
TEST(strategies_of_maps, factors_of_rows) {
    const auto node = [](const auto& e) { return map_of(e).normalised; };
    EXPECT_NE(node(layer_norm(x<64, 48>(), x<48>(), x<48>(), 1e-5f)), detail::no_node);
    EXPECT_NE(node(softmax(x<64, 48>()) * 2.0f), detail::no_node);
    EXPECT_EQ(node(x<64, 48>() * 2.0f), detail::no_node);
    EXPECT_EQ(node(transpose(softmax(x<64, 48>())) + x<48, 64>()), detail::no_node) << "rows are written as columns";
}

}  // namespace
