#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# show.sh <folder> <compiler...> -- <flag...>: compiles each program of the folder as it is wrong, and shows what the
# compilers say. Fails where one accepts it, or refuses the mended program.
set -euo pipefail
folder=$1
shift
compilers=()
while [[ $1 != -- ]]; do
    compilers+=("$1")
    shift
done
shift

# lines <from> <to>: the lines of the program between these two.
lines() { sed -n "/^#$1/,/^#$2/{/^#/d;p}" "$program"; }
status=0
for program in "$folder"/*.cpp; do
    printf '\n-- %s: %s\n' "$(basename "$program" .cpp)" "$(sed -n '2s|^// ||p' "$program")"
    printf 'wrong:  %s\n' "$(lines ifdef else)"
    for compiler in "${compilers[@]}"; do
        if output=$("$compiler" "$@" -DASHLAR_EXPECT_ERROR "$program" 2>&1); then
            echo "$compiler compiles it" && status=1
        fi
        echo "$(basename "$compiler"):"
        grep -E ' error: |evaluates to false' <<<"$output" | sed -E 's/^[^ ]*: (error|note): /    \1: /' || true
        "$compiler" "$@" "$program" || status=1
    done
    printf 'right:  %s\n' "$(lines else endif)"
done
exit $status
