#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_documented.sh accepts sound headers and finds each kind of declaration that is not documented.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
header=$tree/include/ashlar/expr/things.hpp
mkdir -p "$(dirname "$header")"
failures=0

sound_header() {
    cat >"$header" <<'END'
#pragma once
#define ASHLAR_LONG(x) \
    x
namespace ashlar {

namespace detail {
struct hidden {};
void hidden_too();
}  // namespace detail

/// A class.
///
///     thing<4> t;
template <std::size_t Extent>
    requires(Extent > 0 && sizeof(int) == 4)
class ASHLAR_OWNER(int) thing {
public:
    using value_type = int;
    static constexpr std::size_t extent = Extent;

    thing() = default;
    /// From a number.
    constexpr explicit(Extent > 1) thing(int n) noexcept : number(n) {}
    /// The number.
    ///
    /// Twice in comments.
    constexpr int get() const noexcept { return number; }
    constexpr int get(int more) const noexcept {
        if (more) {
            return number + more;
        }
        return number;
    }
    friend constexpr bool operator==(const thing&, const thing&) = default;
    constexpr std::size_t size() const noexcept { return Extent; }
    /// A call.
    constexpr int operator()() const noexcept { return '}'; }

private:
    constexpr int undocumented() const { return 0; }
    int number = 0;
};
template <>
class thing<1> {
public:
    int get() const;
};
template <std::size_t Extent>
thing(const char (&)[Extent]) -> thing<Extent>;

/// A node.
struct thing_node {
    int undocumented() const;
};

/// A function of some kind.
///
///     auto t = make(1);
template <class Type>
    requires std::is_same_v<std::array<Type, (2 < 3 ? 1 : 2)>, int> || requires(Type t) { t + 1; }
[[nodiscard]] constexpr std::array<Type, 3> make(const Type& t, int other = 3) noexcept {
    return {t};
}
template <class Type>
auto make(const Type&&) = delete;  // named first
constexpr int make() { return 1; }

/// As `make`. Example: `make`.
void make_other(int (&values)[4]);
void make_other(char) {}
/// The larger of two.
///
///     int n = max(1, 2);
template <class Type>
constexpr Type(max)(Type a, Type b) {
    return a > b ? a : b;
}

/// A constant.
///
///     int n = some;
template <class Type>
inline constexpr int some = 1;
template <>
inline constexpr int some<int> = 2;

/// A concept.
template <class Type>
concept any_thing = requires(Type t) {
    typename Type::value_type;
    { t.get() };
};

/// Some kinds.
enum class thing_kind { one, two };

/// Options.
struct thing_options {
    int extent;
};

/// An alias.
///
///     other t;
template <class Type>
using other = thing<1>;

template <class Type>
constexpr int thing<Type>::defined_outside() const {
    return 1;
}

}  // namespace ashlar
END
}

# finds <sed script> <text>: with the header changed like this the check must fail and say the text.
finds() {
    local output
    sed -i "$1" "$header"
    if output=$("$scripts/check_documented.sh" "$tree" 2>&1); then
        echo "not found: $2"
        failures=$((failures + 1))
    elif [[ $output != *"$2"*FAILED* ]]; then
        printf 'expected: %s\ngot: %s\n' "$2" "$output"
        failures=$((failures + 1))
    fi
    sound_header
}

sound_header
"$scripts/check_documented.sh" "$tree" || { echo "sound headers are refused"; failures=1; }

finds '/A class/,/thing<4>/d' "things.hpp:11: thing has no comment ///"
finds '/thing<4> t/d' "thing has no example"
finds '/From a number/d' "thing has no comment ///"
finds '/The number/,/Twice/d' "get has no comment ///"
finds '/A call/d' "operator() has no comment ///"
finds 's/^private:/public:/' "undocumented has no comment ///"
finds '/A node/d' "thing_node has no comment ///"
finds 's/^struct thing_node/\/\/\/     thing_knot k;\nstruct thing_knot/' "undocumented has no comment ///"
finds '/A function/,/make(1)/d' "make has no comment ///"
finds '/^\/\/\/     auto t/d' "make_other cites the example of make, which has none"
finds 's/ Example: `make`.//' "make_other has no example"
finds 's/Example: `make`/Example: `made`/' "make_other cites the example of made, which has none"
finds '/As `make`/d' "make_other has no comment ///"
finds '/int n = max/d' "max has no example"
finds '/The larger/,/int n = max/d' "max has no comment ///"
finds '/int n = some/d' "some has no example"
finds '/A constant/,/some;/d' "some has no comment ///"
finds '/A concept/d' "any_thing has no comment ///"
finds '/Some kinds/d' "thing_kind has no comment ///"
finds '/\/\/\/ Options/d' "thing_options has no comment ///"
finds '/other t;/d' "other has no example"
finds '/An alias/,/other t;/d' "other has no comment ///"
finds 's/^namespace detail {/namespace named {/; s/namespace detail$/namespace named/; s/^void hidden_too/\/\/\/ Too.\n&/; s/^struct hidden/\/\/\/ Hidden\n\/\/\/     hidden h;\n&/' \
    "hidden_too has no example"

((failures == 0)) && echo "every violation is found"
exit "$failures"
