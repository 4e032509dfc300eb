#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_tidy.sh <root> <folder> <clang-tidy> <flag...>: checks the headers that users include by .clang-tidy.
set -euo pipefail
root=$1 unit=$2/every_header.cpp tidy=$3
shift 3

mkdir -p "$(dirname "$unit")"
cd "$root/include"
{
    find ashlar -maxdepth 2 -name '*.hpp' -exec grep -LE '#include <(Eigen|fmt|format>|omp|tbb|stdexec)' {} + | LC_ALL=C sort |
        sed 's/.*/#include <&>/'
    # What is not instantiated is not checked.
    echo 'int main() {'
    echo '    ashlar::tensor<float, 64, 32> q{}, k{}, v{}, o;'
    echo '    o = attention(q, k, v, ashlar::causal);'
    echo '}'
} >"$unit"
cd "$root"
"$tidy" --quiet --config-file=.clang-tidy "$unit" -- "$@" 2>&1 | { grep -vE '^[0-9]+ warnings? (generated|treated)' || true; }
