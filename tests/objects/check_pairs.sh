#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles products of bf16 for a machine that multiplies two at a time, and of bytes, for which AArch64 multiplies pairs
# of rows. Looks at the innermost loops that multiply: all have such an instruction, none that of floats or of single rows,
# and none reads or writes the stack by its pointer. 77 means skipped.
# Nothing is run, so the machine may be another than this one.
set -euo pipefail

usage='usage: check_pairs.sh <source> <object> <objdump> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
objdump=${3:?$usage}
compiler=${4:?$usage}
shift 4
for tool in "$objdump" "$compiler"; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
. "$(dirname "${BASH_SOURCE[0]}")/reference_version.sh"

compile_object "$source_file" "$object" "$compiler" "$@"
"$objdump" -d --no-show-raw-insn "$object" | awk '
    # A loop is what lies between a jump back and its target; it is innermost if no other jump back lies in it.
    function examine(    n, m, text, pairs, singles, stack, from, inner) {
        for (n = 1; n <= count; n++) {
            if (!(n in back)) continue
            from = back[n]
            inner = 1
            for (m = from; m < n; m++) if (m in back && back[m] >= from) inner = 0
            if (!inner) continue
            pairs = singles = stack = 0
            for (m = from; m <= n; m++) {
                text = code[m]
                if (text ~ /^(bfdot|vdpbf16ps|smmla)/) ++pairs
                if (text ~ /^(fmla|vfn?m(add|sub)[1-3]+ps|sdot|smull)/) ++singles
                if (text ~ /\[sp|\(%rsp\)/) ++stack
            }
            if (pairs + singles == 0) continue
            ++loops
            printf "%d instructions, %d of pairs, %d others that multiply, %d of the stack: %s\n", n - from + 1, pairs,
                   singles, stack,
                   substr(name, 1, 120)
            if (singles != 0 || stack != 0) ++bad
        }
        count = 0
        split("", at)
        split("", back)
    }
    /^[0-9a-f]+ <.*>:$/ { examine(); name = $2; next }
    /^ *[0-9a-f]+:\t/ {
        address = $1
        sub(/:$/, "", address)
        text = $0
        sub(/^[^\t]*\t/, "", text)
        code[++count] = text
        at[address] = count
        if (text ~ /^(b\.|b[ \t]|cbn?z|tbn?z|j)/ && match(text, /[0-9a-f]+ </)) {
            to = substr(text, RSTART, RLENGTH - 2)
            if (to in at) back[count] = at[to]
        }
    }
    END {
        examine()
        if (!loops) print "FAILED: no loop that multiplies was found"
        if (bad) print "FAILED: " bad " loops that multiply otherwise, or use the stack"
        exit !loops || bad > 0
    }'
