#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the firmware for a board: two images in, an ELF file out. What is linked beside it is libgcc, no C library.
set -euo pipefail

usage="usage: build_firmware.sh <mps2-an386|mps3-an547> <folder with the images> <output.elf> [flag...]"
board=${1:?$usage}
images=${2:?$usage}
output=${3:?$usage}
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case $board in
mps2-an386) processor=(-mcpu=cortex-m4 -mfpu=fpv4-sp-d16) ;;
mps3-an547) processor=(-mcpu=cortex-m55) ;;
*) echo "$usage" >&2; exit 2 ;;
esac
flags=("${processor[@]}" -mthumb -mfloat-abi=hard -std=gnu++20 -DNDEBUG -fno-exceptions -fno-rtti -fno-threadsafe-statics
       -ffunction-sections -Wall -Wextra -Werror -I"$here/../../include" "$@")

mkdir -p "$(dirname "$output")"
# The model for speed, all else for size.
arm-none-eabi-g++ "${flags[@]}" -O2 -c "$here/recognizer.cpp" -o "$output.recognizer.o"
arm-none-eabi-g++ "${flags[@]}" -Os -c "$here/program.cpp" -o "$output.program.o"
arm-none-eabi-g++ "${flags[@]}" -Os -c "$here/board_cortex_m.cpp" -o "$output.board.o"
arm-none-eabi-gcc "${processor[@]}" -mthumb -mfloat-abi=hard -Wa,-I"$images" -c "$here/images.S" -o "$output.images.o"
arm-none-eabi-g++ "${processor[@]}" -mthumb -mfloat-abi=hard -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--fatal-warnings \
    -L"$here" -T "$here/$board.ld" -Wl,-Map="$output.map" "$output".{board,program,recognizer,images}.o -lgcc -o "$output"
