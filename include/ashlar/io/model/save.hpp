// SPDX-License-Identifier: BSL-1.0
// Saving models and tensors as safetensors, so that loading gives the same bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/target.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/model/int4_array.hpp>
#include <ashlar/io/model/model_arrays.hpp>
#include <ashlar/io/model/named.hpp>
#include <ashlar/io/model/names.hpp>

namespace ashlar::inline v0_1::detail {

/// The bits of an element of a model, by its place in the file's array as the model lists it.
template <class Config>
std::uint64_t model_bits(const model_array& a, std::size_t row, std::size_t column) noexcept {
    if (a.parameter.is_int4())
        return std::bit_cast<std::uint32_t>(int4_value<Config>(a.parameter, row - a.first_row, column));
    const auto* const at = static_cast<const std::byte*>(a.parameter.data) +
                           a.parameter.offset(row - a.first_row, column) * a.parameter.element_bytes;
    const auto read = [&]<class Element>(Element bits) {
        std::memcpy(&bits, at, sizeof bits);
        return static_cast<std::uint64_t>(bits);
    };
    switch (a.parameter.element_bytes) {
    case 1: return read(std::uint8_t{});
    case 2: return read(std::uint16_t{});
    case 4: return read(std::uint32_t{});
    default: return read(std::uint64_t{});
    }
}

/// Writes a safetensors file from the arrays of a model.
template <class Config>
class safetensors_writer {
public:
    explicit safetensors_writer(model_arrays& arrays) noexcept : model(arrays) {}

    /// Joins pieces to arrays of the file. Members with the same name must be parts of one array and fill it. If two
    /// are the same part, as tied weights are, they must have equal values.
    io::result prepare() noexcept {
        if (!parts.allocate(model.size())) return io_error<Config>(io::error::out_of_memory);
        for (std::size_t i = 0; i < model.size(); ++i) {
            const model_array& a = model[i];
            std::size_t first = 0;
            while (model[first].file.view() != a.file.view()) ++first;
            parts[i].first = first;
            for (std::size_t k = first; k < i; ++k) {
                const model_array& b = model[k];
                if (parts[k].first != first || parts[k].is_repeated) continue;
                const bool same = a.first_row == b.first_row && a.parameter.rows == b.parameter.rows;
                const bool apart =
                    a.first_row + a.parameter.rows <= b.first_row || b.first_row + b.parameter.rows <= a.first_row;
                const bool same_kind =
                    a.shape == b.shape && a.parameter.kind == b.parameter.kind && a.transposed == b.transposed;
                if (!same_kind || (!apart && !(same && same_values(a, b))))
                    return io_error<Config>(io::error::conflict, a.file.view());
                if (same) parts[i].is_repeated = true;
            }
            if (!parts[i].is_repeated) parts[first].rows += a.parameter.rows;
        }
        for (std::size_t i = 0; i < model.size(); ++i) {
            if (parts[i].first != i) continue;
            if (parts[i].rows != rows_of(model[i])) return io_error<Config>(io::error::conflict, model[i].file.view());
            data_bytes += bytes_in_file(model[i]);
        }
        byte_writer counter;
        write_header(counter);
        header_bytes = (counter.written() + 7) / 8 * 8;
        return {};
    }

    /// Bytes of the file.
    [[nodiscard]] std::uint64_t size() const noexcept { return 8 + header_bytes + data_bytes; }

    void write(byte_writer& out) noexcept {
        std::byte length[8];
        put_little_endian<8, Config>(length, header_bytes);
        out.put(length, sizeof length);
        write_header(out);
        while (out.written() < 8 + header_bytes) out.put(' ');
        for_each_file_array([&](std::size_t i) { write_data(out, i); });
    }

private:
    struct part {
        std::size_t first = 0;  // the first array of the model in the file's array
        std::uint64_t rows = 0;
        bool is_repeated = false;
    };

    model_arrays& model;
    owned_array<part> parts;
    std::uint64_t header_bytes = 0, data_bytes = 0;

    static std::uint64_t rows_of(const model_array& a) noexcept { return a.shape.rank == 0 ? 1 : a.shape.extents[0]; }
    static std::uint64_t bytes_in_file(const model_array& a) noexcept {
        return a.shape.size() * a.parameter.element_bytes;
    }

    static bool same_values(const model_array& a, const model_array& b) noexcept {
        if (a.parameter.data == b.parameter.data) return true;
        for (std::size_t row = 0; row < a.parameter.rows; ++row)
            for (std::size_t column = 0; column < a.parameter.columns; ++column)
                if (model_bits<Config>(a, a.first_row + row, column) !=
                    model_bits<Config>(b, a.first_row + row, column))
                    return false;
        return true;
    }

    /// Calls f with the number of each array that begins an array of the file: large elements first, so that all are
    /// aligned.
    template <class Function>
    void for_each_file_array(Function&& f) noexcept {
        for (const std::size_t bytes : {8u, 4u, 2u, 1u})
            for (std::size_t i = 0; i < model.size(); ++i)
                if (parts[i].first == i && model[i].parameter.element_bytes == bytes) f(i);
    }

    void write_header(byte_writer& out) noexcept {
        std::uint64_t offset = 0;
        char separator = '{';
        for_each_file_array([&](std::size_t i) {
            const model_array& a = model[i];
            out.put(separator);
            separator = ',';
            write_string(out, a.file.view());
            out.put(":{\"dtype\":\"");
            out.put(io::name_of(dtype_of_kind<Config>(a.parameter.kind)));
            out.put("\",\"shape\":[");
            for (std::size_t k = 0; k < a.shape.rank; ++k) {
                if (k != 0) out.put(',');
                out.write_number(a.shape.extents[a.transposed ? a.shape.rank - 1 - k : k]);
            }
            out.put("],\"data_offsets\":[");
            out.write_number(offset);
            out.put(',');
            out.write_number(offset += bytes_in_file(a));
            out.put("]}");
        });
        out.put(separator == '{' ? std::string_view("{}") : std::string_view("}"));
    }

    static void write_string(byte_writer& out, std::string_view text) noexcept {
        out.put('"');
        for (const char c : text) {
            const auto code = static_cast<unsigned char>(c);
            if (code < 0x20) {
                out.put("\\u00");
                out.put("0123456789abcdef"[code >> 4]);
                out.put("0123456789abcdef"[code & 15]);
                continue;
            }
            if (c == '"' || c == '\\') out.put('\\');
            out.put(c);
        }
        out.put('"');
    }

    /// Writes the elements of a file's array in the file's order, row by row.
    void write_data(byte_writer& out, std::size_t first) noexcept {
        const model_array& a = model[first];
        const std::size_t width = a.parameter.element_bytes, columns = a.parameter.columns;
        const auto rows = static_cast<std::size_t>(rows_of(a));
        std::byte chunk[512];
        std::size_t filled = 0, holder = first;
        const auto put = [&](std::size_t row, std::size_t column) {
            const auto holds = [&](std::size_t i) {
                return parts[i].first == first && row >= model[i].first_row &&
                       row - model[i].first_row < model[i].parameter.rows;
            };
            if (!holds(holder))
                for (holder = first; !holds(holder);) ++holder;
            std::uint64_t bits = model_bits<Config>(model[holder], row, column);
            for (std::size_t k = 0; k < width; ++k, bits >>= 8) chunk[filled++] = static_cast<std::byte>(bits & 0xff);
            if (filled + 8 <= sizeof chunk) return;
            out.put(chunk, filled);
            filled = 0;
        };
        if (a.transposed) {
            for (std::size_t column = 0; column < columns; ++column)
                for (std::size_t row = 0; row < rows; ++row) put(row, column);
        } else {
            for (std::size_t row = 0; row < rows; ++row)
                for (std::size_t column = 0; column < columns; ++column) put(row, column);
        }
        out.put(chunk, filled);
    }
};

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// The options of `save`.
struct save_options {
    /// Put before every name in the file.
    std::string_view prefix{};
};

/// Saves a model as safetensors, to a file or into memory, with the names of PyTorch's state dict unless a map renames
/// them (the first rule for a name). Loading the file gives the same bits. If memory is too small, nothing is written,
/// and the error says how many bytes are needed: pass an empty span to get that number.
///
///     io::result r = io::save(model, "weights.safetensors");
template <nn::module Model, class Config = current_config>
result save(const Model& model, const target& to, name_map names = {}, const save_options& options = {}) noexcept {
    ashlar::detail::model_arrays arrays;
    result r = arrays.collect<Config>(model);
    if (r)
        r = arrays.name_all<Config>(names, options.prefix,
                                    [](std::string_view) { return static_cast<const stored_array*>(nullptr); });
    ashlar::detail::safetensors_writer<Config> file(arrays);
    if (r) r = file.prepare();
    ashlar::detail::byte_writer out;
    if (r) r = out.open<Config>(to, file.size());
    if (!r) return r;
    file.write(out);
    return out.close<Config>();
}

/// Saves tensors by the given names.
///
///     io::result r = io::save(std::tuple(io::named("weight", w), io::named("bias", b)), "layer.safetensors");
template <class... Array, class Config = current_config>
result save(const std::tuple<named_array<Array>...>& arrays, const target& to,
            const save_options& options = {}) noexcept {
    return save<ashlar::detail::named_arrays<Array...>, Config>(ashlar::detail::named_arrays<Array...>{arrays}, to,
                                                                name_map{}, options);
}

/// Saves one tensor, or view, by a name.
template <loadable_array Array, class Config = current_config>
result save(const Array& array, const target& to, const char* name) noexcept {
    return save<named_array<const Array>, Config>(named_array<const Array>{name, array}, to);
}

/// Catches every other call, to report one error.
template <class Model, class... Arguments, class Config = current_config>
    requires(!ashlar::detail::model_of_file<Model, sizeof...(Arguments)>::is_listed)
ashlar::detail::refused_result save(const Model&, const Arguments&...) noexcept {
    static_assert(
        ashlar::detail::model_of_file<Model, sizeof...(Arguments)>::is_listed,
        "ashlar: save: the first argument must be a module, a dense array with its name as the third argument, or a tuple of io::named; give the type a list of members");
    return {};
}

}  // namespace ashlar::io
