// SPDX-License-Identifier: BSL-1.0
// Model images from weight files: the arrays are laid out as a program said with io::save_layout, which compiled the
// model.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <ashlar/io.hpp>

namespace image_tool {

using ashlar::current_config;
namespace io = ashlar::io;
namespace detail = ashlar::detail;

/// An array of a layout, with what the library needs to load it.
struct layout_array {
    ashlar::nn::const_parameter parameter;
    std::size_t offset = 0;
    std::string name;
};

/// A layout that io::save_layout wrote.
struct layout {
    std::size_t bytes = 0, alignment = 0;
    std::uint64_t hash = 0;
    std::vector<layout_array> arrays;
};

inline bool read_kind(std::string_view name, layout_array& out) {
    using ashlar::nn::element_kind;
    for (const element_kind kind :
         {element_kind::f32, element_kind::f64, element_kind::f16, element_kind::bf16, element_kind::i8,
          element_kind::i16, element_kind::i32, element_kind::i64, element_kind::u8, element_kind::u16,
          element_kind::u32, element_kind::u64, element_kind::boolean}) {
        const io::dtype type = detail::dtype_of_kind<current_config>(kind);
        if (name != io::name_of(type)) continue;
        out.parameter.kind = kind;
        out.parameter.element_bytes = io::size_of(type);
        return true;
    }
    return false;
}

inline bool read_shape(std::string_view text, layout_array& out) {
    out.parameter.rank = 0;
    if (text == "scalar") return true;
    while (!text.empty()) {
        if (out.parameter.rank == ashlar::nn::const_parameter::max_rank) return false;
        std::size_t extent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error != std::errc{} || extent == 0) return false;
        out.parameter.extents[out.parameter.rank++] = extent;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return true;
        if (text.front() != 'x' || text.size() == 1) return false;
        text.remove_prefix(1);
    }
    return false;
}

/// Columns of a panel, and after an x the rows of a group of a matrix in 8 or 4 bits, after another over how many
/// outliers are spread, or 0 if rows have no scales.
inline bool read_panel(std::string_view text, layout_array& out) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, out.parameter.panel);
    if (error != std::errc{} || end == last) return error == std::errc{};
    const auto [end_of_group, wrong] = std::from_chars(end + 1, last, out.parameter.group);
    if (*end != 'x' || wrong != std::errc{}) return false;
    if (out.parameter.group == detail::int4_group) {
        out.parameter.kind = ashlar::nn::element_kind::int4;
        return end_of_group == last && out.parameter.panel == detail::int4_layout::panel;
    }
    if (out.parameter.group != 4) return false;
    if (end_of_group == last) return true;
    const auto [end_of_all, bad] = std::from_chars(end_of_group + 1, last, out.parameter.spread);
    const std::size_t spread = out.parameter.spread;
    return *end_of_group == 'x' && bad == std::errc{} && end_of_all == last && spread != 1 &&
           spread <= detail::spread_groups::most && (spread & (spread - 1)) == 0;
}

/// Whether an array is within the model and a part of what its name says, so that no wrong layout makes a tool write
/// where it must not.
inline bool is_sound(const layout_array& a, std::size_t bytes) {
    const auto& p = a.parameter;
    constexpr std::size_t most = std::size_t{1} << 40;
    std::size_t size = 1;
    for (std::size_t i = 0; i < p.rank; ++i) {
        if (p.extents[i] > most / size) return false;
        size *= p.extents[i];
    }
    const std::size_t all_rows = p.rank == 0 ? 1 : p.extents[0];
    if (p.rows == 0 || p.rows > all_rows || p.first_row > all_rows - p.rows) return false;
    if (p.columns != size / all_rows) return false;
    if (p.is_quantized() && (p.rank < 2 || p.panel == 0 || p.panel > 1024 || p.element_bytes != 1 || p.taps == 0 ||
                             p.columns % p.taps != 0 ||
                             (p.spread > 1 && p.spread != detail::spread_of(p.layout().rows)) || a.offset % 64 != 0))
        return false;
    if (p.is_int4() &&
        (p.rank < 2 || p.element_bytes != 4 || p.taps == 0 || p.columns % p.taps != 0 || a.offset % 64 != 0))
        return false;
    return a.offset <= bytes && p.memory_bytes() <= bytes - a.offset;
}

/// Reads the text of a layout; an error is a sentence, and empty if there is none.
inline std::string read_layout(const std::string& text, layout& out) {
    out = {};
    out.hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        out.hash ^= static_cast<unsigned char>(c);
        out.hash *= 0x100000001b3u;
    }
    std::istringstream lines(text);
    std::string line, word, order;
    if (!std::getline(lines, line) || line != "ashlar-layout 1") return "this is no layout of version 1";
    if (!std::getline(lines, line)) return "the layout has no line for the model";
    std::istringstream model(line);
    if (!(model >> word >> out.bytes >> out.alignment >> order) || word != "model" || out.bytes == 0)
        return "the layout's line for the model is wrong";
    if (order != "little") return "only layouts of little-endian machines are supported";
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        layout_array a;
        std::string type, shape, panel;
        std::size_t transposed = 0;
        auto& p = a.parameter;
        if (!(fields >> word >> a.offset >> type >> shape >> p.first_row >> p.rows >> p.columns >> transposed >>
              panel) ||
            word != "array" || fields.get() != ' ' || !read_kind(type, a) || !read_shape(shape, a) ||
            !read_panel(panel, a))
            return "a line of the layout is wrong: " + line;
        p.is_transposed = transposed != 0;
        p.taps = transposed > 1 ? transposed : 1;
        if (!is_sound(a, out.bytes)) return "a line of the layout is wrong: " + line;
        std::getline(fields, a.name);
        out.arrays.push_back(a);
    }
    return {};
}

/// The bytes of an image: the arrays of a weight file laid out, or what is wrong with the file. `report` is told what
/// rounding to 8 bits has changed.
inline io::result make_image(
    const layout& l, const io::source& weights, io::name_map names, const io::load_options& options,
    std::vector<std::byte>& image,
    const std::function<void(const io::quantization_error&)>& report = [](const auto&) {}) {
    // Scales are written as floats: they need their alignment, as all that the standard allocator gives has.
    std::vector<std::byte> model(l.bytes);
    detail::model_arrays arrays;
    if (!arrays.allocate(l.arrays.size())) return detail::io_error<current_config>(io::error::out_of_memory);
    for (std::size_t i = 0; i < l.arrays.size(); ++i) {
        ashlar::nn::const_parameter p = l.arrays[i].parameter;
        p.name = l.arrays[i].name;
        p.data = model.data() + l.arrays[i].offset;
        if (p.is_quantized()) {
            // As basic_quantized has them after its integers.
            auto* const scales = model.data() + l.arrays[i].offset + p.layout().size();
            p.scales = scales;
            p.sums = scales + p.layout().panels() * p.panel * sizeof(float);
        }
        arrays.set(i, p);
    }
    io::archive file;
    io::result r = file.open(weights);
    if (r) r = detail::load_arrays<current_config>(arrays, file, names, options, report);
    if (!r) return r;
    image.resize(detail::image_header_bytes + model.size());
    detail::byte_writer out;
    r = out.open<current_config>(image, image.size());
    detail::put_image_header<current_config>(out, model, l.hash);
    out.put(model.data(), model.size());
    return r;
}

/// Rows of numbers, 0x00 to 0xff, separated by commas.
inline void put_bytes(std::ostream& out, std::string_view before, const std::vector<std::byte>& bytes,
                      std::string_view after) {
    constexpr std::size_t per_row = 20;
    for (std::size_t i = 0; i < bytes.size(); i += per_row) {
        out << before;
        for (std::size_t k = i; k < bytes.size() && k < i + per_row; ++k) {
            if (k != i) out << ',';
            out << std::to_integer<unsigned>(bytes[k]);
        }
        out << after;
    }
}

/// A header with the image as a constant array.
inline void put_header(std::ostream& out, const std::string& name, const std::vector<std::byte>& image) {
    out << "// A model image made by ashlar's make_image; do not edit. Use it with ashlar::io::view_image.\n#pragma "
           "once\n\n"
        << "// clang-format off\nalignas(64) inline constexpr unsigned char " << name << '[' << image.size() << "]{\n";
    put_bytes(out, "", image, ",\n");
    out << "};\n";
}

/// Assembler source with the image in read-only memory, for large models: compilers need long for large arrays.
///
///     extern "C" const unsigned char NAME[];
///     extern "C" const unsigned char NAME_end[];
inline void put_assembly(std::ostream& out, const std::string& name, const std::vector<std::byte>& image) {
    out << "/* A model image made by ashlar's make_image; do not edit. */\n    .section .rodata\n    .balign 64\n"
        << "    .globl " << name << "\n    .globl " << name << "_end\n    .type " << name << ", %object\n"
        << name << ":\n";
    put_bytes(out, "    .byte ", image, "\n");
    out << name << "_end:\n    .size " << name << ", " << image.size()
        << "\n    .section .note.GNU-stack, \"\", %progbits\n";
}

}  // namespace image_tool
