#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_code_size.sh adds functions up, and nothing else. 77 means skipped.
set -euo pipefail

compiler=${1:?usage: check_code_size_test.sh <compiler>}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/reference_version.sh"
identify_compiler "$compiler"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

printf '%s\n' .text '.globl f' '.type f,@function' f: 'ret' '.zero 99' '.size f,100' \
    '.p2align 8' '.type g,@function' g: 'ret' '.zero 10' '.size g,11' \
    '.section .text.h,"axG",@progbits,h,comdat' '.weak h' '.type h,@function' h: 'ret' '.size h,1' \
    .data '.globl d' '.type d,@object' d: '.zero 50' '.size d,50' '.section .note.GNU-stack,"",@progbits' >"$work/f.s"
check() { "$here/check_code_size.sh" "$work/f.s" "$work/f.o" "$@" 1 "$compiler" 2>&1; }

check 112 | grep -q '^112 bytes of code' || { echo "three functions are not counted as 112 bytes"; failures=1; }
if output=$(check 111) || [[ $output != *'FAILED: more than 111'* ]]; then
    printf 'one byte too many is not found\n%s\n' "$output"
    failures=1
fi
check 124 | grep -q 'lower the limit' || { echo "a limit that is too high is not reported"; failures=1; }
printf '%s\n' .data 'd: .byte 1' '.section .note.GNU-stack,"",@progbits' >"$work/f.s"
if output=$(check 100) || [[ $output != *'no functions'* ]]; then
    printf 'an object without functions is accepted\n%s\n' "$output"
    failures=1
fi

((failures == 0)) && echo "sizes are added up"
exit "$failures"
