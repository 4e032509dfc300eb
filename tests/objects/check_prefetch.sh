#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source whose products have packed weights: it must ask for them ahead, and into the second cache, as a panel
# of them may be larger than the first. 77 means skipped.
set -euo pipefail

usage='usage: check_prefetch.sh <source> <object> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
compiler=${3:?$usage}
shift 3
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@"
asked=$(objdump -d --no-show-raw-insn "$object" | grep -oE 'prefetch[a-z0-9]+' | sort | uniq -c || true)
echo "$asked"
[[ $asked == *prefetcht1* ]] || { echo "FAILED: weights are not asked for ahead"; exit 1; }
[[ $asked != *prefetcht0* ]] || { echo "FAILED: weights are asked into the first cache"; exit 1; }
