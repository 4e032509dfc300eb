// SPDX-License-Identifier: BSL-1.0
// Prints the instruction set that was chosen; compares each that the processor has with plain loops.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "model.hpp"
#include "order.hpp"

using namespace ashlar;
using namespace consumer;

namespace {

const weights w = generate<float, 16, 16>(
    [](std::size_t i, std::size_t j) { return static_cast<float>((i * 7 + j * 11) % 19) / 19.0f - 0.5f; });
const rows x = generate<float, 20, 16>(
    [](std::size_t i, std::size_t j) { return static_cast<float>((i * 5 + j * 3) % 23) / 11.5f - 1.0f; });

/// Called before main, from a constructor of another unit than the one that defines it.
const float early = [] {
    float values[] = {3, 1, 2};
    return order(values, 3) + values[0];
}();

/// The layer by plain loops.
double expected(std::size_t i, std::size_t j) {
    double scores[20], total = 0, result = 0;
    for (std::size_t key = 0; key <= i; ++key) {
        double score = 0;
        for (std::size_t d = 0; d < 16; ++d) score += double{x(i, d)} * double{x(key, d)};
        total += scores[key] = std::exp(score / 4);
    }
    for (std::size_t key = 0; key <= i; ++key) {
        double value = 0;
        for (std::size_t d = 0; d < 16; ++d) value += double{x(key, d)} * double{w(d, j)};
        result += scores[key] / total * value;
    }
    return result;
}

int failures = 0;
void expect(bool holds, const char* what, instruction_set set) {
    if (holds) return;
    std::printf("FAILED: %s, %s\n", what, name_of(set));
    ++failures;
}

}  // namespace

int main() {
    const packed_weights made = pack(w);  // in code for any processor
    std::printf("%s %s\n", name_of(layer.chosen()), name_of(order.chosen()));
    expect(early == 15, "a call before main", order.chosen());

    const instruction_set widest = layer.chosen();
    int sets = 0;
    for (const auto set : {instruction_set::base, instruction_set::sse2, instruction_set::sse4_2, instruction_set::avx2,
                           instruction_set::avx512}) {
        if (!layer.choose(set)) continue;
        ++sets;
        expect(layer.chosen() == set, "the chosen set", set);
        expect(panels.choose(set) && order.choose(set), "sets of other functions", set);
        expect(set <= widest, "a wider set than the widest", set);

        rows y;
        layer(made, x, y);
        double apart = 0;
        for (std::size_t i = 0; i < 20; ++i)
            for (std::size_t j = 0; j < 16; ++j) apart = std::max(apart, std::abs(double{y(i, j)} - expected(i, j)));
        expect(apart < 1e-5, "values", set);
        const packed_weights own = panels(w);
        expect(std::memcmp(&own, &made, sizeof own) == 0, "the layout of panels", set);

        float values[200], sorted[200];
        for (int i = 0; i < 200; ++i) values[i] = sorted[i] = static_cast<float>(i * 37 % 101);
        std::sort(sorted, sorted + 200);
        const float sum = order(values, 200);
        expect(std::equal(values, values + 200, sorted), "a sorted array", set);
        expect(sum == sum_of_squares(sorted, 200) || std::abs(sum / sum_of_squares(sorted, 200) - 1) < 1e-6f, "a sum",
               set);
    }
    expect(sets > 0 && layer.choose(widest), "the widest set again", widest);
    std::vector<float> few{4, 3};  // by the program's own copies of what the wide units have, too
    few.push_back(sum_of_squares(few.data(), 2));
    std::sort(few.begin(), few.end());
    expect(few.back() == 25, "the program's own code", widest);
    return failures;
}
