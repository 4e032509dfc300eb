#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source with ASHLAR_EXPECT_ERROR, which must fail with its "// expect:" texts in a few lines, and without.
# "// expect g++:" and "// expect clang:" hold for one compiler only.
set -euo pipefail

line_limit=14
source_file=${1:?usage: check_diagnostic.sh <source> <compiler> [flag...]}
compiler=${2:?usage: check_diagnostic.sh <source> <compiler> [flag...]}
shift 2
case $(basename "$compiler") in
clang*) family=clang ;;
*) family='g\+\+' ;;
esac
failures=0

complain() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

mapfile -t expected < <(sed -nE "s@^[[:space:]]*//[[:space:]]*expect( $family)?:[[:space:]]*(.*[^[:space:]])[[:space:]]*\$@\2@p" \
    "$source_file")
((${#expected[@]} > 0)) || complain "there is no '// expect: text' line in $source_file"

echo "corrected: $compiler $* $source_file"
if ! output=$("$compiler" "$@" "$source_file" 2>&1); then
    complain "without ASHLAR_EXPECT_ERROR it must compile, but the compiler said:"
    head -n 40 <<<"$output"
fi

echo "with the mistake: -DASHLAR_EXPECT_ERROR"
if output=$("$compiler" "$@" -DASHLAR_EXPECT_ERROR "$source_file" 2>&1); then
    complain "with ASHLAR_EXPECT_ERROR it must not compile, but it does"
else
    for text in "${expected[@]}"; do
        grep -qF -- "$text" <<<"$output" || complain "the message does not contain: $text"
    done
    lines=$(wc -l <<<"$output")
    ((lines <= line_limit)) || complain "the message has $lines lines, more than $line_limit"
    echo "the compiler's message, $lines lines:"
    head -n 60 <<<"$output"
fi
exit $((failures > 0))
