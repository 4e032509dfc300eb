// SPDX-License-Identifier: BSL-1.0
// Arrays by std::format: texts, specifications of elements, and those that are refused.
#include <version>

#include "../checks.hpp"

#if !__has_include(<format>) || !defined(__cpp_lib_format)
int main() { return skipped("no std::format"); }
#else
#include <format>
#include <string>
#include <string_view>

#include <ashlar/interop/format.hpp>
#include <ashlar/interop/ranges.hpp>

#include "../formatted.hpp"

namespace {

template <class Array>
std::string text(std::string_view pattern, const Array& array) {
    return std::vformat(pattern, std::make_format_args(array));
}

bool is_refused(std::string_view pattern) {
    const ashlar::tensor<float, 2> t{1, 2};
    int width = 3;
    try {
        static_cast<void>(std::vformat(pattern, std::make_format_args(t, width)));
    } catch (const std::format_error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    const auto by_pattern = [](std::string_view pattern, const auto& array) { return text(pattern, array); };
    for (const auto& [got, expected] : formatted_arrays(by_pattern))
        check((got + " is not " + expected).c_str(), got == expected);
    const ashlar::tensor<float, 2> t{1, 2};
    check("a pattern that the compiler checks", std::format("{:.1f} {}", t, 3) == "[1.0, 2.0] 3");
    check("an argument in a specification", is_refused("{:{}f}"));
    check("a specification of other elements", is_refused("{:d}"));
    check("a long specification", is_refused("{:00000000000000000000000000000000000000000000001.1f}"));
#if defined(__cpp_lib_format_ranges)
    const ashlar::tensor<int, 2, 2> square{{1, 2}, {3, 4}};
    check("a range of rows", std::format("{::02}", ashlar::rows(square)) == "[[01, 02], [03, 04]]");
#endif
    return report();
}
#endif
