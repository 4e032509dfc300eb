#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the firmware for both boards, runs it in the emulator, and compares its results with those of the program on this
# machine. No block may be late, and a block has a bound. 77 means skipped.
set -euo pipefail

usage="usage: check_firmware.sh <program> <work folder>"
program=${1:?$usage}
work=${2:?$usage}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
compiler=arm-none-eabi-g++
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# By g++ 12: ticks of the longest block, of 25 and 32 MHz, with a few per cent of margin. The emulator takes 1 ns for an instruction.
declare -A most=([mps2-an386]=945 [mps3-an547]=680)

if ! command -v "$compiler" >/dev/null || ! echo '#include <array>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: needs gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib"
    exit 77
fi
mkdir -p "$work"
"$program" >"$work/expected" || fail "the program on this machine ends with $?"
results_of() { sed -n 's/^result [0-9]*: \([0-9]*\)$/\1/p' "$1"; }

for board in mps2-an386 mps3-an547; do
    firmware=$work/$board.elf
    bash "$here/build_firmware.sh" "$board" "$firmware" || { fail "$board: it cannot be built"; continue; }
    undefined=$(arm-none-eabi-nm -u "$firmware.listener.o" |
        awk 'NF == 2 && $2 !~ /^(memcpy|memmove|memset|__aeabi_.*|_ZN8firmware5ticksEv)$/ { print $2 }')
    [[ -z $undefined ]] || fail "$board: the C library is called: ${undefined//$'\n'/ }"
    if ! command -v qemu-system-arm >/dev/null; then
        echo "not run: needs qemu-system-arm"
        continue
    fi
    status=0
    timeout 60 qemu-system-arm -M "$board" -nographic -icount shift=0 -semihosting-config enable=on,target=native \
        -kernel "$firmware" </dev/null >"$work/$board.output" 2>&1 || status=$?
    sed -n '/^blocks/,$p' "$work/$board.output"
    ((status == 0)) || fail "$board: exit code $status"
    paste <(results_of "$work/expected") <(results_of "$work/$board.output") | awk -v board="$board" '
        { apart = $1 - $2; apart = apart < 0 ? -apart : apart; most = apart > most ? apart : most; seen[$1] = 1 }
        END {
            for (value in seen) different++
            printf "%s: %d results, off by at most %d millionths\n", board, NR, most
            exit NR != 10 || most > 20 || different < 8
        }' || fail "$board: not what the program on this machine says"
    grep -q '^blocks: 200, too late: 0$' "$work/$board.output" || fail "$board: a block is late"
    longest=$(sed -n 's/^a block: .*, most \([0-9]*\) .*/\1/p' "$work/$board.output")
    ((${longest:-0} > 0)) || fail "$board: it does not say how long a block takes"
    if ((${longest:-0} > most[$board])); then
        [[ $("$compiler" -dumpversion) == 12.* ]] && fail "$board: a block takes $longest ticks, more than ${most[$board]}"
    fi
done
exit $((failures > 0))
