// SPDX-License-Identifier: BSL-1.0
// docs/reference.md has a row for every error of io, with its message as users see it.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/io/files/result.hpp>

namespace ashlar {
namespace {

using io::error;

constexpr std::pair<error, std::string_view> errors[]{{error::none, "none"},
                                                      {error::cannot_open, "cannot_open"},
                                                      {error::cannot_read, "cannot_read"},
                                                      {error::cannot_write, "cannot_write"},
                                                      {error::out_of_memory, "out_of_memory"},
                                                      {error::no_room, "no_room"},
                                                      {error::truncated, "truncated"},
                                                      {error::header_too_large, "header_too_large"},
                                                      {error::malformed_header, "malformed_header"},
                                                      {error::duplicate_name, "duplicate_name"},
                                                      {error::unsupported, "unsupported"},
                                                      {error::too_many_axes, "too_many_axes"},
                                                      {error::size_mismatch, "size_mismatch"},
                                                      {error::offset_out_of_range, "offset_out_of_range"},
                                                      {error::overlapping, "overlapping"},
                                                      {error::unused_bytes, "unused_bytes"},
                                                      {error::checksum, "checksum"},
                                                      {error::missing, "missing"},
                                                      {error::unexpected, "unexpected"},
                                                      {error::wrong_shape, "wrong_shape"},
                                                      {error::wrong_dtype, "wrong_dtype"},
                                                      {error::value_out_of_range, "value_out_of_range"},
                                                      {error::conflict, "conflict"},
                                                      {error::name_too_long, "name_too_long"},
                                                      {error::not_an_image, "not_an_image"},
                                                      {error::wrong_version, "wrong_version"},
                                                      {error::wrong_size, "wrong_size"},
                                                      {error::wrong_layout, "wrong_layout"},
                                                      {error::misaligned, "misaligned"},
                                                      {error::unlisted_members, "unlisted_members"}};
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
    for (const auto& [e, name] : errors)
        EXPECT_NE(reference.find("| `" + std::string(name) + "` | " + message_of(e) + " |\n"), std::string::npos)
            << name << ": " << message_of(e);
}

}  // namespace
}  // namespace ashlar
