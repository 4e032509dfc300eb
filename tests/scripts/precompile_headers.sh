#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Precompiles what many programs of tests/diagnostics begin with, for check_diagnostic.sh: <ashlar/ashlar.hpp>,
# <ashlar/nn.hpp>, and what they include of xsimd for those that include parts of ashlar. Parsing them is most of the time of
# such a program.
set -euo pipefail

folder=${1:?usage: precompile_headers.sh <folder> <compiler> [flag...]}
compiler=${2:?usage: precompile_headers.sh <folder> <compiler> [flag...]}
shift 2
flags=()
for flag in "$@"; do
    [[ $flag == -fsyntax-only ]] || flags+=("$flag")
done

mkdir -p "$folder"
echo "#include <ashlar/ashlar.hpp>" >"$folder/ashlar.hpp"
echo "#include <ashlar/nn.hpp>" >"$folder/nn.hpp"
echo "#include <xsimd/types/xsimd_all_registers.hpp>" >"$folder/xsimd.hpp"
for header in ashlar nn xsimd; do
    # g++ looks for the suffix gch; clang is told the name.
    "$compiler" "${flags[@]}" -x c++-header "$folder/$header.hpp" -o "$folder/$header.hpp.gch"
done
