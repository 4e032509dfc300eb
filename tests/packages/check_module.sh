#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles the module `ashlar`, a unit that imports it and one that includes the headers, and runs their program. 77 means
# skipped.
set -euo pipefail

usage='usage: check_module.sh <checkout> <folder of its own> <clang> <include path of xsimd>'
root=${1:?$usage} work=${2:?$usage} compiler=${3:?$usage} xsimd=${4:?$usage}
command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler"; exit 77; }

flags=(-std=c++20 -O1)
! grep -qw avx2 /proc/cpuinfo || flags+=(-mavx2 -mfma)
headers=("-I$root/include" -isystem "$xsimd")
rm -rf "$work"
mkdir -p "$work"
"$compiler" "${flags[@]}" "${headers[@]}" -Wno-include-angled-in-module-purview -Werror --precompile "$root/modules/ashlar.cppm" \
    -o "$work/ashlar.pcm"
"$compiler" "${flags[@]}" -Werror "-fmodule-file=ashlar=$work/ashlar.pcm" -c "$root/tests/packages/module/main.cpp" -o "$work/main.o"
"$compiler" "${flags[@]}" "${headers[@]}" -c "$root/tests/consumer/sources/other.cpp" -o "$work/other.o"
"$compiler" -c "$work/ashlar.pcm" -o "$work/ashlar.o"
"$compiler" "$work/main.o" "$work/other.o" "$work/ashlar.o" -o "$work/program"
"$work/program"
echo passed
