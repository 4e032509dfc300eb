// SPDX-License-Identifier: BSL-1.0
// A histogram of the times of calls, by tenths of a microsecond. Counting does not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace examples {

class times {
public:
    void add(double microseconds) noexcept {
        const auto slot = static_cast<std::size_t>(std::max(microseconds, 0.0) * 10);
        ++counts[std::min(slot, counts.size() - 1)];
        ++all;
        sum += microseconds;
        longest = std::max(longest, microseconds);
    }
    /// The time that this many of 1,000 calls do not exceed, rounded up to a tenth of a microsecond.
    double quantile(double of_thousand) const noexcept {
        const double wanted = of_thousand / 1000 * static_cast<double>(all);
        std::uint64_t seen = 0;
        for (std::size_t slot = 0; slot + 1 < counts.size(); ++slot) {
            seen += counts[slot];
            if (static_cast<double>(seen) >= wanted) return std::min(longest, static_cast<double>(slot + 1) / 10);
        }
        return longest;
    }
    std::uint64_t above(double microseconds) const noexcept {
        std::uint64_t found = 0;
        for (auto slot = static_cast<std::size_t>(microseconds * 10) + 1; slot < counts.size(); ++slot)
            found += counts[slot];
        return found;
    }
    double worst() const noexcept { return longest; }
    double total() const noexcept { return sum; }
    std::uint64_t calls() const noexcept { return all; }

private:
    std::array<std::uint64_t, 200'000> counts{};  // 20 ms
    std::uint64_t all = 0;
    double sum = 0, longest = 0;
};

}  // namespace examples
