#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a file for a machine whose programs cannot be run here. 77 means skipped: this machine lacks the tools.
set -euo pipefail

usage='usage: check_compiles.sh <source> <compiler> [flag...]'
source_file=${1:?$usage}
compiler=${2:?$usage}
shift 2

command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler"; exit 77; }
if ! printf '#include <concepts>\n#include <cstdint>\n' | "$compiler" "$@" -x c++ -c - -o /dev/null 2>/dev/null; then
    echo "skipped: a file of two standard headers by $compiler $* does not compile here"
    exit 77
fi
echo "$compiler $* -c $source_file"
"$compiler" "$@" -c "$source_file" -o /dev/null
