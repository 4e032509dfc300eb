#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs the program here, and on emulated processors where there is an emulator: it must choose what each of them has.
# 77 means skipped: this system does not list what its processor has.
set -euo pipefail

program=${1:?usage: check_choice.sh <program>}
[[ -r /proc/cpuinfo ]] || { echo "skipped: no /proc/cpuinfo"; exit 77; }
failures=0

# expect <variant> <command...>: the program ends well and says the variant's name first.
expect() {
    local wanted=$1 said
    shift
    if said=$("$@" 2>/dev/null) && [[ $said == "$wanted, "* ]]; then
        echo "$said"
    else
        echo "FAILED: expected $wanted, got: $said"
        failures=$((failures + 1))
    fi
}
# has <flag...>: whether this processor has them all.
has() {
    local flag
    for flag in "$@"; do
        grep -qw "$flag" /proc/cpuinfo || return 1
    done
}

here=sse2
if has avx2 fma bmi1 bmi2 f16c movbe abm; then here=avx2; fi
if [[ $here == avx2 ]] && has avx512f avx512bw avx512cd avx512dq avx512vl; then here=avx512; fi
expect "$here" "$program"

if grep -q __asan_init "$program"; then
    echo "skipped: the emulator has no room for AddressSanitizer's shadow memory"
elif command -v qemu-x86_64 >/dev/null; then
    expect sse2 qemu-x86_64 -cpu Nehalem "$program"
    expect avx2 qemu-x86_64 -cpu Haswell "$program"
fi
exit $((failures > 0))
