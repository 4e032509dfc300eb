#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs a program on a board without a system, which prints and ends by semihosting: <board> <program> [argument...]
set -euo pipefail

board=${1:?usage: semihosting.sh <board> <program> [argument...]}
program=${2:?usage: semihosting.sh <board> <program> [argument...]}
shift
printf -v arguments ',arg=%s' "$@"
exec qemu-system-arm -M "$board" -nographic -semihosting-config "enable=on,target=native$arguments" -kernel "$program" </dev/null
