// SPDX-License-Identifier: BSL-1.0
// Model images: a model as bytes that are used in place, in flash or mapped from a file. They need no heap, no file
// system and no other library.
//
// An image is a header of 64 bytes and the bytes of the model object, with gaps of zeros. Numbers of the header are
// little-endian:
//
//     0  "ASHLARIM"    8  version   12  bytes of the header    16  bytes of the model
//     24 hash of the layout (names, shapes, types, offsets)    32  CRC-32 of the model    36  zeros
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/temporary_memory.hpp>
#include <ashlar/io/formats/crc32.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/image/layout.hpp>

namespace ashlar::inline v0_1::detail {

inline constexpr std::size_t image_header_bytes = 64;
inline constexpr std::uint32_t image_version = 1;
inline constexpr std::string_view image_magic = "ASHLARIM";

/// Checks the header of an image for a model of this many bytes.
template <class Config>
io::result check_image_header(io::bytes image, std::uint64_t model_bytes) noexcept {
    // Character by character: compilers call memcmp for starts_with, and firmware may have no C library.
    bool is_image = image.size() >= image_magic.size();
    for (std::size_t i = 0; i < image_magic.size() && is_image; ++i)
        is_image = std::to_integer<char>(image[i]) == image_magic[i];
    if (!is_image) return io_error<Config>(io::error::not_an_image);
    if (image.size() < image_header_bytes) return io_truncated<Config>(image_header_bytes, image.size());
    if (little_endian<4, Config>(image, 8) != image_version ||
        little_endian<4, Config>(image, 12) != image_header_bytes)
        return io_error<Config>(io::error::wrong_version);
    if (const std::uint64_t bytes = little_endian<8, Config>(image, 16); bytes != model_bytes) {
        io::result r = io_error<Config>(io::error::wrong_size);
        r.position = model_bytes;
        r.limit = bytes;
        return r;
    }
    if (image.size() - image_header_bytes < model_bytes)
        return io_truncated<Config>(image_header_bytes + model_bytes, image.size());
    return {};
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// Bytes of an image of a model.
///
///     alignas(64) static std::byte room[io::image_bytes<my_model>];
template <class Model>
inline constexpr std::size_t image_bytes = ashlar::detail::image_header_bytes + sizeof(Model);

/// A model inside an image, or the error of the image. Valid as long as the bytes are.
/// Example: `view_image`.
template <class Model>
class ASHLAR_POINTER(Model) image_view {
public:
    /// From a model in place, or from an error; called by `view_image`.
    ASHLAR_ALWAYS_INLINE constexpr explicit image_view(const Model& in_place) noexcept : model(&in_place) {}
    ASHLAR_ALWAYS_INLINE constexpr explicit image_view(const result& wrong) noexcept : outcome(wrong) {}

    /// Whether there is a model.
    ASHLAR_ALWAYS_INLINE constexpr explicit operator bool() const noexcept { return model != nullptr; }
    /// The error, if there is no model.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const result& status() const noexcept { return outcome; }
    /// The model; there must be one (asserted).
    template <class Config = current_config>
    [[nodiscard]] constexpr const Model& get() const noexcept {
        ASHLAR_ASSERT(model != nullptr, "ashlar: image_view: there is no model; check the status first");
        return *model;
    }
    ASHLAR_ALWAYS_INLINE constexpr const Model& operator*() const noexcept { return get(); }
    ASHLAR_ALWAYS_INLINE constexpr const Model* operator->() const noexcept { return &get(); }

private:
    const Model* model = nullptr;
    result outcome{};
};

/// Uses an image in place, without copying. It checks size, alignment, the hash of the layout, and that bools are 0
/// or 1. Bytes may follow the image. It does not check the numbers (`check_image_sum` does): unlike a safetensors file,
/// an image is trusted.
///
///     auto model = io::view_image<my_model>(std::as_bytes(std::span(flash)));   // made by tools/make_image, aligned
///     if (!model) std::puts(model.status().message().c_str());
///     else y = (*model)(x);
template <class Model, class Config = current_config>
[[nodiscard]] image_view<Model> view_image(bytes image) noexcept {
    if constexpr (!ashlar::detail::check_image_model<Model>()) {
        return image_view<Model>(result{});
    } else {
        result r = ashlar::detail::check_image_header<Config>(image, sizeof(Model));
        if (!r) return image_view<Model>(r);
        const std::byte* const at = image.data() + ashlar::detail::image_header_bytes;
        if (reinterpret_cast<std::uintptr_t>(at) % alignof(Model) != 0)
            return image_view<Model>(ashlar::detail::io_error<Config>(error::misaligned));
        // Model is trivially copyable, and arrays of bytes implicitly create such objects (P0593), read-only ones
        // included: as std::start_lifetime_as does explicitly in C++23.
        const Model& model = *std::launder(reinterpret_cast<const Model*>(at));
        if (ashlar::detail::layout_hash<Config>(model) != ashlar::detail::little_endian<8, Config>(image, 24))
            return image_view<Model>(ashlar::detail::io_error<Config>(error::wrong_layout));
        nn::for_each_parameter(model, [&](const nn::const_parameter& p) {
            if (p.kind != nn::element_kind::boolean || !r) return;
            for (std::size_t i = 0; i < p.size(); ++i)
                if (static_cast<const unsigned char*>(p.data)[i] > 1)
                    r = ashlar::detail::io_error<Config>(error::value_out_of_range, p.name);
        });
        return r ? image_view<Model>(model) : image_view<Model>(r);
    }
}
template <class Model, ashlar::detail::temporary_memory Range>
image_view<Model> view_image(  // ashlar: io: the bytes of a temporary would dangle; name the memory first
    Range&&) = delete;

/// Whether the numbers of an image are unchanged, by their CRC-32: about 2 ns a byte on a desktop.
///
///     if (const io::result r = io::check_image_sum(image); !r) std::puts(r.message().c_str());
template <class Config = current_config>
[[nodiscard]] result check_image_sum(bytes image) noexcept {
    using namespace ashlar::detail;
    if (image.size() < image_header_bytes) return io_truncated<Config>(image_header_bytes, image.size());
    const std::uint64_t model_bytes = little_endian<8, Config>(image, 16);
    const result r = check_image_header<Config>(image, model_bytes);
    if (!r) return r;
    const bytes model = image.subspan(image_header_bytes, static_cast<std::size_t>(model_bytes));
    return crc32<Config>(model) == little_endian<4, Config>(image, 32) ? result{} : io_error<Config>(error::checksum);
}

}  // namespace ashlar::io
