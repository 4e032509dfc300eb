#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Links units built for plain x86-64 and for AVX2, with other macros and optimisation, in both orders, and runs them: the
# program `mixed` has expressions, `mixed_models` models of the user's own that pass between the units, files and images.
# No function that two units share may hold AVX code: a machine without AVX could get that copy. 77 means skipped.
set -euo pipefail

usage='usage: check_mixed.sh <mixed or mixed_models> <its folder> <work folder> <compiler> [flag...]'
program=${1:?$usage}
sources=${2:?$usage}
work=${3:?$usage}
compiler=${4:?$usage}
shift 4
failures=0

grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "skipped: this processor has no AVX2"; exit 77; }
mkdir -p "$work"
units=(narrow narrow_unoptimised wide wide_unoptimised)
unit() { # <name> <flag...>
    local name=$1
    shift
    "$compiler" -std=c++20 "$@" -DMIXED_UNIT="$name" -c "$sources/${program}_unit.cpp" -o "$work/${program}_$name.o"
}
unit narrow -O2 -DNDEBUG "$@"
unit narrow_unoptimised -O0 -DASHLAR_STACK_BUDGET=131072 "$@"
unit wide -O2 -mavx2 -mfma -DASHLAR_CHECKS=1 "$@"
unit wide_unoptimised -O0 -mavx2 -mfma -DNDEBUG -DASHLAR_L1_BYTES=16384 "$@"

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
"$compiler" -std=c++20 -O1 "$@" -c "$sources/$program.cpp" -o "$work/${program}_main.o"
objects=("${units[@]/#/$work/${program}_}")
objects=("${objects[@]/%/.o}")
"$compiler" "${objects[@]}" "$work/${program}_main.o" -o "$work/${program}_narrow_first"
"$compiler" "${objects[3]}" "${objects[2]}" "${objects[1]}" "${objects[0]}" "$work/${program}_main.o" -o "$work/${program}_wide_first"
for order in narrow_first wide_first; do
    echo "$program, $order:"
    "$work/${program}_$order" "$work" || fail "exit code $?"
    if command -v qemu-x86_64 >/dev/null; then
        echo "$program, $order, its narrow units on an emulated processor without AVX:"
        qemu-x86_64 -cpu Nehalem "$work/${program}_$order" "$work" narrow 2>/dev/null || fail "exit code $?"
    else
        echo "skipped: there is no qemu-x86_64 to run the narrow units without AVX"
    fi
done

# Weak functions of the unit that hold instructions with a VEX prefix or the registers that came with it.
avx_functions() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
        /\tv[a-z]|[yz]mm[0-9]/ { avx[name] = 1 }
        END { for (name in avx) print name }' | sort
}
weak_symbols() { nm "$1" | awk '$2 ~ /^[WVu]$/ { print $3 }' | sort; }
for wide_unit in wide wide_unoptimised; do
    weak_avx=$(comm -12 <(weak_symbols "$work/${program}_$wide_unit.o") <(avx_functions "$work/${program}_$wide_unit.o"))
    for narrow_unit in narrow narrow_unoptimised; do
        shared=$(comm -12 <(weak_symbols "$work/${program}_$narrow_unit.o") - <<<"$weak_avx" | c++filt)
        if [[ -n $shared ]]; then
            fail "$program: $narrow_unit and $wide_unit share functions that hold AVX code:"
            cut -c 1-300 <<<"$shared" | sed 's/^/    /'
        fi
    done
done
exit $((failures > 0))
