#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_frames.sh finds a second result in a frame, and one in the frame of what returns it. 77 means skipped.
set -euo pipefail

compiler=${1:?usage: check_frames_test.sh <compiler>}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/reference_version.sh"
identify_compiler "$compiler"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() { "$here/check_frames.sh" "$work/f.cpp" "$work/f.o" 5000 1000 'made[<(]' "$compiler" -O0 2>&1; }
faulty() { # <what is wrong>
    if output=$(check) || [[ $output != *'FAILED: more than 5000 bytes, or 1000'* ]]; then
        printf '%s is not found\n%s\n' "$1" "$output"
        failures=1
    fi
}
head='struct big { char bytes[4096]; }; void use(big&);'

echo "$head big made(char c) { big b; b.bytes[0] = c; return b; } void room_for_one_big() { big b = made(1); use(b); }" >"$work/f.cpp"
check | grep -q 'room_for_one_big' || { echo "one result is not accepted"; failures=1; }
echo "$head big made(char c) { if (c) { big b; b.bytes[0] = c; return b; } big d; d.bytes[0] = 2; return d; }
void room_for_one_big() { big b = made(1), c = b; use(c); }" >"$work/f.cpp"
faulty "a copy in the caller"
echo "$head big made(char c) { big b, d; b.bytes[0] = d.bytes[0] = c; return c ? b : d; }
void room_for_one_big() { big b = made(1); use(b); }" >"$work/f.cpp"
faulty "a copy in what returns it"
echo 'void f() {}' >"$work/f.cpp"
if output=$(check) || [[ $output != *'no function is called'* ]]; then
    printf 'a source without such functions is accepted\n%s\n' "$output"
    failures=1
fi

((failures == 0)) && echo "copies of results are found"
exit "$failures"
