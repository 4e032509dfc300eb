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
flags=(-std=gnu++20 -mthumb -mfloat-abi=hard -fno-exceptions -fno-rtti -Wall -Wextra -Wdouble-promotion
       -I"$root/include" -DNDEBUG)
declare -A processor=([m4f]="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16" [m55]="-mcpu=cortex-m55")
declare -A machine=([m4f]=mps2-an386 [m55]=mps3-an547)
declare -A layout=([m4f]="-Wl,--section-start=.vectors=0"
                   [m55]="-Wl,--section-start=.vectors=0x10000000 -Wl,-Ttext-segment=0x10001000 -Wl,-Tdata=0x30000000")

# Bytes of code by g++ 12, instructions and bytes of stack, each with a few per cent of margin.
declare -A most=([m4f-O2-attend16]=5700 [m4f-Os-attend16]=4680 [m4f-O2-layer16]=9950 [m4f-Os-layer16]=7168
                 [m4f-O2-full]=23400 [m4f-Os-full]=24200 [m4f-O2-causal]=15200 [m4f-Os-causal]=16700
                 [m4f-O2-layer]=327000 [m4f-Os-layer]=354000
                 [m4f-O2-attend64]=927000 [m4f-O2-attend64-rounding]=129800
                 [m4f-Os-attend64]=1137000 [m4f-Os-attend64-rounding]=132800
                 [m4f-O2-row64]=7200 [m4f-O2-row256]=95800 [m4f-O2-rows16]=98800 [m4f-O2-int4row64]=19180
                 [m4f-O2-int4row256]=293200 [m4f-O2-int4rows16]=174800 [m4f-O2-conv1x1first]=729000
                 [m4f-O2-conv3x3first]=1199100
                 [m4f-O2-conv10x4first]=515600 [m4f-O2-conv1x1last]=721800 [m4f-O2-conv3x3last]=1198900
                 [m4f-O2-conv10x4last]=513900
                 [m4f-Os-row64]=7780 [m4f-Os-row256]=106000 [m4f-Os-rows16]=99420 [m4f-Os-int4row64]=19760
                 [m4f-Os-int4row256]=290800 [m4f-Os-int4rows16]=205000 [m4f-Os-conv1x1first]=742500
                 [m4f-Os-conv3x3first]=1224200
                 [m4f-Os-conv10x4first]=521000 [m4f-Os-conv1x1last]=735300 [m4f-Os-conv3x3last]=1367400
                 [m4f-Os-conv10x4last]=519500
                 [m55-O2-attend16]=3580 [m55-Os-attend16]=3720 [m55-O2-layer16]=6010 [m55-Os-layer16]=5370
                 [m55-O2-full]=9850 [m55-Os-full]=11300 [m55-O2-causal]=7850 [m55-Os-causal]=10080
                 [m55-O2-layer]=147000 [m55-Os-layer]=147400
                 [m55-O2-attend64]=220000 [m55-O2-attend64-rounding]=43700
                 [m55-Os-attend64]=279500 [m55-Os-attend64-rounding]=51100
                 [m55-O2-row64]=1490 [m55-O2-row256]=20380 [m55-O2-rows16]=19010 [m55-O2-int4row64]=5460
                 [m55-O2-int4row256]=73870 [m55-O2-int4rows16]=80660 [m55-O2-conv1x1first]=214600
                 [m55-O2-conv3x3first]=240800
                 [m55-O2-conv10x4first]=181100 [m55-O2-conv1x1last]=169300 [m55-O2-conv3x3last]=228750
                 [m55-O2-conv10x4last]=161500
                 [m55-Os-row64]=1820 [m55-Os-row256]=24730 [m55-Os-rows16]=21190 [m55-Os-int4row64]=5460
                 [m55-Os-int4row256]=77120 [m55-Os-int4rows16]=89370 [m55-Os-conv1x1first]=312900
                 [m55-Os-conv3x3first]=312700
                 [m55-Os-conv10x4first]=261800 [m55-Os-conv1x1last]=195400 [m55-Os-conv3x3last]=279300
                 [m55-Os-conv10x4last]=202700)
declare -A most_stack=([m4f-full]=1500 [m4f-causal]=1530 [m4f-layer]=13670
                       [m55-full]=2720 [m55-causal]=2810 [m55-layer]=14000)

if ! command -v "$compiler" >/dev/null || ! echo '#include <array>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: needs gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib"
    exit 77
fi
mkdir -p "$work"
failures=0
version=$("$compiler" -dumpversion)
# Limits are those of one compiler; by others they are said to be exceeded, and no more.
too_much() {
    if [[ $version == 12.* ]]; then
        fail "$1"
    else
        echo "g++ $version: $1"
    fi
}
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

objects_of() {  # processor, level
    local unit object text data bss undefined symbol
    for unit in attend16 layer16; do
        object=$work/$unit-$1$2.o
        # shellcheck disable=SC2086
        "$compiler" "${flags[@]}" ${processor[$1]} "$2" -c "$sources/$unit.cpp" -o "$object"
        read -r text data bss _ < <(arm-none-eabi-size "$object" | tail -n 1)
        undefined=$(arm-none-eabi-nm -u "$object" | awk '{ print $NF }' | tr '\n' ' ')
        echo "$1 $2 $unit: $text bytes of code, $data + $bss of data; undefined: ${undefined:-nothing}"
        for symbol in $undefined; do
            [[ $symbol == memcpy || $symbol == memset ]] || fail "$symbol is undefined"
        done
        ((data + bss == 0)) || fail "the object has writable data"
        ((text <= most[$1$2-$unit])) || too_much "more than ${most[$1$2-$unit]} bytes of code"
    done
}

run() {  # processor, level
    local program=$work/cortex-$1$2.elf output=$work/counts-$1$2 status=0 what count stack
    # shellcheck disable=SC2086
    {
        "$compiler" "${flags[@]}" ${processor[$1]} "$2" -c "$sources/plain_loops.cpp" -o "$work/plain_loops-$1$2.o"
        [[ $2 != -Os ]] ||
            "$compiler" "${flags[@]}" ${processor[$1]} -Os -c "$sources/cortex_m.cpp" -o "$work/cortex_m-$1.o"
        "$compiler" "${flags[@]}" ${processor[$1]} "$work"/{cortex_m-"$1",attend16-"$1$2",layer16-"$1$2"}.o \
            "$work/plain_loops-$1$2.o" -o "$program" --specs=nano.specs --specs=rdimon.specs ${layout[$1]} \
            -Wl,-u,vectors
    }
    timeout 120 qemu-system-arm -M "${machine[$1]}" -nographic -icount shift=0 \
        -semihosting-config enable=on,target=native -kernel "$program" </dev/null >"$output" 2>&1 || status=$?
    sed "s/^/$1 $2 /" "$output"
    ((status == 0)) || fail "exit code $status"
    for what in full causal layer; do
        read -r count stack < <(sed -n "s/^$what: \([0-9]*\) instructions, \([0-9]*\) bytes of stack.*/\1 \2/p" "$output") ||
            fail "no count of $what"
        ((${count:-0} <= most[$1$2-$what])) || too_much "$what takes more than ${most[$1$2-$what]} instructions"
        ((${stack:-0} <= most_stack[$1-$what])) || too_much "$what takes more than ${most_stack[$1-$what]} bytes of stack"
    done
}

# Products and convolutions with matrices in 8 and in 4 bits: exact, and not by plain loops, which take five times as
# many instructions. The static arrays of a Cortex-M55 do not fit its fastest memory.
bytes() {  # processor, level
    local program=$work/cortex_m_bytes-$1$2.elf output=$work/byte_counts-$1$2 status=0 what count
    # shellcheck disable=SC2086
    "$compiler" "${flags[@]}" ${processor[$1]} "$2" "$sources/cortex_m_bytes.cpp" -o "$program" \
        --specs=nano.specs --specs=rdimon.specs ${layout[$1]/Tdata=0x3/Tdata=0x6} -Wl,-u,vectors
    timeout 120 qemu-system-arm -M "${machine[$1]}" -nographic -icount shift=0 \
        -semihosting-config enable=on,target=native -kernel "$program" </dev/null >"$output" 2>&1 || status=$?
    sed "s/^/$1 $2 /" "$output"
    ((status == 0)) || fail "exit code $status"
    for what in {,int4}{row64,row256,rows16} conv{1x1,3x3,10x4}{first,last} attend64{,-rounding}; do
        count=$(sed -n "s/^$what: \([0-9]*\) instructions.*/\1/p" "$output")
        [[ -n $count ]] || fail "no count of $what"
        ((${count:-0} <= most[$1$2-$what])) || too_much "$what takes more than ${most[$1$2-$what]} instructions"
    done
}

# Lanes and expressions beside what they are in constant expressions, and beside plain loops.
values() {  # processor, source, level
    local program=$work/$2-$1$3.elf status=0
    # shellcheck disable=SC2086
    "$compiler" "${flags[@]}" ${processor[$1]} "$3" -Wno-psabi -fconstexpr-ops-limit=200000000 "$sources/$2.cpp" \
        -o "$program" --specs=nano.specs --specs=rdimon.specs ${layout[$1]} -Wl,-u,vectors
    timeout 120 qemu-system-arm -M "${machine[$1]}" -nographic -icount shift=0 \
        -semihosting-config enable=on,target=native -kernel "$program" </dev/null 2>&1 | sed "s/^/$1 $3 /" || status=$?
    ((status == 0)) || fail "exit code $status"
}

emulated=1
command -v qemu-system-arm >/dev/null || emulated=0
for cpu in m4f m55; do
    for level in -Os -O2; do
        objects_of "$cpu" "$level"
        ((!emulated)) || run "$cpu" "$level"
        ((!emulated)) || bytes "$cpu" "$level"
    done
    ((emulated)) || continue
    values "$cpu" cortex_m_values -O2
done
# Vectors of a Cortex-M55. What a compiler makes of them depends on the level.
for level in -O1 -O2; do
    ((!emulated)) || values m55 cortex_m_loops "$level"
done
((emulated)) || echo "not run: needs qemu-system-arm"
exit $((failures > 0))
