#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compiles a source without and with optimisation: nothing may run before main or on first use, nothing large may lie in
# the file as zeros, and making a cache may not clear its memory.
set -euo pipefail

usage='usage: check_static_objects.sh <source> <object> <compiler> [flag...]'
source_file=${1:?$usage}
object=${2:?$usage}
compiler=${3:?$usage}
shift 3
failures=0

complain() {
    echo "FAILED: $1"
    c++filt <<<"$2" | head -20 | sed 's/^/    /'
    failures=$((failures + 1))
}

mkdir -p "$(dirname "$object")"
for level in -O0 -O2; do
    echo "$compiler $* $level -c $source_file"
    "$compiler" "$@" "$level" -c "$source_file" -o "$object"
    sections=$(readelf -SW "$object" | sed -n 's/^ *\[ *[0-9]*\] *//p')
    starts=$(awk '$1 ~ /^\.(init_array|ctors|fini_array|dtors)/' <<<"$sections")
    [[ -z $starts ]] || complain "$level: constructors at start-up:" "$(nm "$object" | grep -E '_GLOBAL_|__cxx_global' || echo "$starts")"
    guards=$(nm "$object" | grep -E ' _ZGV') || true
    [[ -z $guards ]] || complain "$level: static objects that are initialised on first use:" "$guards"
    data=$(awk '$1 ~ /^\.data/ && $1 !~ /^\.data\.rel/ && length($5) >= 6 && $5 !~ /^0[0-3]/ { print $1, "0x" $5 }' <<<"$sections")
    [[ -z $data ]] || complain "$level: more than 256 KiB of initial values:" "$data"
    cleared=$(nm -u "$object" | grep -w memset) || true
    [[ -z $cleared ]] || complain "$level: memory is cleared:" "$cleared"
done
exit $((failures > 0))
