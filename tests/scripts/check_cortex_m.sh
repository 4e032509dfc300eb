#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Attention on a Cortex-M4: the object's size and undefined symbols, then a run in the emulator. 77 means skipped.
set -euo pipefail

root=${1:?usage: check_cortex_m.sh <repository> <work folder>}
work=${2:?usage: check_cortex_m.sh <repository> <work folder>}
compiler=arm-none-eabi-g++
sources=$root/tests/objects
# No xsimd here: without SIMD the library does without.
flags=(-std=gnu++20 -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -fno-exceptions -fno-rtti
       -Wall -Wextra -Wdouble-promotion -I"$root/include" -DNDEBUG)

if ! command -v "$compiler" >/dev/null || ! echo '#include <array>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: needs gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib"
    exit 77
fi
mkdir -p "$work"
failures=0
for level in -Os -O2; do
    object=$work/attend16$level.o
    "$compiler" "${flags[@]}" "$level" -c "$sources/attend16.cpp" -o "$object"
    read -r text data bss _ < <(arm-none-eabi-size "$object" | tail -n 1)
    undefined=$(arm-none-eabi-nm -u "$object" | awk '{ print $NF }' | tr '\n' ' ')
    echo "attention 16x16, full and causal, $level: $text bytes of code, $data + $bss of data; undefined: ${undefined:-nothing}"
    for symbol in $undefined; do
        [[ $symbol == memcpy || $symbol == memset ]] || { echo "FAILED: $symbol is undefined"; failures=$((failures + 1)); }
    done
    ((data + bss == 0)) || { echo "FAILED: the object has writable data"; failures=$((failures + 1)); }
done

if ! command -v qemu-system-arm >/dev/null; then
    echo "not run: needs qemu-system-arm"
    exit $((failures > 0))
fi
for level in -Os -O2; do
    program=$work/cortex_m$level.elf
    "$compiler" "${flags[@]}" "$level" "$sources/cortex_m.cpp" "$work/attend16$level.o" -o "$program" \
        --specs=nano.specs --specs=rdimon.specs -Wl,--section-start=.vectors=0 -Wl,-u,vectors
    echo "run: $level"
    timeout 120 qemu-system-arm -M mps2-an386 -nographic -icount shift=0 -semihosting-config enable=on,target=native \
        -kernel "$program" </dev/null || { echo "FAILED: exit code $?"; failures=$((failures + 1)); }
done
exit $((failures > 0))
