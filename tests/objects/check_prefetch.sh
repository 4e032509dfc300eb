#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source whose products have weights that stay in no cache: it must ask for them ahead, in so many places, and
# into the second cache, as a panel of them may be larger than the first. 77 means skipped.
set -euo pipefail

usage='usage: check_prefetch.sh <source> <places> <object> <compiler> [flag...]'
source_file=${1:?$usage}
places=${2:?$usage}
object=${3:?$usage}
compiler=${4:?$usage}
shift 4
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@"
asked=$(objdump -d --no-show-raw-insn "$object" | grep -oE 'prefetch[a-z0-9]+' | sort | uniq -c || true)
echo "$asked"
found=$(awk '$2 == "prefetcht1" { print $1 }' <<<"$asked")
((${found:-0} >= places)) || { echo "FAILED: weights are prefetched in ${found:-0} places, not $places"; exit 1; }
[[ $asked != *prefetcht0* ]] || { echo "FAILED: weights are prefetched into the first cache"; exit 1; }
