#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the firmware for a board: an ELF file. Start-up, linker scripts and output are those of examples/gestures.
set -euo pipefail

usage="usage: build_firmware.sh <mps2-an386|mps3-an547> <output.elf> [flag...]"
board=${1:?$usage}
output=${2:?$usage}
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gestures=$here/../../gestures

case $board in
mps2-an386) processor=(-mcpu=cortex-m4 -mfpu=fpv4-sp-d16) clock=25000000u ;;
mps3-an547) processor=(-mcpu=cortex-m55) clock=32000000u ;;
*) echo "$usage" >&2; exit 2 ;;
esac
flags=("${processor[@]}" -mthumb -mfloat-abi=hard -std=gnu++20 -DNDEBUG "-DCLOCK_RATE=$clock" -fno-exceptions -fno-rtti
       -fno-threadsafe-statics -ffunction-sections -Wall -Wextra -Werror -I"$here/../../../include" -I"$gestures" "$@")

mkdir -p "$(dirname "$output")"
# The model for speed, all else for size.
arm-none-eabi-g++ "${flags[@]}" -O2 -c "$here/listener.cpp" -o "$output.listener.o"
arm-none-eabi-g++ "${flags[@]}" -Os -c "$here/program.cpp" -o "$output.program.o"
arm-none-eabi-g++ "${flags[@]}" -Os -c "$here/clock_cortex_m.cpp" -o "$output.clock.o"
arm-none-eabi-g++ "${flags[@]}" -Os -c "$gestures/board_cortex_m.cpp" -o "$output.board.o"
arm-none-eabi-g++ "${processor[@]}" -mthumb -mfloat-abi=hard -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--fatal-warnings \
    -L"$gestures" -T "$gestures/$board.ld" "$output".{board,program,listener,clock}.o -lgcc -o "$output"
