// SPDX-License-Identifier: BSL-1.0
// Masks and numbers that are picked from memory one by one: g++ 12 reads them as a register before they are written
// where it vectorises the picking by SVE, at -O2.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

namespace {

constexpr std::size_t queries = 11, keys = 26, depth = 5, width = 16;

tensor<float, queries, depth> q;
tensor<float, keys, depth> k;
tensor<float, keys, width> v;
tensor<bool, queries, keys> kept;
int failures = 0;

void expect_near(const char* what, std::size_t row, double got, double wanted) {
    if (std::fabs(got - wanted) <= 1e-4) return;
    std::printf("%s, row %zu: %.9g instead of %.9g\n", what, row, got, wanted);
    ++failures;
}

/// Numbers between -1 and 1 that repeat in no short period.
float number(std::size_t i) { return static_cast<float>(i * i * 7 % 101) / 50.0f - 1.0f; }

void attention_by_a_mask_in_memory() {
    const tensor<float, queries, width> y = attention(q, k, v, keep(kept));
    for (std::size_t i = 0; i < queries; ++i) {
        double total = 0, sum_of_values = 0;
        for (std::size_t j = 0; j < keys; ++j) {
            if (!kept(i, j)) continue;
            double score = 0;
            for (std::size_t d = 0; d < depth; ++d)
                score += static_cast<double>(q(i, d)) * static_cast<double>(k(j, d));
            const double weight = std::exp(score / std::sqrt(5.0));
            total += weight;
            sum_of_values += weight * static_cast<double>(v(j, 3));
        }
        expect_near("attention", i, static_cast<double>(y(i, 3)), sum_of_values / total);
    }
}

void numbers_of_narrow_types() {
    tensor<std::int8_t, keys, queries> bytes;
    tensor<std::int16_t, keys, queries> words;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes.data()[i] = static_cast<std::int8_t>(i % 100);
        words.data()[i] = static_cast<std::int16_t>(i);
    }
    const tensor<float, queries, keys> sums = cast<float>(transpose(bytes)) + cast<float>(transpose(words));
    const tensor<float, queries, keys> chosen =
        where(transpose(bytes) > transpose(bytes) * std::int8_t(0), sums, -sums);
    for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j) {
            const double wanted = static_cast<double>(bytes(j, i)) + static_cast<double>(words(j, i));
            expect_near("sums", i, static_cast<double>(sums(i, j)), wanted);
            expect_near("choices", i, static_cast<double>(chosen(i, j)), bytes(j, i) > 0 ? wanted : -wanted);
        }
}

}  // namespace

int main() {
    for (std::size_t i = 0; i < q.size(); ++i) q.data()[i] = number(i);
    for (std::size_t i = 0; i < k.size(); ++i) k.data()[i] = number(i + 50);
    for (std::size_t i = 0; i < v.size(); ++i) v.data()[i] = number(i + 30);
    for (std::size_t i = 0; i < kept.size(); ++i) kept.data()[i] = number(i + 17) > 0.0f;
    attention_by_a_mask_in_memory();
    numbers_of_narrow_types();
    std::puts(failures == 0 ? "all of them are right" : "some are wrong");
    return failures == 0 ? 0 : 1;
}
