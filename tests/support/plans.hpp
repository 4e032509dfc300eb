// SPDX-License-Identifier: BSL-1.0
// What tests ask of the plan that an expression has on some machine.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace support {

using ashlar::detail::stage_kind;

template <class Config, class E>
constexpr const auto& code_of = ashlar::detail::planned<std::remove_cvref_t<E>, Config>::code;

/// The n-th stage of a kind; an empty one if there are fewer.
template <class Config = machines::avx512>
constexpr ashlar::detail::plan_stage stage_of(const auto& e, stage_kind kind, std::size_t n = 0) {
    const auto& code = code_of<Config, decltype(e)>;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == kind && n-- == 0) return code.stages[s];
    return {};
}
template <class Config = machines::avx512>
constexpr std::size_t stages_of(const auto& e, stage_kind kind) {
    std::size_t count = 0;
    for (std::size_t s = 0; s < code_of<Config, decltype(e)>.stage_count; ++s)
        count += code_of<Config, decltype(e)>.stages[s].kind == kind;
    return count;
}
/// Stages that copy memory to scratch.
template <class Config = machines::avx512>
constexpr std::size_t copies(const auto& e) {
    const auto& code = code_of<Config, decltype(e)>;
    std::size_t count = 0;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        count += code.stages[s].kind == stage_kind::map && code.stages[s].buffer != ashlar::detail::no_buffer;
    return count;
}
/// Keys of a block, or what is given where all keys are taken at once.
template <class Config, class E>
constexpr std::size_t keys_of_block(std::size_t none = 0) {
    for (std::size_t l = 0; l < code_of<Config, E>.loop_count; ++l)
        if (code_of<Config, E>.loops[l].keys) return code_of<Config, E>.loops[l].tile;
    return none;
}

/// Whether the explained plan has this text.
template <class Config = machines::avx512>
bool shows(const auto& e, std::string_view part) {
    const auto text = ashlar::explain<std::remove_cvref_t<decltype(e)>, Config>(e);
    return std::string_view(text.c_str()).find(part) != std::string_view::npos;
}

}  // namespace support
