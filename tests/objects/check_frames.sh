#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source and looks at the stack of its functions: those called room_for_one_* may take so many bytes, those that
# return what the former have room for next to none. 77 means skipped.
set -euo pipefail

usage='usage: check_frames.sh <source> <object> <limit> <limit of others> <names of others, a regular expression> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
limit=${3:?$usage}
limit_of_others=${4:?$usage}
others=${5:?$usage}
compiler=${6:?$usage}
shift 6
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@" -fstack-usage
# A line is file:line[:column]:function, bytes and how they are counted; clang's names are mangled.
frames=$(c++filt <"${object%.o}.su" | awk -F'\t' '{ print $2, $1 }' | sort -rn)
callers=$(grep -E '[: ]room_for_one_' <<<"$frames" || true)
[[ -n $callers ]] || { echo "FAILED: no function is called room_for_one_*"; exit 1; }
returning=$(grep -vE '[: ]room_for_one_' <<<"$frames" | grep -E "$others" || true)
printf '%s\n' "$callers" "$returning" | cut -c 1-150
wrong=$(awk -v limit="$limit" '$1 > limit' <<<"$callers"; awk -v limit="$limit_of_others" '$1 > limit' <<<"$returning")
[[ -z $wrong ]] || { printf 'FAILED: more than %s bytes, or %s in what returns a result:\n%s\n' "$limit" "$limit_of_others" "$wrong"; fail_reference; }
