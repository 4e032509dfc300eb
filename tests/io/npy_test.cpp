// SPDX-License-Identifier: BSL-1.0
// NumPy's files: .npy in every version, order and element type, .npz archives, and what is wrong with bad ones.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/tensor/tensor.hpp>

#include "file_builder.hpp"
#include "saved.hpp"

namespace ashlar {
namespace {

using test::bytes_of;
using test::message;
using test::npy;

const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});

std::string reversed(std::string text) { return {text.rbegin(), text.rend()}; }

template <class Tensor>
std::string load(Tensor& t, std::string_view file) {
    return message(io::load_npy(t, std::span(file)));
}
template <class Tensor>
io::error error_of(Tensor& t, std::string_view file) {
    return io::load_npy(t, std::span(file)).error;
}

TEST(npy, loads_a_tensor) {
    tensor<float, 2, 3> t{};
    EXPECT_EQ(load(t, npy("<f4", "(2, 3)", six)), "no error");
    EXPECT_EQ(t(0, 2), 3);
    EXPECT_EQ(t(1, 0), 4);
    tensor<float, 6> flat{};
    EXPECT_EQ(load(flat, npy("<f4", "(6,)", six)), "no error");
    EXPECT_EQ(flat(5), 6);
    tensor<double> scalar{};
    EXPECT_EQ(load(scalar, npy("<f8", "()", bytes_of<double>({2.5}))), "no error");
    EXPECT_EQ(scalar(), 2.5);
}

TEST(npy, column_major_and_big_endian) {
    tensor<float, 2, 3> t{};
    EXPECT_EQ(load(t, npy("<f4", "(2, 3)", six, true)), "no error");
    EXPECT_EQ(t(0, 0), 1);
    EXPECT_EQ(t(1, 0), 2);
    EXPECT_EQ(t(0, 1), 3);
    EXPECT_EQ(t(1, 2), 6);
    tensor<int, 2, 3, 2> cube{};
    std::string data;
    for (std::int32_t i = 0; i < 12; ++i) data += bytes_of<std::int32_t>({i});
    EXPECT_EQ(load(cube, npy("<i4", "(2, 3, 2)", data, true)), "no error");
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 2; ++k) EXPECT_EQ(cube(i, j, k), i + 2 * j + 6 * k);
    EXPECT_EQ(load(t, npy(">f4", "(2, 3)", reversed(six))), "no error");  // the elements, too, are reversed
    EXPECT_EQ(t(0, 0), 6);
    EXPECT_EQ(t(1, 2), 1);
    tensor<double, 2, 3> wide{};
    EXPECT_EQ(load(wide, npy(">f4", "(2, 3)", reversed(six))), "no error");
    EXPECT_EQ(wide(0, 0), 6);
}

TEST(npy, element_types) {
    tensor<std::int64_t, 2> i{};
    EXPECT_EQ(load(i, npy("|i1", "(2,)", bytes_of<std::int8_t>({-1, 5}))), "no error");
    EXPECT_EQ(i(0), -1);
    EXPECT_EQ(load(i, npy("<u2", "(2,)", bytes_of<std::uint16_t>({65535, 5}))), "no error");
    EXPECT_EQ(i(0), 65535);
    EXPECT_EQ(load(i, npy("<u8", "(2,)", bytes_of<std::uint64_t>({1, ~std::uint64_t{}}))),
              "the file has an integer that the elements of the tensor cannot hold");
    EXPECT_EQ(i(0), 65535);  // unchanged
    tensor<bool, 3> b{};
    EXPECT_EQ(load(b, npy("|b1", "(3,)", std::string("\0\1\7", 3))), "no error");
    EXPECT_FALSE(b(0));
    EXPECT_TRUE(b(1));
    EXPECT_TRUE(b(2));
    tensor<float, 2> f{};
    EXPECT_EQ(load(f, npy("<f2", "(2,)", bytes_of<std::uint16_t>({0x3c00, 0xc100}))), "no error");
    EXPECT_EQ(f(0), 1.0f);
    EXPECT_EQ(f(1), -2.5f);
    EXPECT_EQ(load(f, npy("<i4", "(2,)", std::string(8, 'x'))), "the model needs F32, the file has I32");
    EXPECT_EQ(load(i, npy("<f4", "(2,)", std::string(8, 'x'))), "the model needs I64, the file has F32");
    EXPECT_EQ(load(b, npy("|u1", "(3,)", "xyz")), "the model needs BOOL, the file has U8");
    EXPECT_EQ(load(f, npy("<c8", "(2,)", std::string(16, 'x'))), "the model needs F32, the file has C64");
    for (const char* descr : {"|O", "<f3", "<U4", "|f4", "=f4", "<M8[s]", "f4", "", "<f16"})
        EXPECT_EQ(load(f, npy(descr, "(2,)", std::string(64, 'x'))),
                  "not supported: an unknown element type" + (*descr != 0 ? ", " + std::string(descr) : ""));
}

TEST(npy, versions) {
    const std::string dictionary = "{'shape': (2,), \"fortran_order\": False, 'descr': '<f4'}\n";
    tensor<float, 2> t{};
    for (const char version : {'\2', '\3'}) {
        const std::string file = std::string("\x93NUMPY") + version + '\0' + test::little(dictionary.size(), 4) +
                                 dictionary + six.substr(0, 8);
        EXPECT_EQ(load(t, file), "no error");
        EXPECT_EQ(t(1), 2);
    }
    std::string file = npy("<f4", "(2,)", six.substr(0, 8));
    file[6] = '\4';
    EXPECT_EQ(load(t, file), "not supported: a version of .npy other than 1.0, 2.0 and 3.0");
}

TEST(npy, wrong_files) {
    tensor<float, 2, 3> t{};
    const std::string good = npy("<f4", "(2, 3)", six);
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_EQ(error_of(t, std::string(good, 0, length)), io::error::truncated) << length;
    EXPECT_EQ(load(t, good + "x"), "bytes that belong to no array: 1 from byte 152 on");
    EXPECT_EQ(load(t, npy("<f4", "(3, 2)", six)), "the model needs [2, 3], the file has [3, 2]");
    EXPECT_EQ(load(t, npy("<f4", "(1, 1, 1, 1, 1, 1, 1, 2, 3)", six)), "an array of more than 8 axes");
    for (const char* shape : {"(2, 3", "2, 3", "(2 3)", "(-2, 3)", "(2.0, 3)", "(6)", "(,)", "(2,, 3)", "[2, 3]",
                              "(4294967296, 4294967296)", "(99999999999999999999,)", "None"})
        EXPECT_EQ(error_of(t, npy("<f4", shape, six)), io::error::malformed_header) << shape;
    for (const char* dictionary :
         {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
          "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x",
          "{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}",
          "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (6,)}"}) {
        const std::string file = "\x93NUMPY\1" + std::string(1, '\0') +
                                 test::little(std::string_view(dictionary).size(), 2) + dictionary + six;
        EXPECT_EQ(error_of(t, file), io::error::malformed_header) << dictionary;
    }
    EXPECT_EQ(t(1, 2), 0);  // nothing was loaded
}

TEST(npz, stored_members) {
    const auto file = test::zip(
        {{"weight.npy", npy("<f4", "(2, 3)", six)}, {"deep/bias.npy", npy("<f8", "(2,)", bytes_of<double>({1, 2}))}},
        "a comment with PK\5\6 in it");
    tensor<float, 2, 3> weight{};
    tensor<double, 2> bias{};
    EXPECT_EQ(message(io::load(weight, file, "weight")), "no error");
    EXPECT_EQ(weight(1, 2), 6);
    EXPECT_EQ(message(io::load(std::tuple(io::named("weight", weight), io::named("deep/bias", bias)), file)),
              "no error");
    EXPECT_EQ(bias(1), 2);
    EXPECT_EQ(message(io::load(bias, file, "bias")), "bias: missing in the file");
    io::archive archive;
    const auto none = test::zip({});
    EXPECT_TRUE(archive.open(none));
    EXPECT_EQ(archive.size(), 0u);
}

TEST(npz, wrong_archives) {
    const std::string array = npy("<f4", "(2, 3)", six);
    const auto open = [](const std::vector<char>& file) {
        io::archive archive;
        return archive.open(file);
    };
    EXPECT_EQ(message(open(test::zip({{"a.npy", array, 8}}))),
              "a.npy: not supported: a compressed member of a ZIP archive; save it with numpy.savez");
    EXPECT_EQ(open(test::zip({{"a.npy", array, 0, 1}})).error, io::error::unsupported);
    EXPECT_EQ(open(test::zip({{"a.txt", array}})).error, io::error::unsupported);
    EXPECT_EQ(
        message(open(test::zip({{"model/data.pkl", "\x80\2}q\0."}, {"model/data/0", six}}))),
        "model/data.pkl: not supported: a file of torch.save; save it as safetensors, by tools/export_pytorch.py");
    EXPECT_EQ(message(open(test::zip({{"a.npy", array}, {"a.npy", array}}))),
              "a: the file has two arrays of this name");
    EXPECT_EQ(message(open(test::zip({{"a.npy", "no array at all"}}))),
              "a: malformed header: no NumPy array, at byte 55");
    EXPECT_EQ(message(open(test::zip({{"a.npy", array.substr(0, array.size() - 1)}}))),
              "a: truncated: 24 bytes are needed, there are 23");
    const auto good = test::zip({{"a.npy", array}, {"b.npy", array}});
    EXPECT_TRUE(open(good));
    for (std::size_t length = 4; length < good.size(); ++length)
        EXPECT_FALSE(open({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
    // Every byte of the data is covered by the checksum.
    for (std::size_t i = 55; i < 55 + array.size(); ++i) {
        auto bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        EXPECT_EQ(open(bad).error, io::error::checksum) << i;
    }
    // Both entries of the directory for the same member.
    const std::string text(good.begin(), good.end());
    const std::size_t second = text.rfind("PK\1\2");
    auto shared = good;
    for (std::size_t i = 0; i < 4; ++i) shared[second + 42 + i] = 0;
    EXPECT_EQ(message(open(shared)), "b.npy: it shares bytes with a.npy");
}

}  // namespace
}  // namespace ashlar
