#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Counts the templates of ours that a source instantiates, which its budget bounds. 77 means skipped.
#
# The same number in every run: clang records each instantiation with -ftime-trace, g++ dumps each class that it
# completes and each function that it keeps. Templates of others do not count, so that a standard library may change.
set -euo pipefail

usage='usage: check_instantiations.sh <source> <directory for the compiler> <budget> <compiler> [flag...]'
source_file=${1:?$usage}
directory=${2:?$usage}
budget=${3:?$usage}
compiler=${4:?$usage}
shift 4
. "$(dirname "${BASH_SOURCE[0]}")/../objects/reference_version.sh"
identify_compiler "$compiler"

rm -rf "$directory"
mkdir -p "$directory"
trap 'rm -rf "$directory"' EXIT
echo "$compiler $* $source_file"
case $family in
clang)
    "$compiler" "$@" -Xclang -fsyntax-only -ftime-trace="$directory/trace" -ftime-trace-granularity=0 -c "$source_file" \
        -o "$directory/none"
    traced() { { grep -oE '"name":"Instantiate'"$1"'","args":\{"detail":"ashlar::' "$directory/trace" || true; } | wc -l; }
    classes=$(traced Class)
    functions=$(traced Function)
    ;;
gcc)
    "$compiler" "$@" -fsyntax-only -fdump-lang-class="$directory/classes" -fdump-tree-original="$directory/functions" \
        "$source_file"
    classes=$(grep -cE '^Class ashlar::.*<' "$directory/classes") || true
    functions=$(grep -cE '^;; Function .*ashlar::.*\[with ' "$directory/functions") || true
    ;;
esac
count=$((classes + functions))
name=$(basename "$source_file" .cpp)
((count > 0)) || { echo "FAILED: $name: no template of ours is counted"; exit 1; }
echo "$name: $count instantiations ($classes of classes, $functions of functions); $budget are allowed"
((count * 10 < budget * 9)) && echo "better than allowed: lower the budget to 5% above"
((count <= budget)) || { echo "FAILED: $name: $count instantiations by $compiler, $((count - budget)) more than $budget"; fail_reference; }
