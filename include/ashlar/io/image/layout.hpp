// SPDX-License-Identifier: BSL-1.0
// The layout of a model in memory as text, from which tools make images, and its hash, which images contain.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/module/parameters.hpp>

namespace ashlar::inline v0_1::io {

/// A model that can be used in place: trivially copyable, and no tensor needs more than 64 bytes of alignment.
template <class Model>
concept image_model = nn::module<Model> && std::is_trivially_copyable_v<Model> && alignof(Model) <= 64;

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// Whether images can be made of a model.
template <class Model>
struct model_of_image {
    static constexpr bool is_in_place = io::image_model<Model>;
};

/// The error of all image functions, once for each model.
template <class Model>
consteval bool check_image_model() {
    static_assert(
        model_of_image<Model>::is_in_place,
        "ashlar: image: a model image needs a module that is trivially copyable and aligned to at most 64 bytes; hold tensors, not pointers or vectors");
    return io::image_model<Model>;
}

/// The offset of an array in its module, in bytes. Nothing is read.
template <class Model, class Data>
ASHLAR_ALWAYS_INLINE std::size_t offset_in(const Model& m, const nn::basic_parameter<Data>& p) noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p.data) - reinterpret_cast<const std::byte*>(&m));
}

/// Writes the layout of a model, character by character. m is not read, only its members' addresses are taken:
///
///     ashlar-layout 1
///     model <bytes> <alignment> <little or big>
///     array <offset> <type> <shape, 64x32 or scalar> <first row> <rows> <columns> <transposed> <panel> <name>
///
/// <transposed> is 0, 1, or the taps of a convolution. tools/make_image.cpp and tools/export_pytorch.py read it;
/// `nn::basic_parameter` documents the numbers. For a matrix in 8 bits, <panel> is 16x4, the columns of a panel and the
/// rows of a group; its scales and sums follow it, each for whole panels. If outliers are spread, it is 16x4x32: the
/// last number counts the rows of a spread. 16x4x0 multiplies rows of integers without scales.
template <class Config, class Model, class Put>
void write_layout(const Model& m, Put&& put) noexcept {
    const auto text = [&](std::string_view s) {
        for (const char c : s) put(c);
    };
    // Literals, without strlen: firmware may have no C library.
    const auto words = [&](const char* s) {
        for (; *s != '\0'; ++s) put(*s);
    };
    const auto number = [&](std::uint64_t n, char after) {
        message_writer<20> digits;
        digits.write_number(n);
        text({digits.text.data(), digits.text.size()});
        put(after);
    };
    words("ashlar-layout 1\nmodel ");
    number(sizeof(Model), ' ');
    number(alignof(Model), ' ');
    words(std::endian::native == std::endian::little ? "little\n" : "big\n");
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        words("array ");
        number(offset_in(m, p), ' ');
        words(io::name_of(dtype_of_kind<Config>(p.kind)));
        put(' ');
        if (p.rank == 0) words("scalar ");
        for (std::size_t i = 0; i < p.rank; ++i) number(p.extents[i], i + 1 == p.rank ? ' ' : 'x');
        number(p.first_row, ' ');
        number(p.rows, ' ');
        number(p.columns, ' ');
        number(p.is_transposed ? p.taps : 0, ' ');
        if (p.is_quantized() || p.is_int4()) {
            number(p.panel, 'x');
            number(p.group, p.spread == 1 ? ' ' : 'x');
            if (p.spread != 1) number(p.spread, ' ');
        } else {
            // A matrix of a single panel is a plain one, whatever the panel width.
            number(p.panel < (p.is_transposed ? p.rows : p.columns) ? p.panel : 0, ' ');
        }
        text(p.name);
        put('\n');
    });
}

/// The hash of a layout: FNV-1a of its text (http://www.isthe.com/chongo/tech/comp/fnv).
template <class Config, class Model>
std::uint64_t layout_hash(const Model& m) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    write_layout<Config>(m, [&](char c) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3u;
    });
    return hash;
}

}  // namespace ashlar::detail
