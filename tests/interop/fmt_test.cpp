// SPDX-License-Identifier: BSL-1.0
// Arrays by fmt: texts, specifications of elements, and those that are refused.
#include <string>

#include <gtest/gtest.h>

#if !__has_include(<fmt/format.h>)
TEST(fmt, is_not_installed) { GTEST_SKIP() << "no fmt (Debian: libfmt-dev)"; }
#else
#include <ashlar/interop/fmt.hpp>

#include "formatted.hpp"

namespace {

TEST(fmt, texts_of_arrays) {
    const auto text = [](const char* pattern, const auto& array) { return fmt::format(fmt::runtime(pattern), array); };
    for (const auto& [got, expected] : formatted_arrays(text)) EXPECT_EQ(got, expected);
}

TEST(fmt, patterns_are_checked_by_the_compiler) {
    const ashlar::tensor<float, 2> t{1, 2};
    EXPECT_EQ(fmt::format("{:.1f} {}", t, 3), "[1.0, 2.0] 3");
}

TEST(fmt, refused_specifications) {
    const ashlar::tensor<float, 2> t{1, 2};
    try {
        static_cast<void>(fmt::format(fmt::runtime("{:{}f}"), t, 3));
        ADD_FAILURE() << "a width that is an argument";
    } catch (const fmt::format_error& error) {
        EXPECT_NE(std::string(error.what()).find("cannot be an argument"), std::string::npos) << error.what();
    }
    EXPECT_THROW(static_cast<void>(fmt::format(fmt::runtime("{:d}"), t)), fmt::format_error);
    EXPECT_THROW(static_cast<void>(fmt::format(fmt::runtime("{:0000000000000000000000000000000000000000001.1f}"), t)),
                 fmt::format_error);
}

}  // namespace
#endif
