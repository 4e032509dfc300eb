#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Attention and an encoder layer on Cortex-M: sizes and undefined symbols of their objects, then a run in the emulator,
# which counts instructions. Neither may exceed what is written here. 77 means skipped.
set -euo pipefail

root=${1:?usage: check_cortex_m.sh <repository> <work folder>}
work=${2:?usage: check_cortex_m.sh <repository> <work folder>}
compiler=arm-none-eabi-g++
sources=$root/tests/objects
# No xsimd here: without SIMD the library does without.
flags=(-std=gnu++20 -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -fno-exceptions -fno-rtti
       -Wall -Wextra -Wdouble-promotion -I"$root/include" -DNDEBUG)

# Bytes of code by g++ 12, and instructions, each with a few per cent of margin.
declare -A most_bytes=([attend16-O2]=4700 [attend16-Os]=4680 [layer16-O2]=7300 [layer16-Os]=7168)
declare -A most_instructions=([full-O2]=26900 [full-Os]=26700 [causal-O2]=17200 [causal-Os]=18300
                              [layer-O2]=364000 [layer-Os]=364000)

if ! command -v "$compiler" >/dev/null || ! echo '#include <array>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: needs gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib"
    exit 77
fi
mkdir -p "$work"
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

for level in -Os -O2; do
    for unit in attend16 layer16; do
        object=$work/$unit$level.o
        "$compiler" "${flags[@]}" "$level" -c "$sources/$unit.cpp" -o "$object"
        read -r text data bss _ < <(arm-none-eabi-size "$object" | tail -n 1)
        undefined=$(arm-none-eabi-nm -u "$object" | awk '{ print $NF }' | tr '\n' ' ')
        echo "$unit $level: $text bytes of code, $data + $bss of data; undefined: ${undefined:-nothing}"
        for symbol in $undefined; do
            [[ $symbol == memcpy || $symbol == memset ]] || fail "$symbol is undefined"
        done
        ((data + bss == 0)) || fail "the object has writable data"
        ((text <= most_bytes[$unit$level])) || fail "more than ${most_bytes[$unit$level]} bytes of code"
    done
done

if ! command -v qemu-system-arm >/dev/null; then
    echo "not run: needs qemu-system-arm"
    exit $((failures > 0))
fi
for level in -Os -O2; do
    program=$work/cortex_m$level.elf
    "$compiler" "${flags[@]}" "$level" -c "$sources/plain_loops.cpp" -o "$work/plain_loops$level.o"
    [[ -e $work/cortex_m.o && $level != -Os ]] ||
        "$compiler" "${flags[@]}" -Os -c "$sources/cortex_m.cpp" -o "$work/cortex_m.o"
    "$compiler" "${flags[@]}" "$work"/{cortex_m,attend16$level,layer16$level,plain_loops$level}.o -o "$program" \
        --specs=nano.specs --specs=rdimon.specs -Wl,--section-start=.vectors=0 -Wl,-u,vectors
    echo "run: $level"
    status=0
    timeout 120 qemu-system-arm -M mps2-an386 -nographic -icount shift=0 -semihosting-config enable=on,target=native \
        -kernel "$program" </dev/null >"$work/counts$level" || status=$?
    cat "$work/counts$level"
    ((status == 0)) || fail "exit code $status"
    for what in full causal layer; do
        count=$(sed -n "s/^$what: \([0-9]*\) instructions.*/\1/p" "$work/counts$level")
        [[ -n $count ]] || fail "no count of $what"
        ((${count:-0} <= most_instructions[$what$level])) ||
            fail "$what takes more than ${most_instructions[$what$level]} instructions"
    done
done
exit $((failures > 0))
