#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source with ASHLAR_EXPECT_ERROR, which must fail with its "// expect:" texts in a few lines, and without, unless
# check_corrected.sh does. "// expect g++:" and "// expect clang:" hold for one compiler only. The folder is that of
# precompile_headers.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/umbrella_header.sh"

line_limit=14
usage='usage: check_diagnostic.sh <source> <folder of precompiled headers, or ""> <compiler> [flag...]'
source_file=${1:?$usage}
precompiled=${2?$usage}
compiler=${3:?$usage}
shift 3
case $(basename "$compiler") in
clang*) family=clang ;;
*) family='g\+\+' ;;
esac
failures=0

# A program that includes all of ashlar has that precompiled; one that includes parts of the layers with SIMD code is
# spared xsimd alone, so that it still tells which parts suffice.
header=""
umbrella=$(umbrella_header "$source_file")
if [[ -n $umbrella ]]; then
    header=$precompiled/$umbrella.hpp
elif grep -qE '^#include <ashlar/(kernel|plan|eval|nn)/' "$source_file"; then
    header=$precompiled/xsimd.hpp
fi
if [[ -n $precompiled && -n $header ]]; then
    # Without a file for this compiler and these flags, g++ would read the header itself and say nothing.
    if [[ $family == clang ]]; then
        set -- "$@" -include-pch "$header.gch"
    else
        set -- "$@" -Winvalid-pch -Werror=invalid-pch -include "$header"
    fi
fi

complain() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

mapfile -t expected < <(sed -nE "s@^[[:space:]]*//[[:space:]]*expect( $family)?:[[:space:]]*(.*[^[:space:]])[[:space:]]*\$@\2@p" \
    "$source_file")
((${#expected[@]} > 0)) || complain "there is no '// expect: text' line in $source_file"

echo "corrected: $compiler $* $source_file"
if [[ -n $precompiled && (-n $umbrella || $family != clang) ]]; then
    # That a program includes what it needs of the parts, clang tells.
    echo "compiled with others, by diagnostics/corrected_${umbrella:-parts}"
elif ! output=$("$compiler" "$@" "$source_file" 2>&1); then
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
    # clang names the precompiled header on a line of its own.
    lines=$(grep -cvxF -- "In file included from $header:1:" <<<"$output") || true
    ((lines <= line_limit)) || complain "the message has $lines lines, more than $line_limit"
    echo "the compiler's message, $lines lines:"
    head -n 60 <<<"$output"
fi
exit $((failures > 0))
