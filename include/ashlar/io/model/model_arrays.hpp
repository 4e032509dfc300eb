// SPDX-License-Identifier: BSL-1.0
// The arrays of a model with their names in a file.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/stored_array.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/module/parameters.hpp>

namespace ashlar::inline v0_1::detail {

/// A parameter as one of a const model.
template <class Data>
ASHLAR_ALWAYS_INLINE constexpr nn::const_parameter as_const_parameter(const nn::basic_parameter<Data>& p) noexcept {
    nn::const_parameter c;
    c.kind = p.kind;
    c.element_bytes = p.element_bytes;
    c.data = p.data;
    c.rank = p.rank;
    c.extents = p.extents;
    c.first_row = p.first_row;
    c.rows = p.rows;
    c.columns = p.columns;
    c.is_transposed = p.is_transposed;
    c.panel = p.panel;
    c.taps = p.taps;
    c.group = p.group;
    c.spread = p.spread;
    c.scales = p.scales;
    c.sums = p.sums;
    return c;
}

/// An array of a model, or a piece of a stacked one, and the part of the file's array that it maps to.
struct model_array {
    nn::const_parameter parameter;  // its name dangles: it is valid only while visiting a model
    file_name model{};              // with [k] if it is a piece
    bool is_piece = false;
    std::size_t piece = 0;

    file_name file{};  // without [k]
    std::size_t file_piece = 0;
    bool is_file_piece = false;
    bool transposed = false;
    std::size_t first_row = 0;  // in the file's array
    io::dimensions shape{};     // of the file's array
    const io::stored_array* stored = nullptr;
};

/// A list of all arrays of a model, in its order. Pieces of a stack follow one another.
class model_arrays {
public:
    template <class Config, nn::module Model>
    constexpr io::result collect(Model& m) noexcept {
        std::size_t count = 0, i = 0;
        nn::for_each_parameter(m, [&](const auto&) { ++count; });
        if (!allocate<Config>(count)) return io_error<Config>(io::error::out_of_memory);
        nn::for_each_parameter(m, [&](const auto& p) { set<Config>(i++, p); });
        return {};
    }

    /// For lists from other sources: allocates this many arrays, which the caller sets one after the other.
    template <class Config = current_config>
    constexpr bool allocate(std::size_t count) noexcept {
        return list.template allocate<Config>(count);
    }

    template <class Config = current_config, class Data>
    constexpr void set(std::size_t i, const nn::basic_parameter<Data>& p) noexcept {
        model_array& a = list[i];
        a.parameter = as_const_parameter(p);
        a.model.put(p.name);
        a.is_piece = !(p.is_first_piece() && p.is_last_piece());
        a.piece = p.is_first_piece() || i == 0 ? 0 : list[i - 1].piece + 1;
        if (!a.is_piece) return;
        message_writer<24> suffix;
        suffix.put('[');
        suffix.write_number(a.piece);
        suffix.put(']');
        a.model.put({suffix.text.data(), suffix.text.size()});
    }

    /// Chooses, for every array, the candidate name for which the file has an array, else the first one; then computes
    /// where each piece begins in the file's array. `find(name)` returns the file's array or null.
    template <class Config, class Find>
    constexpr io::result name_all(io::name_map names, std::string_view prefix, Find&& find) noexcept {
        for (model_array& a : list)
            if (!choose_name<Config>(a, names, prefix, find))
                return io_error<Config>(io::error::name_too_long, a.model.view());
        for (model_array& a : list) set_shape<Config>(a);
        return {};
    }

    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr model_array* begin() noexcept { return list.begin(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr model_array* end() noexcept { return list.end(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const model_array* begin() const noexcept { return list.begin(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const model_array* end() const noexcept { return list.end(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const model_array& operator[](std::size_t i) const noexcept {
        return list[i];
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return list.size(); }

private:
    owned_array<model_array> list;

    /// Tries the rules for the array itself, then those for its stack, then its own name.
    template <class Config, class Find>
    static constexpr bool choose_name(model_array& a, io::name_map names, std::string_view prefix,
                                      Find& find) noexcept {
        const std::string_view full = a.model.view();
        const std::string_view stack = a.is_piece ? full.substr(0, full.rfind('[')) : full;
        bool chosen = false, too_long = a.model.is_too_long;
        const auto consider = [&](std::string_view pattern, const star_matches& stars, bool transposed, bool is_whole) {
            file_name candidate;
            candidate.put(prefix);
            fill_name<Config>(pattern, stars, candidate);
            const stacked_name split = split_piece<Config>(candidate.view());
            const io::stored_array* const found = find(split.name);
            if (chosen && found == nullptr) return false;
            too_long = too_long || candidate.is_too_long;
            chosen = true;
            a.stored = found;
            a.file = {};
            a.file.put(split.name);
            a.file_piece = split.piece;
            a.is_file_piece = split.is_piece;
            a.transposed = transposed;
            a.shape = whole_shape<Config>(a.parameter);
            a.first_row = is_whole ? a.parameter.first_row : 0;
            if (!is_whole) a.shape.extents[0] = a.parameter.rows;
            return found != nullptr;
        };
        for (const io::name_rule& rule : names) {
            star_matches stars;
            if (a.is_piece && match_name<Config>(rule.model, full, stars)) {
                if (consider(rule.file, stars, rule.transposed, false)) return !too_long;
            } else if (stars = {}; match_name<Config>(rule.model, stack, stars)) {
                if (consider(rule.file, stars, rule.transposed, true)) return !too_long;
            }
        }
        if (!chosen) consider(stack, {}, false, true);
        return !too_long;
    }

    template <class Config>
    static constexpr io::dimensions whole_shape(const nn::const_parameter& p) noexcept {
        io::dimensions shape;
        shape.rank = p.rank;
        for (std::size_t i = 0; i < p.rank; ++i) shape.extents[i] = p.extents[i];
        return shape;
    }

    /// A piece of a file's stack begins after the pieces with smaller numbers; the stack has the rows of all.
    template <class Config>
    constexpr void set_shape(model_array& a) noexcept {
        if (!a.is_file_piece || a.shape.rank == 0) return;
        const std::size_t mine = a.first_row;
        std::uint64_t before = 0, all = 0;
        for (model_array& b : list) {
            if (!b.is_file_piece || b.file.view() != a.file.view()) continue;
            all += b.parameter.rows;
            if (b.file_piece < a.file_piece) before += b.parameter.rows;
        }
        a.first_row = mine + static_cast<std::size_t>(before);
        a.shape.extents[0] = all;
    }
};

}  // namespace ashlar::detail
