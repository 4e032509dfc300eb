// SPDX-License-Identifier: BSL-1.0
// docs/reference.md has a row for every error of io, with its message as users see it.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/io/files/result.hpp>

namespace ashlar {
namespace {

using io::error;

// In the order of the enumeration.
constexpr std::string_view errors[]{
    "none",          "cannot_open",        "cannot_read",      "cannot_write",        "out_of_memory",
    "no_room",       "truncated",          "header_too_large", "malformed_header",    "duplicate_name",
    "unsupported",   "too_many_axes",      "size_mismatch",    "offset_out_of_range", "overlapping",
    "unused_bytes",  "checksum",           "missing",          "unexpected",          "wrong_shape",
    "wrong_dtype",   "value_out_of_range", "conflict",         "name_too_long",       "not_an_image",
    "wrong_version", "wrong_size",         "wrong_layout",     "misaligned",          "unlisted_members"};
static_assert(std::size(errors) == static_cast<std::size_t>(error::unlisted_members) + 1);

/// The message of an error with numbers that are too large to be part of a sentence, which become N.
std::string message_of(error e) {
    constexpr std::uint64_t number = 77777;
    io::result r;
    r.error = e;
    r.position = r.limit = number;
    r.reason = "REASON";
    r.other = detail::printable_name<current_config>("OTHER");
    r.nearest = detail::printable_name<current_config>("NEAREST");
    r.expected = {2, {4, 8}};
    r.found = {2, {8, 4}};
    r.expected_dtype = io::dtype::f32;
    r.found_dtype = io::dtype::i64;
    std::string text = r.message().c_str();
    for (std::size_t at; (at = text.find("77777")) != std::string::npos;) text.replace(at, 5, "N");
    // The text before the array's name, which is empty here.
    const std::string prefix = "= \"NEAREST\"";
    if (const std::size_t at = text.find(prefix); at != std::string::npos) text.replace(at, prefix.size(), "= \"...\"");
    return text;
}

TEST(reference, has_every_error_with_its_message) {
    std::ifstream file(ASHLAR_TEST_DIR "/../docs/reference.md");
    const std::string reference(std::istreambuf_iterator<char>(file), {});
    ASSERT_NE(reference.find("# Reference"), std::string::npos);
    for (std::size_t e = 0; e < std::size(errors); ++e) {
        const std::string row = "| `" + std::string(errors[e]) + "` | " + message_of(static_cast<error>(e)) + " |\n";
        EXPECT_NE(reference.find(row), std::string::npos) << row;
    }
}

}  // namespace
}  // namespace ashlar
