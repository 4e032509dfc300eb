#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Precompiles what many programs of tests/diagnostics begin with, for check_diagnostic.sh: <ashlar/ashlar.hpp>, and
# <xsimd/xsimd.hpp> for those that include parts of ashlar. Parsing them is most of the time of such a program.
set -euo pipefail

folder=${1:?usage: precompile_headers.sh <folder> <compiler> [flag...]}
compiler=${2:?usage: precompile_headers.sh <folder> <compiler> [flag...]}
shift 2
flags=()
for flag in "$@"; do
    [[ $flag == -fsyntax-only ]] || flags+=("$flag")
done

mkdir -p "$folder"
for header in ashlar xsimd; do
    echo "#include <$header/$header.hpp>" >"$folder/$header.hpp"
    # g++ looks for the suffix gch; clang is told the name.
    "$compiler" "${flags[@]}" -x c++-header "$folder/$header.hpp" -o "$folder/$header.hpp.gch"
done
