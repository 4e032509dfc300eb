#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_instantiations.sh counts our templates alone, and that a budget too small fails. 77 means skipped.
set -euo pipefail

compiler=${1:?usage: check_instantiations_test.sh <compiler>}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../objects/reference_version.sh"
identify_compiler "$compiler"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    printf '%s\n%s\n' "$1" "${2:-}"
    failures=$((failures + 1))
}
check() { "$here/check_instantiations.sh" "$work/f.cpp" "$work/dump" "$1" "$compiler" -std=c++20 -O2 2>&1; }

# Two classes, two functions, and a lambda in each of these.
cat >"$work/f.cpp" <<'TEXT'
namespace other {
template <int N> struct box { static constexpr int value = N; };
template <int N> int value() { return box<N>::value; }
}
namespace ashlar {
template <int N> struct box { static constexpr int value = N; };
template <int N> struct named;
template <int N> int value(named<N>* = nullptr) { return [](auto x) { return x + box<N>::value; }(1); }
}
int f() { return ashlar::value<1>() + ashlar::value<2>() + ashlar::value<2>() + other::value<3>(); }
TEXT
output=$(check 1000000) || complain "a large budget is refused:" "$output"
[[ $output == *'better than allowed'* ]] || complain "a budget that is too large is not reported:" "$output"
count=$(sed -nE 's/^f: ([0-9]+) instantiations.*/\1/p' <<<"$output")
case $family in
clang) wanted=6 ;;
gcc) wanted=8 ;; # the lambdas' classes too
esac
[[ $count == "$wanted" ]] || complain "not $wanted instantiations:" "$output"
output=$(check "$count") || complain "a budget that is met is refused:" "$output"
for run in 1 2 3; do
    [[ $(check "$count") == "$output" ]] || complain "run $run counts otherwise"
done

if output=$(check $((count - 1))); then complain "a budget that is too small by one is met:" "$output"; fi
[[ $output == *"FAILED: f: $count instantiations by $compiler, 1 more than $((count - 1))"* ]] ||
    complain "the message has not the case, the count and the budget:" "$output"

echo 'int f() { return 1; }' >"$work/f.cpp"
if output=$(check 100) || [[ $output != *'no template of ours'* ]]; then complain "nothing counted is accepted:" "$output"; fi
echo 'int f() { return }' >"$work/f.cpp"
if output=$(check 100); then complain "a source that does not compile is accepted:" "$output"; fi

((failures == 0)) && echo "our instantiations are counted, and bounded"
exit $((failures > 0))
