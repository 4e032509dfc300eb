#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source; the functions of its object may take so many bytes together. 77 means skipped.
set -euo pipefail

usage='usage: check_code_size.sh <source> <object> <limit> <goal> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
limit=${3:?$usage}
goal=${4:?$usage}
compiler=${5:?$usage}
shift 5
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@"
functions=$(nm -S -t d --size-sort -r --defined-only "$object" | awk '$3 ~ /^[tTwW]$/ { print $2 + 0, $4 }')
[[ -n $functions ]] || { echo "FAILED: the object has no functions"; exit 1; }
cut -c 1-150 <<<"$functions"
bytes=$(awk '{ sum += $1 } END { print sum }' <<<"$functions")
echo "$bytes bytes of code; $limit are allowed, the goal is $goal"
((bytes * 11 < limit * 10)) && echo "better than allowed: lower the limit to 5% above"
((bytes <= limit)) || { echo "FAILED: more than $limit bytes"; fail_reference; }
