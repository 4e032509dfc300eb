// SPDX-License-Identifier: BSL-1.0
// The index of safetensors files: valid arrays are found, and errors are named.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/io/formats/archive.hpp>
#include <ashlar/tensor/tensor.hpp>

#include "file_builder.hpp"
#include "saved.hpp"

namespace ashlar {
namespace {

using test::message;
using test::safetensors_of;

const std::string six = test::bytes_of<float>({1, 2, 3, 4, 5, 6});

io::result open(const std::vector<char>& file) {
    io::archive archive;
    const io::result r = archive.open(file);
    EXPECT_EQ(r.ok(), r.error == io::error::none);
    if (!r) {
        EXPECT_EQ(archive.size(), 0u);
        EXPECT_EQ(archive.begin(), archive.end());
    }
    return r;
}
io::result open(std::string_view header, std::string_view data = {}) { return open(safetensors_of(header, data)); }

TEST(safetensors, arrays_are_found_by_name_in_order) {
    const auto file = test::safetensors(
        {{"b", "F32", "2,3", six}, {"a", "I64", "", test::bytes_of<std::int64_t>({-7})}, {"c", "U8", "0,5", ""}});
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    ASSERT_EQ(archive.size(), 3u);
    EXPECT_EQ(archive[0].name, "a");
    EXPECT_EQ(archive[1].name, "b");
    EXPECT_EQ(archive[2].name, "c");
    const io::stored_array& b = *archive.find("b");
    EXPECT_EQ(&b, &archive[1]);
    EXPECT_EQ(b.dtype, io::dtype::f32);
    EXPECT_EQ(b.shape, (io::dimensions{2, {2, 3}}));
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(b.data.data()), b.data.size()), six);
    EXPECT_EQ(reinterpret_cast<const char*>(b.data.data()), file.data() + b.offset);
    EXPECT_EQ(archive.find("a")->shape.rank, 0u);
    EXPECT_EQ(archive.find("c")->data.size(), 0u);
    EXPECT_EQ(archive.find(""), nullptr);
    EXPECT_EQ(archive.find("ab"), nullptr);
    // It can be opened again.
    const auto none = test::safetensors({});
    ASSERT_TRUE(archive.open(none));
    EXPECT_EQ(archive.size(), 0u);
    EXPECT_EQ(archive.find("a"), nullptr);
}

TEST(safetensors, every_dtype_by_name_and_size) {
    for (int i = 1; i <= static_cast<int>(io::dtype::c64); ++i) {
        const auto type = static_cast<io::dtype>(i);
        io::archive archive;
        const auto file = test::safetensors({{"x", io::name_of(type), "3", std::string(3 * io::size_of(type), 'x')}});
        ASSERT_TRUE(archive.open(file)) << io::name_of(type);
        EXPECT_EQ(archive[0].dtype, type);
    }
    // Types that are not known are listed by the name that the file has for them; it alone says how large they are.
    for (const char* name : {"F4", "", "f32", "F32 ", "F\\u00332", "F8_E8M0"}) {
        io::archive archive;
        const auto file = test::safetensors({{"x", name, "1", "four"}, {"y", "F32", "1", "four"}});
        ASSERT_TRUE(archive.open(file)) << name;
        EXPECT_EQ(archive[0].dtype, io::dtype::unknown);
        EXPECT_EQ(archive[0].type_name, name);
        EXPECT_EQ(archive[0].data.size(), 4u);
        ashlar::tensor<float, 1> value{};
        EXPECT_EQ(message(io::load(value, archive, "x")),
                  "x: not supported: an unknown element type" + (*name != 0 ? ", " + std::string(name) : ""));
        EXPECT_EQ(message(io::load(value, archive, "y")), "no error");
    }
}

TEST(safetensors, spaces_metadata_and_any_order_of_fields) {
    EXPECT_TRUE(open(R"( {} )"));
    EXPECT_TRUE(open(R"({"__metadata__":{}})"));
    EXPECT_TRUE(open(R"({ "__metadata__" : { "format" : "pt" , "\u0061" : "\\" } , "x" : { "data_offsets" : [ 0 , 4 ] ,
                        "shape" : [ 1 ] , "dtype" : "F32" } }    )",
                     "four"));
    const io::result r = open(R"({"__metadata__":{"a":1}})");
    EXPECT_EQ(r.error, io::error::malformed_header);
    EXPECT_EQ(open(R"({"__metadata__":{},"__metadata__":{}})").error, io::error::duplicate_name);
}

TEST(safetensors, escaped_names) {
    const auto file = safetensors_of(
        R"({"\u0061\"\\":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
        R"("\u00e9":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
        "xyz");
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    EXPECT_NE(archive.find("a\"\\"), nullptr);
    EXPECT_NE(archive.find("b"), nullptr);
    ASSERT_NE(archive.find("\xc3\xa9"), nullptr);
    EXPECT_EQ(archive.find("\xc3\xa9")->data[0], std::byte{'z'});
    // The same name spelled in two ways is the same name.
    const io::result r = open(
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
        "xy");
    EXPECT_EQ(message(r), "a: the file has two arrays of this name");
}

TEST(safetensors, lengths) {
    EXPECT_EQ(message(open(std::vector<char>{})), "truncated: 8 bytes are needed, there are 0");
    EXPECT_EQ(open(std::vector<char>(7)).error, io::error::truncated);
    EXPECT_EQ(open(std::vector<char>(8)).error, io::error::malformed_header);  // a header of no bytes
    const auto of_length = [](std::uint64_t length) {
        const std::string file = test::little(length, 8) + "{}";
        return open(std::vector<char>(file.begin(), file.end()));
    };
    EXPECT_TRUE(of_length(2));
    EXPECT_EQ(message(of_length(3)), "truncated: 11 bytes are needed, there are 10");
    EXPECT_EQ(of_length(100'000'000).error, io::error::truncated);
    EXPECT_EQ(of_length(100'000'001).error, io::error::header_too_large);
    EXPECT_EQ(of_length(~std::uint64_t{}).error, io::error::header_too_large);
    EXPECT_EQ(of_length(1).error, io::error::malformed_header);
}

TEST(safetensors, numbers_that_are_none) {
    for (const char* number : {"NaN", "Infinity", "-1", "-0", "3.0", "3e0", "+3", "0x3", "03", "18446744073709551616",
                               "null", "\"3\"", "true", "[3]", "3,"}) {
        const std::string in_shape =
            std::string(R"({"a":{"dtype":"U8","shape":[)") + number + R"(],"data_offsets":[0,3]}})";
        const std::string in_offsets =
            std::string(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,)") + number + "]}}";
        for (const std::string& header : {in_shape, in_offsets}) {
            const io::result r = open(header, "xyz");
            EXPECT_EQ(r.error, io::error::malformed_header) << header;
            EXPECT_STREQ(r.name.c_str(), "a") << header;
        }
    }
    // As an extent it is a number, but no file has so many.
    EXPECT_EQ(open(R"({"a":{"dtype":"U16","shape":[18446744073709551615],"data_offsets":[0,3]}})", "xyz").error,
              io::error::malformed_header);
}

TEST(safetensors, nesting_takes_no_stack) {
    std::string lists(1'000'000, '['), objects, metadata = R"({"__metadata__":)",
                                                shape = R"({"a":{"dtype":"U8","shape":)" + lists;
    for (int i = 0; i < 200'000; ++i) objects += R"({"a":)";
    for (const std::string& header : {lists, objects, metadata + objects, shape})
        EXPECT_EQ(open(header, "xyz").error, io::error::malformed_header);
}

TEST(safetensors, coverage) {
    const auto two = [](const char* a, const char* b, std::size_t bytes) {
        const std::string header = std::string(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[)") + a +
                                   R"(]},"b":{"dtype":"U8","shape":[4],"data_offsets":[)" + b + "]}}";
        return message(open(header, std::string(bytes, 'x')));
    };
    EXPECT_EQ(two("0,4", "4,8", 8), "no error");
    EXPECT_EQ(two("4,8", "0,4", 8), "no error");
    EXPECT_EQ(two("0,4", "4,8", 7), "b: truncated: 121 bytes are needed, there are 120");
    EXPECT_EQ(two("0,4", "4,8", 0), "a: truncated: 121 bytes are needed, there are 113");
    EXPECT_EQ(two("0,4", "4,8", 9), "bytes that belong to no array: 1 from byte 121 on");
    EXPECT_EQ(two("0,4", "5,9", 9), "bytes that belong to no array: 1 from byte 117 on");
    EXPECT_EQ(two("1,5", "5,9", 9), "bytes that belong to no array: 1 from byte 113 on");
    EXPECT_EQ(two("0,4", "3,7", 7), "b: it shares bytes with a");
    EXPECT_EQ(two("0,4", "0,4", 4), "b: it shares bytes with a");
    EXPECT_EQ(two("0,4", "104,108", 8), "b: it lies beyond the end of the file: 225 bytes, there are 125");
    EXPECT_EQ(two("0,4", "8,4", 8), "b: malformed header: an array ends before it begins, at byte 112");
    EXPECT_EQ(two("0,4", "4,9", 9), "b: its bytes do not fit its shape and element type: 4 bytes are needed, it has 5");
    EXPECT_EQ(two("0,4", "6000000000000000000,6000000000000000004", 8),
              "b: it lies beyond the end of the file: 6000000000000000153 bytes, there are 157");
    EXPECT_EQ(two("0,4", "18446744073709551611,18446744073709551615", 8),
              "b: it lies beyond the end of the file: 18446744073709551615 bytes, there are 159");
    EXPECT_EQ(open(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[9,9]}})", "").error,
              io::error::offset_out_of_range);
    EXPECT_EQ(
        open(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
            "four")
            .error,
        io::error::overlapping);
}

TEST(safetensors, shapes) {
    const auto shape = [](const char* text) {
        return open(std::string(R"({"a":{"dtype":"F32","shape":[)") + text + R"(],"data_offsets":[0,4]}})", "four");
    };
    EXPECT_TRUE(shape(""));
    EXPECT_TRUE(shape("1,1,1,1,1,1,1,1"));
    EXPECT_EQ(message(shape("1,1,1,1,1,1,1,1,1")), "a: an array of more than 8 axes");
    EXPECT_EQ(shape("2").error, io::error::size_mismatch);
    EXPECT_EQ(shape("4294967296,4294967296").error, io::error::malformed_header);
    EXPECT_EQ(shape("4611686018427387905").error, io::error::malformed_header);  // 4 times it is 4 modulo 2^64
    EXPECT_EQ(shape("18446744073709551615,18446744073709551615,0").error, io::error::malformed_header);
    EXPECT_EQ(shape("-1").error, io::error::malformed_header);
    EXPECT_EQ(shape("1.0").error, io::error::malformed_header);
    EXPECT_EQ(shape("[1]").error, io::error::malformed_header);
    EXPECT_EQ(shape("1,").error, io::error::malformed_header);
}

TEST(safetensors, malformed_headers) {
    const std::string good = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
    EXPECT_TRUE(open(good, "four"));
    // The file cut at any place, or with any byte replaced by an invalid one.
    for (std::size_t i = 0; i < good.size(); ++i) {
        EXPECT_FALSE(open(good.substr(0, i), "four")) << i;
        std::string other = good;
        other[i] = '\x01';
        EXPECT_FALSE(open(other, "four")) << i;
    }
    std::vector<std::string> wrong{"",         " ",         "[]",         "null",      "\"a\"", "{",
                                   "}",        "{}}",       "{}{}",       "{}x",       "{,}",   "{\"a\"}",
                                   "{\"a\":}", "{\"a\":1}", "{\"a\":{}}", "{\"a\":[]}"};
    const auto change = [&](std::string_view from, std::string_view to) {
        wrong.push_back(std::string(good).replace(good.find(from), from.size(), to));
    };
    change(R"(,"data_offsets":[0,4])", "");
    change("[0,4]", "[0]");
    change("[0,4]", "[0,4,4]");
    change(R"("shape":[4])", R"("shape":[4],"shape":[4])");
    change("[0,4]", R"([0,4],"more":1)");
    change(R"("U8")", "8");
    change("[4]", "4");
    change("}}", "},}");
    change("}}", R"(}"b":1})");
    change(R"("a")", "'a'");
    for (const std::string& header : wrong) {
        const io::result r = open(header, "four");
        EXPECT_EQ(r.error, io::error::malformed_header) << header;
        EXPECT_GE(r.position, 8u);
        EXPECT_NE(std::string_view(r.reason), "") << header;
    }
}

TEST(safetensors, many_arrays_are_indexed) {
    std::vector<test::array_entry> arrays;
    for (int i = 0; i < 2000; ++i)
        arrays.push_back(
            {"layers." + std::to_string(i * 7919 % 2000), "U8", "1", std::string(1, static_cast<char>(i))});
    io::archive archive;
    const auto file = test::safetensors(arrays);
    ASSERT_TRUE(archive.open(file));
    ASSERT_EQ(archive.size(), 2000u);
    for (const auto& a : arrays) {
        ASSERT_NE(archive.find(a.name), nullptr);
        EXPECT_EQ(static_cast<char>(archive.find(a.name)->data[0]), a.data[0]);
    }
}

TEST(source, files_and_memory) {
    io::archive archive;
    EXPECT_EQ(message(archive.open("/nowhere/weights.safetensors")),
              "/nowhere/weights.safetensors: the file cannot be opened");
    EXPECT_EQ(message(archive.open(ASHLAR_TEST_DIR)),
              std::string(ASHLAR_TEST_DIR) + ": the file cannot be read: a directory, no regular file");
    EXPECT_EQ(archive.open(std::string(ASHLAR_TEST_DIR) + "/io/safetensors_test.cpp").error,
              io::error::header_too_large);
    const std::string path = testing::TempDir() + "ashlar_source_test.safetensors";
    const auto file = test::safetensors({{"x", "F32", "2,3", six}});
    {
        std::FILE* const out = std::fopen(path.c_str(), "wb");
        ASSERT_NE(out, nullptr);
        ASSERT_EQ(std::fwrite(file.data(), 1, file.size(), out), file.size());
        std::fclose(out);
    }
    ASSERT_TRUE(archive.open(path));
    EXPECT_EQ(archive.find("x")->data.size(), six.size());
    ASSERT_TRUE(archive.open(path.c_str()));
    io::archive moved = std::move(archive);
    EXPECT_NE(moved.find("x"), nullptr);
    EXPECT_EQ(moved[0].data[0], std::byte(file[file.size() - six.size()]));
    std::remove(path.c_str());
    // Memory as any range of bytes.
    const std::vector<unsigned char> unsigned_bytes(file.begin(), file.end());
    EXPECT_TRUE(moved.open(unsigned_bytes));
    EXPECT_TRUE(moved.open(std::as_bytes(std::span(file))));
    EXPECT_TRUE(moved.open(std::span<const char>(file)));
}

TEST(result, names_are_made_printable_and_cut) {
    const std::string name(300, 'n');
    const io::result r = open(test::safetensors({{"a\\u0007b" + name + "end", "F32", "2", "four"}}));
    EXPECT_EQ(r.error, io::error::size_mismatch);
    EXPECT_EQ(r.name.size(), 120u);
    EXPECT_TRUE(r.name.contains("...") && r.name.contains("end"));
    EXPECT_TRUE(message(open(test::safetensors({{"\\u0007", "F32", "1", "four"}, {"\\u0007", "F32", "1", "four"}})))
                    .starts_with("?: "));
}

}  // namespace
}  // namespace ashlar
