// SPDX-License-Identifier: BSL-1.0
// What `explain` says of the call of a stack of layers, in pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ashlar/ashlar.hpp>

namespace support {

/// The text after a heading, up to the next one: every part has one of its own.
inline std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> found;
    std::size_t from = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        const std::string_view line = text.substr(at, text.find('\n', at) - at);
        if (line != "once:" && !line.ends_with(" times:")) continue;
        found.emplace_back(text.substr(from, at - from));
        from = at;
    }
    found.emplace_back(text.substr(from));
    return found;
}

template <class Call>
std::string text_of(const Call& call) {
    return ashlar::explain(call).c_str();
}

/// A number as `explain` writes it.
inline std::string grouped(std::size_t n) {
    return n < 1000 ? std::to_string(n) : grouped(n / 1000) + "," + std::to_string(1000 + n % 1000).substr(1);
}

}  // namespace support
