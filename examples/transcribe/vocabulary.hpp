// SPDX-License-Identifier: BSL-1.0
// Tokens to text, by the vocabulary of a tokenizer.json or by a plain file with a piece a line, in the order of tokens.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace transcribe {

class vocabulary {
public:
    /// Reads a file; of a tokenizer.json the object "vocab" alone. False, and no pieces, if it has none.
    [[nodiscard]] bool load(const char* path) {
        pieces.clear();
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
            std::fopen(path, "rb"), [](std::FILE* f) { return f == nullptr ? 0 : std::fclose(f); });
        if (!file) return false;
        std::string text;
        char part[4096];
        for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;) text.append(part, n);
        return parse(text);
    }
    /// The same of a file's text.
    [[nodiscard]] bool parse(std::string_view text) {
        pieces.clear();
        if (text.find_first_not_of(" \n\r\t") != std::string_view::npos &&
            text[text.find_first_not_of(" \n\r\t")] == '{') {
            if (!parse_json(text)) pieces.clear();
        } else {
            for (std::size_t at = 0; at < text.size();) {
                std::size_t end = text.find('\n', at);
                if (end == std::string_view::npos) end = text.size();
                pieces.emplace_back(text.substr(at, end - at - (end > at && text[end - 1] == '\r')));
                at = end + 1;
            }
        }
        return !pieces.empty();
    }

    [[nodiscard]] std::size_t size() const { return pieces.size(); }

    /// Appends the text of a token: "\u2581" is a space, "<0x0A>" a byte, and what else stands in <> is not said.
    void append(std::string& to, int token) const {
        if (token < 0 || static_cast<std::size_t>(token) >= pieces.size()) return;
        std::string_view piece = pieces[static_cast<std::size_t>(token)];
        if (piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>') {
            unsigned value = 0;
            std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
            to += static_cast<char>(value);
        } else if (piece.size() < 3 || piece.front() != '<' || piece.back() != '>') {
            constexpr std::string_view space = "\xe2\x96\x81";
            for (std::size_t i; (i = piece.find(space)) != std::string_view::npos; piece.remove_prefix(i + 3))
                to.append(piece.substr(0, i)) += ' ';
            to += piece;
        }
    }

private:
    static constexpr std::size_t most_pieces = 1 << 20;

    /// "vocab": {"piece": number, ...}.
    bool parse_json(std::string_view text) {
        const std::size_t key = text.find("\"vocab\"");
        std::size_t at = key == std::string_view::npos ? key : text.find('{', key);
        if (at == std::string_view::npos) return false;
        for (++at;; ++at) {
            skip_spaces(text, at);
            std::string piece;
            if (!read_string(text, at, piece)) return false;
            skip_spaces(text, at);
            if (at == text.size() || text[at++] != ':') return false;
            skip_spaces(text, at);
            std::size_t number = 0;
            const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
            if (error != std::errc() || number >= most_pieces) return false;
            if (number >= pieces.size()) pieces.resize(number + 1);
            pieces[number] = std::move(piece);
            at = static_cast<std::size_t>(end - text.data());
            skip_spaces(text, at);
            if (at == text.size() || (text[at] != ',' && text[at] != '}')) return false;
            if (text[at] == '}') return true;
        }
    }
    static void skip_spaces(std::string_view text, std::size_t& at) {
        while (at < text.size() && std::string_view(" \n\r\t").find(text[at]) != std::string_view::npos) ++at;
    }
    /// A string from its quote on; half pairs of surrogates are no text.
    static bool read_string(std::string_view text, std::size_t& at, std::string& out) {
        if (at == text.size() || text[at++] != '"') return false;
        while (at < text.size() && text[at] != '"') {
            if (text[at] != '\\') {
                out += text[at++];
                continue;
            }
            if (++at == text.size()) return false;
            const char kind = text[at++];
            if (kind == 'u') {
                std::uint32_t code = 0, low = 0;
                if (!read_hex(text, at, code)) return false;
                if (code >= 0xd800 && code < 0xdc00) {
                    if (text.substr(at, 2) != "\\u" || !read_hex(text, at += 2, low) || low < 0xdc00 || low > 0xdfff)
                        return false;
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                }
                append_utf8(out, code);
            } else {
                constexpr std::string_view from = "bfnrt", to = "\b\f\n\r\t";
                const std::size_t i = from.find(kind);
                out += i == std::string_view::npos ? kind : to[i];
            }
        }
        return at++ < text.size();
    }
    static bool read_hex(std::string_view text, std::size_t& at, std::uint32_t& code) {
        if (text.size() - at < 4) return false;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
        at += 4;
        return error == std::errc() && end == text.data() + at;
    }
    static void append_utf8(std::string& out, std::uint32_t code) {
        const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
        if (code < 0x80) {
            put(code);
            return;
        }
        if (code < 0x800) {
            put(0xc0 | code >> 6);
        } else {
            if (code < 0x10000) {
                put(0xe0 | code >> 12);
            } else {
                put(0xf0 | code >> 18);
                put(0x80 | (code >> 12 & 0x3f));
            }
            put(0x80 | (code >> 6 & 0x3f));
        }
        put(0x80 | (code & 0x3f));
    }

    std::vector<std::string> pieces;
};

}  // namespace transcribe
