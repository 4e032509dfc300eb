// SPDX-License-Identifier: BSL-1.0
// Dimensions: which are one type, which agree, and which name survives.
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/core/axis.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 64> seq;
inline constexpr axis<"head", 64> head;
inline constexpr axis<"seq", 32> short_seq;

template <auto D>
struct holds {};

static_assert(fixed_string("seq").size() == 3 && fixed_string("").size() == 0);
static_assert(fixed_string("seq") == fixed_string("seq") && !(fixed_string("seq") == fixed_string("sea")));
static_assert(seq.extent == 64 && seq.name == fixed_string("seq"));
static_assert(std::is_empty_v<axis<"seq", 64>>);
static_assert(std::is_same_v<holds<seq>, holds<axis<"seq", 64>{}>> && !std::is_same_v<holds<seq>, holds<head>>);

static_assert(any_dimension<int> && any_dimension<unsigned long> && any_dimension<axis<"seq", 64>> &&
              any_dimension<const int>);
static_assert(!any_dimension<float> && !any_dimension<const char*> && !any_dimension<std::nullptr_t>);
static_assert(!detail::is_axis<int> && detail::is_axis<axis<"seq", 64>>);

static_assert(std::is_same_v<decltype(detail::canonical(6)), std::size_t>);
static_assert(std::is_same_v<decltype(detail::canonical(6u)), std::size_t>);
static_assert(std::is_same_v<decltype(detail::canonical('a')), std::size_t>);
static_assert(std::is_same_v<std::remove_cv_t<decltype(detail::canonical(seq))>, axis<"seq", 64>>);
static_assert(detail::extent_of(6) == 6 && detail::extent_of(seq) == 64);

static_assert(detail::same_name(seq, short_seq) && !detail::same_name(seq, head));
static_assert(detail::same_name(seq, 64) && detail::same_name(64, 3), "an integer has no name to differ");
static_assert(!detail::same_name(axis<"a", 2>{}, axis<"ab", 2>{}));

static_assert(detail::dimensions_agree(seq, seq) && detail::dimensions_agree(seq, 64) &&
              detail::dimensions_agree(64u, seq) && detail::dimensions_agree(64, 64u));
static_assert(!detail::dimensions_agree(seq, head), "equal extents, different names");
static_assert(!detail::dimensions_agree(seq, short_seq), "the same name, different extents");
static_assert(!detail::dimensions_agree(seq, 63) && !detail::dimensions_agree(3, 4));

static_assert(detail::is_axis<std::remove_cv_t<decltype(detail::merge_dimensions<seq, std::size_t{64}>())>>);
static_assert(detail::is_axis<std::remove_cv_t<decltype(detail::merge_dimensions<std::size_t{64}, seq>())>>);
static_assert(detail::merge_dimensions<std::size_t{64}, std::size_t{64}>() == 64);

TEST(Axis, NamesAreText) {
    EXPECT_STREQ(seq.name.text, "seq");
    EXPECT_STREQ((axis<"", 1>::name.text), "");
}

}  // namespace
