#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_targets.sh finds what it is there for: check_targets_test.sh <repository>
set -euo pipefail

root=${1:?usage: check_targets_test.sh <repository>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect <what> <pattern> <file> <sed script>: with this change of a file one line matches.
expect() {
    local output
    rm -rf "$work/copy"
    mkdir -p "$work/copy/docs"
    cp -r "$root/tests" "$work/copy/tests"
    cp "$root/docs/targets.md" "$work/copy/docs/"
    sed -i "$4" "$work/copy/$3"
    if output=$("$root/tests/scripts/check_targets.sh" "$work/copy" 2>&1) || ! grep -qE -- "$2" <<<"$output"; then
        printf 'FAILED %s: no complaint matches %s in\n%s\n' "$1" "$2" "$output" >&2
        failures=$((failures + 1))
    fi
}
table=tests/targets/targets.ini
"$root/tests/scripts/check_targets.sh" "$root"
expect "a target without a row" 'no row for other' $table 's/^\[s390x\]/[other]/'
expect "a row without a target" 'a row for s390x' $table 's/^\[s390x\]/[other]/'
expect "a target without lanes" 'has no lanes' $table '0,/^lanes = /{/^lanes/d}'
expect "a word that nobody reads" 'what is "lane"' $table 's/^lanes = 4/lane = 4/'
expect "an unknown set" 'no set of programs' $table 's/^tests = all$/tests = al/'
expect "a program that is gone" 'no tests/kernel/simdd_test.cpp' tests/targets/programs.txt 's,kernel/simd$,kernel/simdd,'
((failures == 0))
