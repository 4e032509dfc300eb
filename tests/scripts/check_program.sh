#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a program and runs it, by an emulator where one is given. 77 means skipped: this machine lacks the tools.
set -euo pipefail

usage='usage: check_program.sh <source> <program> <emulator and its options, or ""> <compiler> [flag...]'
source_file=${1:?$usage}
program=${2:?$usage}
read -r -a emulator <<<"${3?$usage}"
compiler=${4:?$usage}
shift 4

for tool in "$compiler" "${emulator[@]:0:1}"; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
mkdir -p "$(dirname "$program")"
if ! printf '#include <cstdio>\nint main() { std::puts(""); }\n' | "$compiler" "$@" -x c++ - -o "$program" 2>/dev/null ||
    ! "${emulator[@]}" "$program" >/dev/null 2>&1; then
    echo "skipped: an empty program by $compiler $* does not build or run here"
    exit 77
fi

echo "$compiler $* $source_file"
"$compiler" "$@" "$source_file" -o "$program"
echo "run: ${emulator[*]} $program"
"${emulator[@]}" "$program"
