#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles the examples in the comments of headers as one unit; errors name the line of the header. What examples use
# without declaring it is in tests/docs/example_names.inc. With ASHLAR_DOCUMENTS=interop only those of the headers for
# other libraries, which the compiler then finds, else all others.
set -euo pipefail

root=${1:?usage: check_examples.sh <repository> <work directory> <compiler> [flag...]}
work=${2:?work directory}
compiler=${3:?compiler}
shift 3
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$work"
cd "$root"
names=tests/docs/example_names.inc
selection=(! -path '*/interop/*')
if [[ ${ASHLAR_DOCUMENTS-} == interop ]]; then
    names=tests/interop/example_names.inc
    selection=(-path '*/interop/*')
fi
mapfile -t headers < <(find include -name '*.hpp' "${selection[@]}" | LC_ALL=C sort)
awk -v unit="$work/examples.cpp" -f "$scripts/extract_examples.awk" "$names" "${headers[@]}"
"$compiler" "$@" "$work/examples.cpp" || { echo "FAILED: examples do not compile; the lines above name the header"; exit 1; }
