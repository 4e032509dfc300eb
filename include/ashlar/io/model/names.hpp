// SPDX-License-Identifier: BSL-1.0
// Name maps: the names of a model's arrays in a weight file.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fixed_text.hpp>
#include <ashlar/io/formats/compare_names.hpp>

namespace ashlar::inline v0_1::io {

/// The name of one array, or a family of arrays, in a file. `*` matches characters within a path segment, `**` any
/// characters or none. The matches replace the stars of `file`, `*` for `*` and `**` for `**`, in order.
///
/// `[k]` after a name is piece k of a stack of arrays. Write it after `model` if the model lists several arrays as one
/// ("self_attn.in_proj_weight[0]" are the queries) and the file has separate arrays; write it after `file` if the file
/// stacks, along the first axis, separate arrays of the model.
///
///     io::name_rule query{"layers.*.self_attn.in_proj_weight[0]", "encoder.layer.*.attention.self.query.weight"};
struct name_rule {
    std::string_view model;
    std::string_view file;
    /// Whether the file's matrix is transposed: [in, out] instead of PyTorch's [out, in].
    bool transposed = false;
};

/// A table of rules, usually a constexpr std::array. The first matching rule of a name applies; if the file does not
/// have that array, the next matching one does. A name without a rule is the same in the file.
///
///     constexpr io::name_rule names[]{{"head.*", "classifier.*"}, {"table", "embeddings.weight"}};
///     io::result r = io::load(model, "weights.safetensors", names);   // an array of rules converts to a name_map
using name_map = std::span<const name_rule>;

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

inline constexpr std::size_t file_name_capacity = 511;

/// Builds a name in a file.
struct file_name {
    fixed_text<file_name_capacity> text{};
    bool is_too_long = false;

    template <class Config = current_config>
    constexpr void put(std::string_view part) noexcept {
        const std::size_t room = file_name_capacity - text.length;
        if (part.size() > room) is_too_long = true;
        const std::size_t count = part.size() < room ? part.size() : room;
        const char* const from = part.data();
        char* const to = text.characters.data() + text.length;
        for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
        text.length += count;
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::string_view view() const noexcept {
        return {text.data(), text.size()};
    }
};

/// The matches of a pattern's stars.
struct star_matches {
    static constexpr std::size_t most = 8;
    std::array<std::string_view, most> text{};
    std::array<bool, most> is_double{};
    std::size_t count = 0;
};

/// Whether the characters after the last star of a pattern, or all if it has none, end a name.
ASHLAR_ALWAYS_INLINE constexpr bool ends_as_pattern(std::string_view pattern, std::string_view name) noexcept {
    const char *p = pattern.data() + pattern.size(), *n = name.data() + name.size();
    while (p != pattern.data() && n != name.data() && p[-1] == n[-1] && p[-1] != '*') --p, --n;
    return p == pattern.data() || p[-1] == '*';
}

/// Whether a name matches a pattern. Recursion is as deep as the pattern has stars; each takes as much as it can.
/// Cheap refusals come first, because constant expressions try all rules of a map for each array.
template <class Config>
constexpr bool match_name(std::string_view pattern, std::string_view name, star_matches& stars) noexcept {
    if (!ends_as_pattern(pattern, name)) return false;
    const std::size_t star = position_of(pattern, '*');
    if (star == std::string_view::npos) return pattern.size() == name.size();
    for (std::size_t i = 0; i < star; ++i)
        if (i == name.size() || pattern[i] != name[i]) return false;
    if (stars.count == star_matches::most) return false;
    name.remove_prefix(star);
    const bool any = star + 1 < pattern.size() && pattern[star + 1] == '*';
    const std::string_view rest = pattern.substr(star + (any ? 2 : 1));
    std::size_t longest = any ? name.size() : position_of(name, '.');
    if (longest == std::string_view::npos) longest = name.size();
    const std::size_t mine = stars.count++, least = any ? 0 : 1;
    const char* const at = name.data();
    const char next = rest.empty() ? '*' : rest.front();
    // A single star matches at least one character.
    for (std::size_t length = longest + 1; length-- > least;) {
        if (next != '*' && (length == name.size() || at[length] != next)) continue;
        stars.text[mine] = name.substr(0, length);
        stars.is_double[mine] = any;
        stars.count = mine + 1;
        if (match_name<Config>(rest, name.substr(length), stars)) return true;
    }
    stars.count = mine;
    return false;
}

/// Replaces the stars of a pattern by their matches.
template <class Config>
constexpr void fill_name(std::string_view pattern, const star_matches& stars, file_name& out) noexcept {
    for (std::size_t next[2]{};;) {
        const std::size_t star = position_of(pattern, '*');
        out.put(pattern.substr(0, star));
        if (star == std::string_view::npos) return;
        const bool any = pattern.substr(star).starts_with("**");
        std::size_t& i = next[any];
        while (i < stars.count && stars.is_double[i] != any) ++i;
        if (i < stars.count) out.put(stars.text[i++]);
        pattern.remove_prefix(star + (any ? 2 : 1));
    }
}

/// A name without its "[k]", and k.
struct stacked_name {
    std::string_view name;
    std::size_t piece = 0;
    bool is_piece = false;
};
template <class Config>
constexpr stacked_name split_piece(std::string_view name) noexcept {
    if (!name.ends_with(']')) return {name};
    const std::size_t bracket = name.rfind('[');
    if (bracket == std::string_view::npos || name.size() - bracket < 3 || name.size() - bracket > 6) return {name};
    std::size_t piece = 0;
    for (const char c : name.substr(bracket + 1, name.size() - bracket - 2)) {
        if (c < '0' || c > '9') return {name};
        piece = piece * 10 + static_cast<std::size_t>(c - '0');
    }
    return {name.substr(0, bracket), piece, true};
}

}  // namespace ashlar::detail
