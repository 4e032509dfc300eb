// SPDX-License-Identifier: BSL-1.0
// The reader of safetensors headers, token by token: what it accepts, what it refuses, and escapes.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/io/formats/json.hpp>

namespace ashlar {
namespace {

using reader = detail::json_reader<current_config>;

constexpr bool is_integer(std::string_view text, std::uint64_t expected) {
    reader json(text);
    std::uint64_t value = 0;
    return json.read(value) && value == expected && json.expect_end();
}
static_assert(is_integer("0", 0) && is_integer(" 7\n", 7) && is_integer("18446744073709551615", ~std::uint64_t{}));

constexpr bool is_refused(std::string_view text) {
    reader json(text);
    std::uint64_t value = 0;
    return !(json.read(value) && json.expect_end()) && json.failure() != nullptr;
}
static_assert(is_refused("") && is_refused("-1") && is_refused("+1") && is_refused("01") && is_refused("1.0") &&
              is_refused("1e3") && is_refused("18446744073709551616") && is_refused("99999999999999999999") &&
              is_refused("0x1") && is_refused("\"1\"") && is_refused("1 2"));

/// The value of a string in quotes, or why it is refused.
std::string unescaped(std::string_view quoted) {
    reader json(quoted);
    detail::json_string s;
    if (!json.read(s)) return std::string("refused: ") + json.failure();
    std::string text(s.raw.size(), '\0');
    text.resize(detail::json_unescape<current_config>(s.raw, text.data()));
    EXPECT_EQ(s.has_escapes, s.raw.find('\\') != std::string_view::npos);
    return json.expect_end() ? text : "more";
}

TEST(json, strings) {
    EXPECT_EQ(unescaped(R"("")"), "");
    EXPECT_EQ(unescaped(R"( "layers.0.weight" )"), "layers.0.weight");
    EXPECT_EQ(unescaped(R"("a\"b\\c\/d\b\f\n\r\t")"), "a\"b\\c/d\b\f\n\r\t");
    EXPECT_EQ(unescaped(R"("\u0041\u00e9\u20AC\ud83d\uDE00\u0000")"),
              std::string("A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0", 11));
    EXPECT_EQ(unescaped("\"\xc3\xa9\xf0\x9f\x98\x80\""), "\xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_EQ(unescaped(R"("\ud800\udc00\udbff\udfff")"), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    // The first and the last code point of each length in UTF-8.
    EXPECT_EQ(unescaped(R"("\u007f\u0080\u07ff\u0800\uffff")"), "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
}

TEST(json, refused_strings) {
    for (const std::string_view text :
         {R"(")", R"("a)", R"("a\")", R"("\)", R"("\x41")", R"("\u12")", R"("\u12)", R"("\u12g4")", R"("\ud800")",
          R"("\udc00")", R"("\ud800\u0041")", R"("\ud800\ud800")", R"("\ud800x")", R"('a')", R"(a)", R"()", "\"a\nb\"",
          "\"\x01\""})
        EXPECT_TRUE(unescaped(text).starts_with("refused: ")) << text;
    // Not UTF-8: lone continuation, overlong forms, surrogates, beyond the last code point, cut off.
    for (const std::string_view bytes :
         {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3("})
        EXPECT_EQ(unescaped('"' + std::string(bytes) + '"'), "refused: a string is not UTF-8");
}

TEST(json, first_failure_is_kept) {
    reader json("[1,x]");
    std::uint64_t value = 0;
    EXPECT_TRUE(json.expect('[', "no list"));
    EXPECT_TRUE(json.read(value));
    EXPECT_TRUE(json.take(','));
    EXPECT_FALSE(json.read(value));
    EXPECT_EQ(json.position(), 3u);
    const std::string first = json.failure();
    EXPECT_FALSE(json.take('x'));
    EXPECT_FALSE(json.expect(']', "no end"));
    EXPECT_EQ(json.failure(), first);
}

// A string of every length that ends within the text at hand is read to its end and no further.
TEST(json, no_byte_behind_the_end_is_read) {
    const std::string_view whole = R"("a\u00e9\ud83d\ude00)"
                                   "\xf0\x9f\x98\x80\"";
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string cut(whole.substr(0, length));  // on the heap, where sanitizers see its end
        reader json(cut);
        detail::json_string s;
        EXPECT_FALSE(json.read(s)) << length;
    }
    EXPECT_FALSE(unescaped(whole).starts_with("refused"));
}

}  // namespace
}  // namespace ashlar
