#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source and looks at the inner loops of its object, as inner_loops.awk says. 77 means skipped.
# Nothing is run, so the instructions of the object may be others than those of this machine.
set -euo pipefail

usage='usage: check_inner_loops.sh <source> <object> <known findings> <name of the flags> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
known=${3?$usage}
flags_name=${4:?$usage}
compiler=${5:?$usage}
shift 5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LC_ALL=C
. "$here/reference_version.sh"
identify_compiler "$compiler"

compile_object "$source_file" "$object" "$compiler" "$@"
objdump -dr --no-show-raw-insn -M att "$object" >"$object.s"
awk -v known="$known" -v build="$family-$flags_name" -f "$here/inner_loops.awk" "$object.s" || fail_reference
