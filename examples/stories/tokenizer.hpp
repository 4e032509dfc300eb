// SPDX-License-Identifier: BSL-1.0
// A byte-pair tokenizer in llama2.c's binary form: text to tokens and back.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stories {

class tokenizer {
public:
    static constexpr int begin_of_text = 1, end_of_text = 2;

    /// Reads a file by `parse`. False, and no tokens, if it cannot be read.
    [[nodiscard]] bool load(const char* path, std::size_t vocabulary) {
        pieces.clear();
        std::FILE* const file = std::fopen(path, "rb");
        if (file == nullptr) return false;
        std::string bytes;
        char part[4096];
        while (const std::size_t n = std::fread(part, 1, sizeof part, file)) bytes.append(part, n);
        std::fclose(file);
        return parse(bytes, vocabulary);
    }

    /// Reads an int32 (the longest token), then for each token a float score, an int32 length and its bytes. False, and
    /// no tokens, if the bytes are not like that.
    [[nodiscard]] bool parse(std::string_view bytes, std::size_t vocabulary) {
        pieces.clear();
        scores.clear();
        ids.clear();
        const auto take = [&](auto& number) {
            if (bytes.size() < sizeof number) return false;
            std::memcpy(&number, bytes.data(), sizeof number);
            bytes.remove_prefix(sizeof number);
            return true;
        };
        std::int32_t longest = 0;
        bool good = take(longest) && longest > 0;
        for (std::size_t i = 0; good && i < vocabulary; ++i) {
            float score = 0;
            std::int32_t length = 0;
            good = take(score) && take(length) && length >= 0 && length <= longest &&
                   static_cast<std::size_t>(length) <= bytes.size();
            if (!good) break;
            std::string piece(bytes.substr(0, static_cast<std::size_t>(length)));
            bytes.remove_prefix(piece.size());
            ids.emplace(piece, static_cast<int>(i));
            pieces.push_back(std::move(piece));
            scores.push_back(score);
        }
        if (!good) pieces.clear();
        return good;
    }

    /// The tokens of a text, the first of which is begin_of_text. Characters merge to the pairs with the best scores.
    [[nodiscard]] std::vector<int> encode(std::string_view text) const {
        std::vector<int> tokens{begin_of_text};
        if (text.empty()) return tokens;
        push(tokens, " ");
        for (std::size_t i = 0; i < text.size();) {
            std::size_t length = 1;  // of an UTF-8 character
            while (i + length < text.size() && length < 4 &&
                   (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80)
                ++length;
            push(tokens, text.substr(i, length));
            i += length;
        }
        for (;;) {
            std::size_t best = 0;
            int merged = -1;
            float best_score = -1e10f;
            for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
                const auto found = ids.find(pieces[at(tokens[i])] + pieces[at(tokens[i + 1])]);
                if (found == ids.end() || scores[at(found->second)] <= best_score) continue;
                best_score = scores[at(found->second)];
                merged = found->second;
                best = i;
            }
            if (merged == -1) return tokens;
            tokens[best] = merged;
            tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        }
    }

    /// The text of a token that follows another one; "<0x0A>" stands for a byte. Valid until the next call.
    [[nodiscard]] std::string_view decode(int previous, int token) {
        std::string_view piece = pieces[at(token)];
        if (previous == begin_of_text && piece.starts_with(' ')) piece.remove_prefix(1);
        unsigned value = 0;
        if (piece.size() == 6 && std::sscanf(piece.data(), "<0x%02X>", &value) == 1) {
            byte = static_cast<char>(value);
            return {&byte, 1};
        }
        return piece;
    }

private:
    static std::size_t at(int token) { return static_cast<std::size_t>(token); }

    /// The token of a character, or the tokens of its bytes, which follow the three special ones.
    void push(std::vector<int>& tokens, std::string_view character) const {
        if (const auto found = ids.find(std::string(character)); found != ids.end()) {
            tokens.push_back(found->second);
            return;
        }
        for (const char c : character) tokens.push_back(static_cast<unsigned char>(c) + 3);
    }

    std::vector<std::string> pieces;
    std::vector<float> scores;
    std::unordered_map<std::string, int> ids;
    char byte = 0;
};

}  // namespace stories
