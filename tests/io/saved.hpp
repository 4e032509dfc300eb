// SPDX-License-Identifier: BSL-1.0
// Models in files of memory, and the text of results, for the tests of files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/io/image.hpp>
#include <ashlar/io/image/save_image.hpp>
#include <ashlar/io/model/load.hpp>
#include <ashlar/io/model/save.hpp>

namespace ashlar::test {

inline std::string message(const io::result& r) { return r.message().c_str(); }

/// A model as a safetensors file. The first call of `save` returns its size.
template <class M>
std::vector<char> saved(const M& model, io::name_map names = {}, const io::save_options& options = {}) {
    const io::result r = io::save(model, std::span<char>(), names, options);
    EXPECT_EQ(r.error, io::error::no_room);
    std::vector<char> file(static_cast<std::size_t>(r.position));
    EXPECT_EQ(message(io::save(model, file, names, options)), "no error");
    return file;
}
template <class M>
std::vector<std::byte> image_of(const M& model) {
    std::vector<std::byte> image(io::image_bytes<M>);
    EXPECT_EQ(message(io::save_image(model, image)), "no error");
    return image;
}

}  // namespace ashlar::test
