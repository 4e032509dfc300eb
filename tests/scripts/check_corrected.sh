#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles the programs of tests/diagnostics that include one umbrella header, or parts of the library, without their
# mistakes: all of them in one unit, each in a namespace of its own. A compiler needs longer to begin than for most of them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/umbrella_header.sh"

usage='usage: check_corrected.sh <ashlar, nn or parts> <folder of precompiled headers> <compiler> [flag...] -- <source...>'
umbrella=${1:?$usage}
precompiled=${2:?$usage}
compiler=${3:?$usage}
shift 3
flags=()
while [[ ${1:?$usage} != -- ]]; do
    flags+=("$1")
    shift
done
shift

sources=()
for source in "$@"; do
    found=$(umbrella_header "$source")
    [[ ${found:-parts} != "$umbrella" ]] || sources+=("$source")
done
((${#sources[@]} > 0)) || { echo "FAILED: no program includes $umbrella"; exit 1; }

unit=$precompiled/corrected_$umbrella.cpp
{
    # Outside of the namespaces: where the programs include them again they are empty.
    sed -nE '/^#include </p' "${sources[@]}" | sort -u
    for i in "${!sources[@]}"; do
        printf 'namespace program_%d {\n#include "%s"\n}\n' "$i" "${sources[i]}"
    done
} >"$unit"
header=$precompiled/$umbrella.hpp
[[ $umbrella != parts ]] || header=$precompiled/xsimd.hpp
case $(basename "$compiler") in
clang*) flags+=(-include-pch "$header.gch") ;;
*) flags+=(-Winvalid-pch -Werror=invalid-pch -include "$header") ;;
esac
echo "${#sources[@]} programs: $compiler ${flags[*]} $unit"
if ! output=$("$compiler" "${flags[@]}" "$unit" 2>&1); then
    echo "FAILED: without ASHLAR_EXPECT_ERROR they must compile, but the compiler said:"
    head -n 40 <<<"$output"
    exit 1
fi
