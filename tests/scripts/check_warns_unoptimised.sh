#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_warns_unoptimised.sh <source> <compiler...>: a unit without optimisation gets one warning, also with -Werror; none
# where it is optimised or asked to be silent.
set -euo pipefail
source=$1
shift
object=$(mktemp)
trap 'rm -f "$object"' EXIT

# warnings <option...>: how many a compilation prints.
warnings() { "${compiler[@]}" -c "$source" -o "$object" -Wall -Wextra -Werror "$@" 2>&1 | tee /dev/stderr | grep -c 'warning: .*ashlar: this unit' || true; }
expect() {
    local wanted=$1 found
    shift
    found=$(warnings "$@")
    [[ $found == "$wanted" ]] || { echo "$* : $found warnings, not $wanted" >&2; exit 1; }
}
compiler=("$@")
expect 1
expect 0 -O1
expect 0 -DASHLAR_UNOPTIMIZED
expect 0 -fsyntax-only
