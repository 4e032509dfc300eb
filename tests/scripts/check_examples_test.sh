#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_examples.sh compiles every example of a header, and says which line is wrong.
set -euo pipefail

compiler=${1:?usage: check_examples_test.sh <compiler>}
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
header=$tree/include/ashlar/expr/things.hpp
names=$tree/tests/docs/example_names.inc
mkdir -p "$(dirname "$header")" "$(dirname "$names")"
failures=0

sound_tree() {
    cat >"$header" <<'END'
#pragma once
namespace ashlar {
namespace detail {
/// Internals have no examples:
///
///     this is no code
void hidden();
}  // namespace detail
/// Twice a number.
///
///     constexpr int four = twice(number);
///     static_assert(four == 4);
///
/// With functions of yours:
///
///     struct half {
///         int value;
///     };
///     template <class Type>
///     constexpr int half_of(Type x) {
///         return half{x / 2}.value;
///     }
///     static_assert(half_of(twice(
///                       number)) == 2);
constexpr int twice(int x) {
    return 2 * x;   /// not an example
}
/// Something.
struct thing {
    /// Its number.
    ///
    ///     int one = t.get();
    constexpr int get() const { return 1; }
};
}  // namespace ashlar
END
    cat >"$names" <<'END'
#include <ashlar/expr/things.hpp>
inline constexpr int number = 3;

// in expr/things.hpp
inline constexpr int number = 2;
inline thing t;
END
}

check() { "$scripts/check_examples.sh" "$tree" "$tree/work" "$compiler" -std=c++20 -fsyntax-only -I"$tree/include" 2>&1; }

# finds <file> <sed script> <text>: with the file changed like this the check must fail and say the text.
finds() {
    local output
    sed -i "$2" "$1"
    if output=$(check); then
        echo "not found: $3"
        failures=$((failures + 1))
    elif [[ $output != *"$3"* ]]; then
        printf 'expected: %s\ngot: %s\n' "$3" "$output"
        failures=$((failures + 1))
    fi
    sound_tree
}

sound_tree
output=$(check) || { echo "sound examples are refused: $output"; failures=1; }
[[ $output == *"2 examples of 1 headers"* ]] || { echo "not all are found: $output"; failures=1; }

finds "$header" 's/twice(number);/thrice(number);/' "include/ashlar/expr/things.hpp:11"
finds "$header" 's/four == 4/four == 5/' "include/ashlar/expr/things.hpp:12"
finds "$header" 's/half{x/halves{x/' "include/ashlar/expr/things.hpp:21"
finds "$header" 's/^\/\/\/                       number/\/\/\/                       count/' "include/ashlar/expr/things.hpp:24"
finds "$header" 's/t.get/t.got/' "include/ashlar/expr/things.hpp:33"
finds "$names" 's/^inline thing/inline thin/' "tests/docs/example_names.inc:6"
finds "$names" '$a // in expr/other.hpp' "expr/other.hpp has no examples"

((failures == 0)) && echo "every violation is found"
exit "$failures"
