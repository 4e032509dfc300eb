// SPDX-License-Identifier: BSL-1.0
// Writing model images and the layouts that tools make images from, and loading images into models.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/source.hpp>
#include <ashlar/io/files/target.hpp>
#include <ashlar/io/formats/crc32.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/image.hpp>
#include <ashlar/io/image/layout.hpp>

namespace ashlar::inline v0_1::detail {

/// Fails if a model has a gap that alignment does not explain: an unlisted member would be zeros in an image. m is not
/// read. (g++ 12's __builtin_clear_padding, which could tell exactly, clears elements of arrays too.)
template <class Config, class Model>
io::result check_gaps(const Model& m) noexcept {
    struct range {
        std::size_t begin, end;
    };
    std::size_t count = 0, i = 0;
    nn::for_each_parameter(m, [&](const nn::const_parameter&) { ++count; });
    owned_array<range> ranges;
    if (!ranges.allocate(count)) return io_error<Config>(io::error::out_of_memory);
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        const std::size_t begin = offset_in(m, p);
        ranges[i++] = {begin, begin + p.memory_bytes()};
    });
    std::sort(ranges.begin(), ranges.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
    std::size_t end = 0;
    for (const range& r : ranges) {
        if (r.begin >= end + alignof(Model)) return io_error<Config>(io::error::unlisted_members);
        if (r.end > end) end = r.end;
    }
    return sizeof(Model) >= end + alignof(Model) ? io_error<Config>(io::error::unlisted_members) : io::result{};
}

/// Writes the header of an image.
template <class Config>
void put_image_header(byte_writer& out, io::bytes model, std::uint64_t hash) noexcept {
    std::byte header[image_header_bytes]{};
    std::memcpy(header, image_magic.data(), image_magic.size());
    put_little_endian<4, Config>(header + 8, image_version);
    put_little_endian<4, Config>(header + 12, image_header_bytes);
    put_little_endian<8, Config>(header + 16, model.size());
    put_little_endian<8, Config>(header + 24, hash);
    put_little_endian<4, Config>(header + 32, crc32<Config>(model));
    out.put(header, sizeof header);
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// Writes a model as an image for `view_image`, to a file or into memory of `image_bytes<Model>`. The same model always
/// gives the same bytes. Unlisted members are not in the image; an unlisted member as large as the model's alignment is
/// an error. Heap: sizeof(Model), while it runs.
///
///     io::result r = io::save_image(model, "model.image");
template <image_model Model, class Config = current_config>
result save_image(const Model& model, const target& to) noexcept {
    using namespace ashlar::detail;
    result r = check_gaps<Config>(model);
    if (!r) return r;
    owned_bytes image;
    if (!image.allocate(sizeof(Model))) return io_error<Config>(error::out_of_memory);
    std::memset(image.data(), 0, image.size());
    nn::for_each_parameter(model, [&](const nn::const_parameter& p) {
        std::memcpy(image.data() + offset_in(model, p), p.data, p.memory_bytes());
    });
    byte_writer out;
    r = out.open<Config>(to, image_bytes<Model>);
    if (!r) return r;
    const bytes content(image.data(), image.size());
    put_image_header<Config>(out, content, layout_hash<Config>(model));
    out.put(image.data(), image.size());
    return out.close<Config>();
}

/// Copies a model out of an image, after checking its sum as well. On any error the model is unchanged.
///
///     io::result r = io::load_image(model, "model.image");
template <image_model Model, class Config = current_config>
    requires(!std::is_const_v<Model>)
result load_image(Model& model, const source& from) noexcept {
    using namespace ashlar::detail;
    source_bytes content;
    result r = content.open<Config>(from);
    if (r) r = check_image_header<Config>(content.content(), sizeof(Model));
    if (r) r = check_image_sum<Config>(content.content());
    if (!r) return r;
    owned_bytes aligned;
    if (!aligned.allocate(image_bytes<Model>)) return io_error<Config>(error::out_of_memory);
    std::memcpy(aligned.data(), content.content().data(), image_bytes<Model>);
    const auto view = view_image<Model, Config>(bytes(aligned.data(), aligned.size()));
    if (view) std::memcpy(static_cast<void*>(&model), &*view, sizeof(Model));
    return view.status();
}

/// Writes the layout of a model as text, from which tools/make_image and tools/export_pytorch.py make images without
/// compiling the model. It is the same for all builds, unless panels are `tuned_panel`s.
///
///     io::result r = io::save_layout<my_model>("my_model.layout");
template <image_model Model, class Config = current_config>
result save_layout(const target& to) noexcept {
    using namespace ashlar::detail;
    // There is no model object, only memory for one: the code only takes addresses of its members.
    owned_bytes memory;
    if (!memory.allocate(sizeof(Model))) return io_error<Config>(error::out_of_memory);
    const Model& model = *std::launder(reinterpret_cast<const Model*>(memory.data()));
    result r = check_gaps<Config>(model);
    if (!r) return r;
    std::uint64_t characters = 0;
    write_layout<Config>(model, [&](char) { ++characters; });
    byte_writer out;
    r = out.open<Config>(to, characters);
    if (!r) return r;
    write_layout<Config>(model, [&](char c) { out.put(c); });
    return out.close<Config>();
}

}  // namespace ashlar::io
