#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Checks the include table of the layers and the rules of every source file; prints file:line for each violation.
set -euo pipefail

root=$(cd "${1:?usage: check_files.sh <repository>}" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"

candidates=()
for path in include tests examples bench cmake docs modules packaging tools .ci run CMakeLists.txt; do
    [[ -e $path ]] && candidates+=("$path")
done
mapfile -t files < <(find "${candidates[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cppm' -o -name '*.h' -o -name '*.cmake' \
    -o -name '*.in' -o -name 'CMakeLists.txt' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name run \) \
    ! -name '*.pc.in' | LC_ALL=C sort)
if ((${#files[@]} == 0)); then
    echo "no source files in $root" >&2
    exit 1
fi
echo "${#files[@]} files"
status=0
# A file without a byte is what a failed redirection leaves.
while IFS= read -r file; do
    echo "${file#./}:1: it is empty"
    status=1
done < <(find . "${candidates[@]}" -maxdepth 1 -type f -empty)
# The documents call programs by their paths.
for file in "${files[@]}"; do
    if [[ ! -x $file && $file == @(tools/*|run) && $(head -c 2 "$file") == '#!' ]]; then
        echo "$file:1: it begins with #!, but is not executable: chmod +x"
        status=1
    fi
done
((status == 0)) || exit 1
# The names that users' macros may have are those that are hidden from xsimd.
hidden=$(sed -n 's/^#undef //p' include/ashlar/kernel/simd/hidden_macros.hpp | tr '\n' ' ')
version=v$(sed -nE 's/^#define ASHLAR_VERSION_(MAJOR|MINOR) ([0-9]+)$/\2/p' include/ashlar/core/config.hpp | paste -s -d _ -)
awk -v hidden="$hidden" -v version="$version" -f "$scripts/check_files.awk" "${files[@]}"
