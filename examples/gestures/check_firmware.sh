#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the firmware for both boards, looks at its sizes and symbols, runs it in the emulator and compares classes and
# scores with those of the program on this machine. 77 means skipped.
set -euo pipefail

program=${1:?usage: check_firmware.sh <program> <folder of the images> <work folder>}
images=${2:?usage: check_firmware.sh <program> <folder of the images> <work folder>}
work=${3:?usage: check_firmware.sh <program> <folder of the images> <work folder>}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
compiler=arm-none-eabi-g++
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# By g++ 12: bytes of code, of all of the flash and of RAM, stack written to, and instructions, with a few per cent of margin.
declare -A most=([mps2-an386-code]=21750 [mps2-an386-flash]=74540 [mps2-an386-ram]=25630 [mps2-an386-stack]=3600 [mps2-an386-count]=360200
                 [mps3-an547-code]=17050 [mps3-an547-flash]=69760 [mps3-an547-ram]=25630 [mps3-an547-stack]=3600 [mps3-an547-count]=166800)
# An instruction takes 1 ns in the emulator; timers have 25 and 32 MHz.
declare -A quarters_per_tick=([mps2-an386]=160 [mps3-an547]=125)

if ! command -v "$compiler" >/dev/null || ! echo '#include <array>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: needs gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib"
    exit 77
fi
version=$("$compiler" -dumpversion)
at_most() {  # board, what, value
    echo "$1: $3 ${2/count/instructions}"
    (($3 <= most[$1-$2])) && return
    if [[ $version == 12.* ]]; then
        fail "$1: $2 is $3, more than ${most[$1-$2]}"
    else
        echo "g++ $version: more than ${most[$1-$2]}"
    fi
}

mkdir -p "$work"
"$program" >"$work/expected" || fail "the program on this machine ends with $?"
# The images of both, side by side.
for name in gestures_image gesture_recordings; do
    cp "$images/$name/$name.image" "$work/"
done

# scores_of <output>: class and scores, a line for each recording.
scores_of() {
    sed -n 's/^\([a-z ]*\):\([-0-9. ]*\); [0-9]* .*/\1\t\2/p' "$1"
}

for board in mps2-an386 mps3-an547; do
    firmware=$work/$board.elf
    bash "$here/build_firmware.sh" "$board" "$work" "$firmware" || { fail "$board: it cannot be built"; continue; }
    undefined=$(arm-none-eabi-nm -u "$firmware.program.o" "$firmware.recognizer.o" |
        awk 'NF == 2 && $2 !~ /^(memcpy|memset|__aeabi_.*|gestures_image|gesture_recordings|_ZN5board.*|_ZN8gestures9recognize.*)$/ { print $2 }')
    [[ -z $undefined ]] || fail "$board: the C library is called: ${undefined//$'\n'/ }"
    symbol() { echo $((16#$(arm-none-eabi-nm "$firmware" | sed -n "s/ [A-Za-z] $1\$//p"))); }
    at_most "$board" code $(($(symbol code_end) - $(symbol flash_begin)))
    at_most "$board" flash $(($(symbol flash_end) - $(symbol flash_begin)))
    at_most "$board" ram $(($(symbol bss_end) - $(symbol ram_begin)))
    if ! command -v qemu-system-arm >/dev/null; then
        echo "not run: needs qemu-system-arm"
        continue
    fi
    status=0
    timeout 60 qemu-system-arm -M "$board" -nographic -icount shift=0 -semihosting-config enable=on,target=native \
        -kernel "$firmware" </dev/null >"$work/$board.output" 2>&1 || status=$?
    cat "$work/$board.output"
    ((status == 0)) || fail "$board: exit code $status"
    paste <(scores_of "$work/expected") <(scores_of "$work/$board.output") | awk -F '\t' -v board="$board" '
        {
            count = split($2, here, " ")
            if ($1 != $3 || count != 6 || split($4, there, " ") != count) wrong = 1
            for (i = 1; i <= count; i++) {
                apart = here[i] - there[i]
                apart = apart < 0 ? -apart : apart
                most = apart > most ? apart : most
            }
        }
        END {
            printf "%s: %d recordings, scores off by at most %.5f\n", board, NR, most
            exit wrong || NR != 12 || most > 0.0001
        }' || fail "$board: not what the program on this machine says"
    at_most "$board" stack "$(sed -n 's/^stack: \([0-9]*\) of.*/\1/p' "$work/$board.output")"
    ticks=$(sed -n 's/.*; \([0-9]*\) ticks of the system timer$/\1/p' "$work/$board.output" | sort -n | tail -n 1)
    ((${ticks:-0} > 0)) || fail "$board: it does not say how long a recording takes"
    at_most "$board" count $((${ticks:-0} * quarters_per_tick[$board] / 4))
done
exit $((failures > 0))
