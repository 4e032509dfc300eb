#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source whose functions evaluate: its object may have these, the roots of stages and nothing else, as
# everything below a root is inlined into it. 77 means skipped.
set -euo pipefail

usage='usage: check_stages.sh <source> <object> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
compiler=${3:?$usage}
shift 3
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@"
functions=$(nm --defined-only "$object" | awk '$2 ~ /^[tTwW]$/ { print $3 }')
[[ -n $functions ]] || { echo "FAILED: the object has no functions"; exit 1; }
# detail::separate_stage<...>::run, detail::stack_run<...>::operator() and their like, and what stands above them.
roots='^_ZNK?6ashlar[0-9]v[0-9_]+detail(10assignment|13separate_pair|14separate_stage|9stack_run|13workspace_run|10run_staged|12run_in_tiles)I'
calls=$(grep -E '^_ZNK?6ashlar' <<<"$functions" | grep -vE "$roots" || true)
if [[ -n $calls ]]; then
    cut -c 1-150 <<<"$calls"
    echo "FAILED: $(wc -l <<<"$calls") functions of stages are calls. Does one that is ASHLAR_ALWAYS_INLINE call one that is" \
        "ASHLAR_STAGE_INLINE? (core/config.hpp)"
    fail_reference
fi
echo "$(wc -l <<<"$functions") functions, all of them roots"
