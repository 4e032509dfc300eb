// SPDX-License-Identifier: BSL-1.0
// The subscripts of einsum: parsed at compile time into lists of labels, and the algebra of such lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/axis.hpp>

namespace ashlar::inline v0_1::detail {

/// Labels of axes, in order; a structural type.
struct label_list {
    static constexpr std::size_t capacity = 32;
    char text[capacity + 1]{};
    std::size_t count = 0;

    /// The first position of a label; count if it is not there.
    constexpr std::size_t find(char label) const {
        std::size_t i = 0;
        while (i < count && text[i] != label) ++i;
        return i;
    }
    constexpr bool contains(char label) const { return find(label) < count; }
    constexpr void push(char label) { text[count++] = label; }

    constexpr label_list with(char label) const {
        label_list result = *this;
        result.push(label);
        return result;
    }
    constexpr label_list with(const label_list& others) const {
        label_list result = *this;
        for (std::size_t i = 0; i < others.count; ++i) result.push(others.text[i]);
        return result;
    }
    constexpr label_list without(char label) const {
        label_list result{};
        for (std::size_t i = 0; i < count; ++i)
            if (text[i] != label) result.push(text[i]);
        return result;
    }
    constexpr label_list without_position(std::size_t position) const {
        label_list result{};
        for (std::size_t i = 0; i < count; ++i)
            if (i != position) result.push(text[i]);
        return result;
    }
    constexpr label_list common(const label_list& others) const {
        label_list result{};
        for (std::size_t i = 0; i < count; ++i)
            if (others.contains(text[i])) result.push(text[i]);
        return result;
    }
    constexpr label_list except(const label_list& others) const {
        label_list result{};
        for (std::size_t i = 0; i < count; ++i)
            if (!others.contains(text[i])) result.push(text[i]);
        return result;
    }
    /// Each label once, at its first position.
    constexpr label_list distinct() const {
        label_list result{};
        for (std::size_t i = 0; i < count; ++i)
            if (!result.contains(text[i])) result.push(text[i]);
        return result;
    }
    /// The first position whose label occurred before; count if there is none.
    constexpr std::size_t find_repeated() const {
        std::size_t i = 0;
        while (i < count && find(text[i]) == i) ++i;
        return i;
    }
    /// The labels after the first repeated label and its first occurrence become one axis, the last.
    constexpr label_list one_diagonal() const {
        const std::size_t second = find_repeated();
        return without_position(second).without_position(find(text[second])).with(text[second]);
    }
    /// The same until no label is repeated.
    constexpr label_list diagonal() const {
        label_list result = *this;
        while (result.find_repeated() < result.count) result = result.one_diagonal();
        return result;
    }
};

enum class subscript_problem : std::uint8_t { none, ellipsis, character };

struct subscripts {
    static constexpr std::size_t most_operands = 8;
    label_list operands[most_operands]{};
    std::size_t operand_count = 1;
    label_list result{};
    subscript_problem problem = subscript_problem::none;

    /// The labels of all operands, one operand after another.
    consteval label_list all() const {
        label_list labels{};
        for (std::size_t i = 0; i < operand_count; ++i) labels = labels.with(operands[i]);
        return labels;
    }
};

consteval bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The labels that occur once, in alphabetical order (capitals first): the result if none is given.
consteval label_list implicit_result(const label_list& all) {
    label_list result{};
    for (char c = 'A'; c <= 'z'; ++c) {
        std::size_t occurrences = 0;
        for (std::size_t i = 0; i < all.count; ++i) occurrences += all.text[i] == c ? 1 : 0;
        if (occurrences == 1) result.push(c);
    }
    return result;
}

consteval subscripts parse_subscripts(const char* text, std::size_t size) {
    subscripts parsed{};
    std::size_t labels = 0;
    bool in_result = false;
    for (std::size_t i = 0; i < size; ++i) {
        const char c = text[i];
        if (c == ' ') continue;
        if (c == '.') {
            parsed.problem = subscript_problem::ellipsis;
            return parsed;
        }
        if (is_label(c) && labels < label_list::capacity) {
            (in_result ? parsed.result : parsed.operands[parsed.operand_count - 1]).push(c);
            ++labels;
        } else if (c == ',' && !in_result && parsed.operand_count < subscripts::most_operands) {
            ++parsed.operand_count;
        } else if (c == '-' && !in_result && i + 1 < size && text[i + 1] == '>') {
            in_result = true;
            ++i;
        } else {
            parsed.problem = subscript_problem::character;
            return parsed;
        }
    }
    if (!in_result) parsed.result = implicit_result(parsed.all());
    return parsed;
}

template <fixed_string Subscripts>
struct einsum_subscripts {
    static constexpr subscript_problem problem = parse_subscripts(Subscripts.text, Subscripts.size()).problem;
    static constexpr bool have_no_ellipsis = problem != subscript_problem::ellipsis;
    static constexpr bool are_letters = problem != subscript_problem::character;
};

/// Whether the labels after -> are labels of operands, each once.
template <fixed_string Subscripts>
struct einsum_result {
    static constexpr subscripts parsed = parse_subscripts(Subscripts.text, Subscripts.size());
    static constexpr bool labels_exist = parsed.result.except(parsed.all()).count == 0;
    static constexpr bool labels_are_distinct = parsed.result.find_repeated() == parsed.result.count;
};

}  // namespace ashlar::detail
